/** Scripts with files and rights: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

expectRealResults([...areas.files, ...areas["file-programs"], ...areas.bytes]);
expectSameResults(areas.rights);
