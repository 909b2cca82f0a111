import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSandboxError } from "../../../src/shared/errors.ts";
import { checkWorkspace } from "../../../src/workspace/check-workspace.ts";
import { makeDirectory } from "./helpers.ts";

const root = makeDirectory();
mkdirSync(join(root, "d"));
mkdirSync(join(root, "st*r"));
writeFileSync(join(root, "file"), "");
symlinkSync("none", join(root, "dangling"));

const mount = (over: object = {}) => ({
  path: "/w",
  backingPath: join(root, "d"),
  access: "rw",
  tracked: true,
  ...over,
});
const spec = (over: object = {}) => ({ mounts: [mount()], cwd: "/w", capabilities: {}, ...over });

test("a good spec comes back normalised, and equal after JSON", () => {
  const checked = checkWorkspace(
    spec({
      mounts: [mount({ path: "/w/", backingPath: `${root}/./d/`, readOnlyPrefixes: ["/w/.agents/"] })],
      cwd: "/w/",
      capabilities: {
        python: false,
        network: { allowOnlyUrlPrefixes: ["https://a.example/v1/"], allowOnlyMethods: ["GET"] },
      },
    }),
  );
  expect(checked).toEqual({
    mounts: [
      {
        path: "/w",
        backingPath: join(root, "d"),
        access: "rw",
        tracked: true,
        readOnlyPrefixes: ["/w/.agents"],
      },
    ],
    cwd: "/w",
    capabilities: {
      python: false,
      javascript: true,
      network: { allowOnlyUrlPrefixes: ["https://a.example/v1/"], allowOnlyMethods: ["GET"] },
    },
  });
  expect(JSON.parse(JSON.stringify(checked))).toEqual(checked);
  expect(checkWorkspace(checked)).toEqual(checked);
});

test.each<[string, unknown, RegExp]>([
  ["no object", "x", /^workspace: expected an object, got "x"\.$/],
  ["null", null, /^workspace: expected an object/],
  [
    "an unknown key",
    spec({ mount: [] }),
    /^workspace\.mount: .*no such key \(known: mounts, cwd, capabilities\)/,
  ],
  ["no mounts", { cwd: "/" }, /^workspace\.mounts: expected an array/],
  ["a mount that is no object", spec({ mounts: [1] }), /^workspace\.mounts\[0\]: expected an object, got 1/],
  ["an unknown key of a mount", spec({ mounts: [mount({ mode: "ro" })] }), /^workspace\.mounts\[0\]\.mode: /],
  [
    "a relative mount path",
    spec({ mounts: [mount({ path: "w" })] }),
    /\.path: expected an absolute path.*got "w"/,
  ],
  ["a mount path with ..", spec({ mounts: [mount({ path: "/w/../x" })] }), /\.path: .*"\.\."/],
  ["a mount path with //", spec({ mounts: [mount({ path: "//w" })] }), /\.path: /],
  [
    "a mount path with NUL",
    spec({ mounts: [mount({ path: "/w\0" })] }),
    /\.path: expected a path without NUL/,
  ],
  ["a mount path that is no text", spec({ mounts: [mount({ path: 1 })] }), /\.path: .*got 1/],
  ["the root", spec({ mounts: [mount({ path: "/" })] }), /\.path: expected a directory below "\/"/],
  ...["/dev", "/dev/shm", "/proc", "/bin", "/usr", "/usr/local", "/sys/x"].map(
    (path): [string, unknown, RegExp] => [
      path,
      spec({ mounts: [mount({ path })] }),
      /\.path: expected a path outside "\//,
    ],
  ),
  [
    "two mounts on one path",
    spec({ mounts: [mount(), mount({ path: "/w/" })] }),
    /^workspace\.mounts\[1\]\.path: .*mounts\[0\]/,
  ],
  [
    "a relative backing path",
    spec({ mounts: [mount({ backingPath: "d" })] }),
    /\.backingPath: expected an absolute host path/,
  ],
  [
    "a missing backing path",
    spec({ mounts: [mount({ backingPath: join(root, "none") })] }),
    /\.backingPath: expected an existing directory, got ".*none"/,
  ],
  [
    "a dangling backing path",
    spec({ mounts: [mount({ backingPath: join(root, "dangling") })] }),
    /expected an existing directory/,
  ],
  [
    "a file as backing path",
    spec({ mounts: [mount({ backingPath: join(root, "file") })] }),
    /\.backingPath: expected a directory/,
  ],
  [
    "a star in the backing path",
    spec({ mounts: [mount({ backingPath: join(root, "st*r") })] }),
    /without "\*"/,
  ],
  ["another access", spec({ mounts: [mount({ access: "r" })] }), /\.access: expected "rw" or "ro", got "r"/],
  [
    "tracked left out",
    spec({ mounts: [mount({ tracked: undefined })] }),
    /\.tracked: expected true or false/,
  ],
  [
    "prefixes that are no list",
    spec({ mounts: [mount({ readOnlyPrefixes: "/w/x" })] }),
    /\.readOnlyPrefixes: expected an array/,
  ],
  [
    "a prefix elsewhere",
    spec({ mounts: [mount({ readOnlyPrefixes: ["/w/a", "/wx/a"] })] }),
    /readOnlyPrefixes\[1\]: expected a path below "\/w"/,
  ],
  [
    "the mount as its own prefix",
    spec({ mounts: [mount({ readOnlyPrefixes: ["/w"] })] }),
    /readOnlyPrefixes\[0\]: /,
  ],
  ["no cwd", spec({ cwd: undefined }), /^workspace\.cwd: expected/],
  ["a relative cwd", spec({ cwd: "w" }), /^workspace\.cwd: expected an absolute path/],
  [
    "a capability that is no boolean",
    spec({ capabilities: { python: "yes" } }),
    /capabilities\.python: expected true or false/,
  ],
  ["an unknown capability", spec({ capabilities: { ruby: true } }), /capabilities\.ruby: /],
  [
    "a network rule that is no URL",
    spec({ capabilities: { network: { allowOnlyUrlPrefixes: ["ftp://x"] } } }),
    /allowOnlyUrlPrefixes\[0\]: /,
  ],
  [
    "a network without rules",
    spec({ capabilities: { network: {} } }),
    /network\.allowOnlyUrlPrefixes: expected an array/,
  ],
])("%s is refused by name", (_name, input, message) => {
  let error: unknown;
  try {
    checkWorkspace(input);
  } catch (thrown) {
    error = thrown;
  }
  expect(isSandboxError(error)).toBe(true);
  expect(error).toMatchObject({ code: "WORKSPACE_INVALID", message: expect.stringMatching(message) });
});
