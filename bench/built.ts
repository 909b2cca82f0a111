/** The built package, as a user of it gets it; its types come from the sources, which need no build. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build/paths.ts";

type Package = typeof import("../src/index.ts");

const url = new URL("../dist/index.js", import.meta.url).href;

export const { openSandbox } = (await import(url)) as Package;

/** Names the build that was measured. */
export const buildId = (
  JSON.parse(readFileSync(join(root, "dist/worker/build-id.json"), "utf8")) as { buildId: string }
).buildId;
