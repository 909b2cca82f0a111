/**
 * A host full of words that no guest may see: in the paths of mount, worker and temporary directories, in the
 * environment, in a sibling sandbox, in the clock. `leaks` says which of them a text holds.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../build/paths.ts";
import { copyWorker } from "./worker-process.ts";

const NAMES = ["mount", "readonly", "worker", "temporary", "sibling"] as const;

export interface CanaryHost {
  readonly folder: string;
  /** Directory on the host by its purpose; each path holds a word of its own. */
  readonly at: Readonly<Record<(typeof NAMES)[number], string>>;
  /** What a worker may be given as environment: it is the machine's, and not for scripts. */
  readonly workerEnvironment: Readonly<Record<string, string>>;
  remove(): void;
}

export function plantCanaries(): CanaryHost {
  const folder = join(tmpdir(), `kanari-host-${process.pid}`);
  const at = Object.fromEntries(
    NAMES.map((name) => [name, join(folder, `kanari-${name}`)]),
  ) as CanaryHost["at"];
  for (const path of Object.values(at)) mkdirSync(path, { recursive: true });
  copyWorker(at.worker, true);
  writeFileSync(join(at.readonly, "a.txt"), "hello\n");
  writeFileSync(join(at.sibling, "kanari-file"), "kanari-content");
  const before = { ...process.env };
  process.env.TMPDIR = at.temporary;
  process.env.KANARI = "kanari-environment";
  process.env.USER = "kanari-user";
  return {
    folder,
    at,
    workerEnvironment: { KANARI: "kanari-worker", TZ: "Asia/Kathmandu" },
    remove() {
      for (const name of ["TMPDIR", "USER"]) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
      delete process.env.KANARI;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Found in what a guest, a result or an event shows; the list is empty when nothing of the host is in it. */
export function leaks(text: string): string[] {
  const found = [
    ...text.matchAll(
      /kanari[\w-]*|Kathmandu|GMT\+0?5|\+0545|-345\b|file:\/\/\/(?!etc\/passwd)\S+|node:internal\S*/gi,
    ),
  ].map(([word]) => word);
  for (const word of [root, hostname()]) {
    if (word.length > 4 && word !== "localhost" && text.includes(word)) found.push(word);
  }
  return [...new Set(found)];
}

/** All files below a directory as one text. */
export function textOf(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "latin1")}`)
    .join("\n");
}
