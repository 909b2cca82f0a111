/** Next.js: the route handler of `examples/bundling/next`, built, moved as its standalone folder, and asked once. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNode } from "./bundlers.ts";
import { type Outcome, tellsWhatToSet, type Way } from "./try-bundle.ts";

/** The ways that Next.js is tried in; it lays out its bundles itself, so nothing is «beside» them. */
export const NEXT_WAYS: readonly Way[] = ["external", "workerPath", "no worker"];

/** Builds the application with the package outside of the bundle or inside. */
export function buildNext(project: string, way: "external" | "bundled"): void {
  rmSync(join(project, ".next"), { recursive: true, force: true });
  const env: Record<string, string> = way === "bundled" ? { BUNDLED: "1" } : {};
  runNode("Next.js", ["node_modules/next/dist/bin/next", "build"], project, env);
}

/** Serves the last build from elsewhere and asks its route. */
export async function tryNext(project: string, way: Way): Promise<Outcome> {
  const place = mkdtempSync(join(tmpdir(), "next-"));
  const ours = join(project, "node_modules/@little-stack");
  const away = join(project, "node_modules/@away");
  let server: ChildProcess | null = null;
  try {
    cpSync(join(project, ".next/standalone"), place, { recursive: true, verbatimSymlinks: true });
    if (way === "workerPath")
      cpSync(join(ours, "harness/dist/worker"), join(place, "the-worker"), { recursive: true });
    renameSync(ours, away);
    const port = await freePort();
    server = spawn(process.execPath, ["server.js"], {
      cwd: place,
      env: {
        PORT: String(port),
        HOSTNAME: "127.0.0.1",
        ...(way === "workerPath" ? { WORKER_PATH: "the-worker" } : {}),
      },
    });
    let said = "";
    const ready = new Promise<void>((resolve, reject) => {
      const hear = (bytes: Buffer): void => {
        said += bytes.toString();
        if (said.includes("Ready")) resolve();
      };
      server?.stdout?.on("data", hear);
      server?.stderr?.on("data", hear);
      server?.once("exit", () => reject(new Error(`the server ended: ${said}`)));
    });
    await ready;
    const answer = await fetch(`http://127.0.0.1:${port}/run`, { signal: AbortSignal.timeout(30_000) });
    const text = await answer.text();
    if (way === "no worker") return answer.status === 500 && tellsWhatToSet(said) ? null : said;
    return answer.status === 200 && text.startsWith("42\n") ? null : `${answer.status}: ${text}\n${said}`;
  } finally {
    if (server !== null && server.exitCode === null) {
      server.removeAllListeners("exit");
      const gone = once(server, "exit");
      server.kill("SIGKILL");
      await gone;
    }
    renameSync(away, ours);
    rmSync(place, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
