/** The built package, as a user of it gets it; its types come from the sources, which need no build. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build/paths.ts";

type Package = typeof import("../src/index.ts");
type RemoteSession = typeof import("../src/remote-session.ts");

const built = (file: string): string => new URL(`../dist/${file}`, import.meta.url).href;

export const { openSandbox } = (await import(built("index.js"))) as Package;

/** The entry of session logs, loaded by the groups that measure one and by no other. */
export async function loadSessionLogs(): Promise<RemoteSession> {
  return (await import(built("remote-session.js"))) as RemoteSession;
}

/** Names the build that was measured. */
export const buildId = (
  JSON.parse(readFileSync(join(root, "dist/worker/build-id.json"), "utf8")) as { buildId: string }
).buildId;
