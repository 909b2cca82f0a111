/** A log in a file under real processes that are killed while they append. */
import { join } from "node:path";
import { test } from "vitest";
import { checkKills } from "../helpers/killed-appenders.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("what a process was told to be kept is there when it is killed, once and in order", async () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  await checkKills(join(tempDir(), "log.ndjson"), Number(process.env.LOG_KILLS ?? 12), random);
}, 600_000);
