/** Every fourth of the scripts with text and data: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everyFourthOf } from "../fixtures/corpus/quarters.ts";
import { expectRealResults } from "./same-results.ts";
import { TEXT_AREAS } from "./text-areas.ts";

const some = everyFourthOf(areas);
expectRealResults(TEXT_AREAS.flatMap((area) => some[area]));
