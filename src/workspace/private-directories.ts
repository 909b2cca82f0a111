/**
 * The directories that every shell expects and that no mount of the caller covers: `/tmp` and `/home/user`.
 * They lie on the host, private to one sandbox, so a killed worker loses no file; removed at dispose.
 */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HarnessMount, HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { removeAllSync } from "./remove-all.ts";

const EXPECTED = ["/tmp", "/home/user"];

/** A workspace with the private directories among its mounts. */
export interface PrivateDirectories {
  readonly workspace: HarnessWorkspaceSpec;
  remove(): void;
}

export function addPrivateDirectories(workspace: HarnessWorkspaceSpec): PrivateDirectories {
  const missing = EXPECTED.filter((path) => !workspace.mounts.some((mount) => mount.path === path));
  if (missing.length === 0) return { workspace, remove: () => undefined };
  const root = mkdtempSync(join(tmpdir(), "little-harness-"));
  removeAtExit(root);
  const mounts: HarnessMount[] = missing.map((path, index) => {
    const backingPath = join(root, String(index));
    mkdirSync(backingPath);
    return { path, backingPath, access: "rw", tracked: false };
  });
  return {
    workspace: { ...workspace, mounts: [...workspace.mounts, ...mounts] },
    remove: () => {
      leftovers.delete(root);
      removeAllSync(root);
    },
  };
}

/** Directories of sandboxes that nobody disposed of. */
const leftovers = new Set<string>();

let watchesExit = false;

function removeAtExit(root: string): void {
  leftovers.add(root);
  if (watchesExit) return;
  watchesExit = true;
  process.once("exit", removeLeftovers);
}

function removeLeftovers(): void {
  for (const root of leftovers) removeAllSync(root);
  leftovers.clear();
}
