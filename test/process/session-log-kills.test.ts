/** A log in a file under real processes that are killed while they append. */
import { join } from "node:path";
import { test } from "vitest";
import { checkKills } from "../helpers/killed-appenders.ts";
import { seeded } from "../helpers/killed-processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("what a process was told to be kept is there when it is killed, once and in order", async () => {
  await checkKills(join(tempDir(), "log.ndjson"), Number(process.env.LOG_KILLS ?? 5), seeded(7));
}, 600_000);
