/** What `same-results-language.test.ts` leaves out. Run by `npm run test:slow`. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { othersOf } from "../fixtures/corpus/quarters.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

const { language, words, control, session } = othersOf(areas);
expectRealResults([...language, ...words, ...control]);
expectSameResults(session);
