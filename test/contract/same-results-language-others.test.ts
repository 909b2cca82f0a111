/** What `same-results-language.test.ts` leaves out. Run by `npm run test:slow`. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everySecondOf } from "../fixtures/corpus/halves.ts";
import { expectRealResults } from "./same-results.ts";

const { language, words, control } = everySecondOf(areas, 1);
expectRealResults([...language, ...words, ...control]);
