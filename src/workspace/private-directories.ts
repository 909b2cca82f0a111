/**
 * The directories that every shell expects and that no mount of the caller covers: `/tmp` and `/home/user`.
 * They lie on the host, private to one sandbox, so a killed worker loses no file; removed at dispose.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { HarnessMount, HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { makeTemporaryDirectory } from "./temporary-directory.ts";

const EXPECTED = ["/tmp", "/home/user"];

/** A workspace with the private directories among its mounts. */
export interface PrivateDirectories {
  readonly workspace: HarnessWorkspaceSpec;
  remove(): void;
}

export function addPrivateDirectories(workspace: HarnessWorkspaceSpec): PrivateDirectories {
  const missing = EXPECTED.filter((path) => !workspace.mounts.some((mount) => mount.path === path));
  if (missing.length === 0) return { workspace, remove: () => undefined };
  const root = makeTemporaryDirectory();
  const mounts: HarnessMount[] = missing.map((path, index) => {
    const backingPath = join(root.path, String(index));
    mkdirSync(backingPath);
    return { path, backingPath, access: "rw", tracked: false };
  });
  return {
    workspace: { ...workspace, mounts: [...workspace.mounts, ...mounts] },
    remove: root.remove,
  };
}
