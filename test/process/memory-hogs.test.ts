/** `maxMemoryMb` ends whatever fills the memory; one way is in `limits.test.ts`. Run by `npm run test:slow`. */
import { test } from "vitest";
import { expectKilledNearLimit, STRINGS_IN_JS } from "../helpers/memory-hogs.ts";

test.each([
  ["strings in js-exec", STRINGS_IN_JS],
  [
    "arrays in js-exec, and what comes after it",
    'js-exec -c "const keep = []; for (;;) keep.push(new Array(100000).fill(1))"; x=x; while true; do x=$x$x; done',
  ],
  ["a bytearray in python", "python3 -c 'keep = []\nwhile True: keep.append(bytearray(1 << 20))'"],
  ["a doubling variable", "x=aaaaaaaaaa; while :; do x=$x$x; done"],
  [
    "a sort in sqlite3",
    'sqlite3 :memory: "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from (select x, zeroblob(100000) r from c order by r)"',
  ],
])(
  "%s: killed near the limit, with the output so far, and the next command works",
  { timeout: 120_000 },
  (_what, hog) => expectKilledNearLimit(hog),
);
