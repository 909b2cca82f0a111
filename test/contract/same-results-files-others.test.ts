/** What `same-results-files.test.ts` leaves out. Run by `npm run test:slow`. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { othersOf } from "../fixtures/corpus/quarters.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

const others = othersOf(areas);
expectRealResults([...others.files, ...others["file-programs"], ...others.bytes]);
expectSameResults(others.rights);
