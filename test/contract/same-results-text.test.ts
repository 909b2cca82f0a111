/** Scripts with text and data: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everySecondOf } from "../fixtures/corpus/halves.ts";
import { expectRealResults } from "./same-results.ts";
import { TEXT_AREAS } from "./text-areas.ts";

const half = everySecondOf(areas, 0);
expectRealResults(TEXT_AREAS.flatMap((area) => half[area]));
