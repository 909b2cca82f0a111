/** Scripts of the language and of the session: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everySecondOf } from "../fixtures/corpus/halves.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

const { language, words, control } = everySecondOf(areas, 0);
expectRealResults([...language, ...words, ...control]);
expectSameResults(areas.session);
