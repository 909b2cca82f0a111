/** Scripts with text and data: see `same-results.ts`. Files of their own so that they run side by side. */
import { areas } from "../fixtures/corpus/corpus.ts";
import { expectRealResults } from "./same-results.ts";

expectRealResults([
  ...areas.text,
  ...areas.data,
  ...areas["text-programs"],
  ...areas["line-programs"],
  ...areas["system-programs"],
  ...areas["report-programs"],
]);
