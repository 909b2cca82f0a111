/**
 * Every fourth of the scripts of the language and of the session: see `same-results.ts`. Files of their own so that they
 * run side by side.
 */
import { areas } from "../fixtures/corpus/corpus.ts";
import { everyFourthOf } from "../fixtures/corpus/quarters.ts";
import { expectRealResults, expectSameResults } from "./same-results.ts";

const { language, words, control, session } = everyFourthOf(areas);
expectRealResults([...language, ...words, ...control]);
expectSameResults(session);
