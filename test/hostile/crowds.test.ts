/** What a worker that was taken over can do without end. Run by `npm run test:slow`; in short in the files beside it. */
import { test } from "vitest";
import { watchHost } from "./host.ts";
import { expectToolsCapped } from "./many-calls.ts";
import { expectPathsBounded } from "./many-paths.ts";

watchHost();

test("100,000 calls run as many tools as one command may call", { timeout: 60_000 }, () =>
  expectToolsCapped(100_000),
);

test(
  "a million paths cost bounded memory, and what is changed then is still told",
  { timeout: 150_000 },
  () => expectPathsBounded(1_000_000),
);
