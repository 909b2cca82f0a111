/** Scripts that start Python, sqlite3 and node over and over: see `same-results.ts`. Run by `npm run test:slow`. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { expectRealResults } from "./same-results.ts";

expectRealResults(areas.guests);
