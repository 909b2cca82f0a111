import { buildAll } from "./build.ts";

/** Vitest's global setup: tests that start the built worker or command line get the one of these sources. */
export async function setup(): Promise<void> {
  await buildAll({ ifStale: true });
}
