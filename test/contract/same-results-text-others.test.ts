/** What `same-results-text.test.ts` leaves out. Run by `npm run test:slow`. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everySecondOf } from "../fixtures/corpus/halves.ts";
import { expectRealResults } from "./same-results.ts";
import { TEXT_AREAS } from "./text-areas.ts";

const half = everySecondOf(areas, 1);
expectRealResults(TEXT_AREAS.flatMap((area) => half[area]));
