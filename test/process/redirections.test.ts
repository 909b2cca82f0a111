/**
 * Where output goes, against the bash of this machine: to the stream, to a file, to a variable, down a pipe. The
 * engine returns all output at the end; to make it stream, scripts are rewritten, and this proves that nothing
 * leaks into the stream that the script keeps, nor the other way round. Every third snippet; `npm run test:slow` runs
 * the others.
 */
import { expectOutputAsBash } from "../helpers/redirections.ts";

expectOutputAsBash((place) => place % 3 === 0);
