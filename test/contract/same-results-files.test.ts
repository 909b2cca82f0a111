/**
 * Every fourth of the scripts with files and rights: see `same-results.ts`. Files of their own so that they run side by
 * side.
 */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everyFourthOf } from "../fixtures/corpus/quarters.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

const some = everyFourthOf(areas);
expectRealResults([...some.files, ...some["file-programs"], ...some.bytes]);
expectSameResults(some.rights);
