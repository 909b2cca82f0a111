/** Where things lie in a data directory, and the directories that must be there. `docs/host.md` shows the whole. */
import { mkdir } from "node:fs/promises";
import nodePath from "node:path";
import { codeOf } from "../storage/error-code.ts";
import { storeFailed } from "./host-errors.ts";

/** Paths of one data directory. */
export interface DataDirectory {
  readonly root: string;
  readonly sessions: string;
  readonly persistent: string;
  readonly agents: string;
  readonly orchestration: string;
  /** What was typed into `little-harness shell`. */
  readonly shellHistory: string;
}

/** Text only: touches no disk. */
export function dataDirectoryAt(path: string): DataDirectory {
  const root = nodePath.resolve(path);
  return {
    root,
    sessions: nodePath.join(root, "sessions"),
    persistent: nodePath.join(root, "persistent"),
    agents: nodePath.join(root, "agents"),
    orchestration: nodePath.join(root, "orchestration"),
    shellHistory: nodePath.join(root, "shell-history"),
  };
}

/** Errors that say that the path is wrong, and not that the disk has a bad day. */
const WRONG_PATH = ["EEXIST", "ENOTDIR", "EACCES", "EPERM", "EROFS", "ENAMETOOLONG", "ELOOP", "ENOENT"];

/** Makes what is missing. Rejects with `DATA_DIR_INVALID` or `STORE_FAILED`. */
export async function makeDataDirectory(data: DataDirectory): Promise<void> {
  try {
    // What the first makes is for this user alone; so is all below it.
    for (const path of [data.root, data.sessions, data.persistent, data.agents])
      await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const isWrong = WRONG_PATH.includes(codeOf(error) ?? "");
    const what = isWrong
      ? `Option "dataDir" must be a directory that can be made and written, but is "${data.root}"`
      : `The data directory "${data.root}" could not be made`;
    throw storeFailed(what, error, isWrong ? "DATA_DIR_INVALID" : "STORE_FAILED");
  }
}
