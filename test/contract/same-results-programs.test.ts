/** Scripts in JavaScript and Python, and with tools: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { expectSameResults } from "./same-results.ts";

expectSameResults(areas.programs);
