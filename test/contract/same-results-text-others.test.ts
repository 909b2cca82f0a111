/** What `same-results-text.test.ts` leaves out. Run by `npm run test:slow`. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { othersOf } from "../fixtures/corpus/quarters.ts";
import { expectRealResults } from "./same-results.ts";
import { TEXT_AREAS } from "./text-areas.ts";

const others = othersOf(areas);
expectRealResults(TEXT_AREAS.flatMap((area) => others[area]));
