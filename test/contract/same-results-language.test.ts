/** Scripts of the language and of the session: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

expectRealResults([...areas.language, ...areas.words, ...areas.control]);
expectSameResults(areas.session);
