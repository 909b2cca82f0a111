import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tryJail } from "../../../../src/parent/isolation/bubblewrap.ts";
import {
  FROM_INPUTS,
  jailArguments,
  jailFolders,
  toInput,
} from "../../../../src/parent/isolation/jail-arguments.ts";
import { sharedLibraries } from "../../../../src/parent/isolation/shared-libraries.ts";
import { exitOfWrapped } from "../../../../src/parent/isolation/wrapped-worker.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";

test("a jail has namespaces of its own, no capability, no variable, and is written out here", () => {
  const parts = { node: "/usr/bin/node", libraries: ["/lib/libc.so.6"], network: false, dieWithParent: true };
  const folders = jailFolders("/app/worker", [
    { from: "/data/a", to: "/m/0", writable: true },
    { from: "/data/b", to: "/m/1", writable: false },
  ]);
  expect([...jailArguments(parts), ...folders].join(" ")).toBe(
    "--unshare-all --die-with-parent --clearenv --cap-drop ALL --hostname sandbox " +
      "--ro-bind /usr/bin/node /node/node --ro-bind /lib/libc.so.6 /lib/libc.so.6 " +
      "--ro-bind /app/worker /worker --bind /data/a /m/0 --ro-bind /data/b /m/1 --remount-ro / --chdir /worker",
  );
});

test("the filter of system calls is read from a descriptor of its own", () => {
  expect(FROM_INPUTS.join(" ")).toBe("--args 4 --seccomp 5 --");
});

test("a network brings what names need, and no more", () => {
  const parts = { node: "/n", libraries: [], network: true, dieWithParent: false };
  const given = jailArguments(parts);
  expect(given).toContain("--share-net");
  expect(given.filter((argument) => argument.startsWith("/etc/"))).toHaveLength(6);
});

test("arguments end with NUL, so that any path is one argument", () => {
  expect(new TextDecoder().decode(toInput(["--bind", "/a b\n", "/m"]))).toBe("--bind\0/a b\n\0/m\0");
});

describe.skipIf(process.platform !== "linux")("on Linux", () => {
  test("the libraries of this Node.js are found, its loader first", async () => {
    const [loader, ...libraries] = await sharedLibraries(process.execPath);
    expect(loader).toMatch(/\/ld-/);
    expect(libraries.some((path) => /\/libc[.-]/.test(path))).toBe(true);
    expect([loader, ...libraries].every((path) => existsSync(path ?? ""))).toBe(true);
  });

  test("a file that is no program has none, and says so", async () => {
    const file = join(tempDir(), "text");
    writeFileSync(file, "#!/bin/sh\n");
    await expect(sharedLibraries(file)).rejects.toThrow("is no 64-bit ELF file");
  });

  test("without bubblewrap the reason names where it was looked for", async () => {
    expect(await tryJail(process.execPath, ["/nowhere/bwrap"])).toEqual({
      unavailable: "bubblewrap is not installed (looked for /nowhere/bwrap)",
    });
  });

  test("a bubblewrap that fails gives its own words as the reason", async () => {
    const bwrap = join(tempDir(), "bwrap");
    writeFileSync(bwrap, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n");
    chmodSync(bwrap, 0o755);
    expect(await tryJail(process.execPath, [bwrap])).toEqual({
      unavailable: "bubblewrap cannot make a jail here (bwrap: No permissions to create new namespace)",
    });
  });

  test("a bubblewrap whose kernel takes no filter gives no jail without one", async () => {
    const bwrap = join(tempDir(), "bwrap");
    const script =
      'case "$*" in *--seccomp*) echo "bwrap: prctl(PR_SET_SECCOMP): Invalid argument" >&2; exit 1;; esac; cat <&4 >/dev/null; echo v20.18.1';
    writeFileSync(bwrap, `#!/bin/sh\n${script}\n`);
    chmodSync(bwrap, 0o755);
    expect(await tryJail(process.execPath, [bwrap])).toEqual({
      unavailable:
        "bubblewrap cannot filter the system calls of a jail here (bwrap: prctl(PR_SET_SECCOMP): Invalid argument)",
    });
  });
});

test("the signal that ended a wrapped worker is read from the exit code around it", () => {
  expect(exitOfWrapped(137, null)).toEqual({ code: null, signal: "SIGKILL" });
  expect(exitOfWrapped(1, null)).toEqual({ code: 1, signal: null });
  expect(exitOfWrapped(null, "SIGKILL")).toEqual({ code: null, signal: "SIGKILL" });
});
