/** V8's compiled form of the worker's code, kept between processes: who makes it, who gets it, and who cannot. */
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openSandbox } from "../../src/index.ts";
import { codeCacheFor } from "../../src/parent/code-cache.ts";
import { findWorker } from "../../src/parent/find-worker.ts";
import { makeCodeCache } from "../../src/parent/make-code-cache.ts";
import { until, workerPids } from "../helpers/processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const onLinux = describe.runIf(process.platform === "linux");
const asRoot = test.runIf(process.getuid?.() === 0);

let made: Buffer;
let directory: string;
let file: string;

const cacheIn = (folder: string) => {
  const cache = codeCacheFor({ directory: folder, workerFile: findWorker(null), nodePath: process.execPath });
  if (cache === null) throw new Error("there is no worker to compile");
  return cache;
};

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "compile-cache-"));
  const cache = cacheIn(join(folder, "made"));
  await makeCodeCache(cache);
  made = readFileSync(cache.file);
  rmSync(folder, { recursive: true });
}, 60_000);

beforeEach(() => {
  directory = join(tempDir(), "cache");
  file = cacheIn(directory).file;
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** As a maker of this user would have left it. */
function plant(bytes = made): void {
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(file, bytes, { mode: 0o600 });
}

/** Whether the worker of a sandbox was started with the file, and what it said. */
async function startWith(options: object): Promise<{ used: boolean; said: string; open: boolean }> {
  let said = "";
  const sandbox = await openSandbox({
    mounts: { "/work": tempDir() },
    sandbox: "subprocess",
    onDiagnostic: (text: string) => {
      said += text;
    },
    ...options,
  });
  try {
    expect(await sandbox.exec("echo here")).toMatchObject({ exitCode: 0, stdout: "here\n" });
    const [pid = -1] = workerPids();
    const used = readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--code-cache=");
    const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return { used, said, open: descriptors.some((path) => path.startsWith(directory)) };
  } finally {
    await sandbox.dispose();
  }
}

onLinux("a worker's compiled form", () => {
  test("is made after the first worker, for this user alone, and handed to the next", async () => {
    const sandbox = await openSandbox({
      mounts: { "/work": tempDir() },
      sandbox: "subprocess",
      compileCache: directory,
    });
    await sandbox.exec("true");
    await until(() => statSync(file, { throwIfNoEntry: false }) !== undefined, 30_000);
    await sandbox.dispose();
    expect(readdirSync(directory)).toHaveLength(1);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await startWith({ compileCache: directory })).toEqual({ used: true, said: "", open: false });
  }, 60_000);

  test("reaches a worker with fewer rights too", async () => {
    plant();
    const started = await startWith({ compileCache: directory, isolation: "hardened" });
    expect(started).toEqual({ used: true, said: "", open: false });
  });

  test("is not made and not used when the caller says so, nor with flags of the caller's", async () => {
    plant();
    expect(await startWith({ compileCache: false })).toMatchObject({ used: false });
    expect(await startWith({ compileCache: directory, execArgv: ["--no-lazy"] })).toMatchObject({
      used: false,
    });
  });

  test("of other flags or another Node.js is refused by V8, said to the operator, and the worker starts", async () => {
    const cache = cacheIn(join(tempDir(), "other"));
    await makeCodeCache({ ...cache, maker: { ...cache.maker, args: ["--no-lazy", ...cache.maker.args] } });
    plant(readFileSync(cache.file));
    const started = await startWith({ compileCache: directory });
    expect(started).toMatchObject({
      used: true,
      said: expect.stringContaining("of another Node.js or of other flags"),
    });
  });

  // Each is what another user could do, or a disk that fails; the test above shows the same file taken.
  test.each<[string, () => void]>([
    ["in a directory that others may write to", () => chmodSync(directory, 0o777)],
    ["that others may write to", () => chmodSync(file, 0o666)],
    ["with a second name", () => linkSync(file, join(dirname(directory), "second"))],
    ["behind a symbolic link", () => behindLink(file)],
    ["in a directory behind a symbolic link", () => behindLink(directory)],
    ["with one bit changed", () => writeFileSync(file, flipped(made))],
    ["cut short", () => writeFileSync(file, made.subarray(0, made.length / 2))],
    ["that is empty", () => writeFileSync(file, "")],
    [
      "that is a directory",
      () => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])("%s is not used, and the worker starts", async (_, change) => {
    plant();
    change();
    expect(await startWith({ compileCache: directory })).toMatchObject({ used: false });
  });

  // Without the wall the next worker would run what the script left there: a planted file is taken where nothing speaks against it, as above.
  test.each(["subprocess", "just-bash"] as const)(
    "%s: in a mount it can be read by scripts and not changed, by no door",
    async (sandbox) => {
      plant();
      const home = dirname(directory);
      const sandboxOptions = sandbox === "subprocess" ? { compileCache: directory } : {};
      vi.stubEnv("XDG_CACHE_HOME", home);
      renameSync(directory, join(home, "little-harness"));
      symlinkSync(join(home, "little-harness"), directory);
      const opened = await openSandbox({ mounts: { "/home": home }, sandbox, ...sandboxOptions });
      const name = basename(file);
      const scripts = [
        `echo evil > /home/little-harness/${name}`,
        `rm /home/little-harness/${name}`,
        "mv /home/little-harness /home/old",
        "rm -rf /home/little-harness",
        `mkdir /home/new; echo evil > /home/new/${name}; mv /home/new/${name} /home/little-harness/`,
        `ln /home/little-harness/${name} /home/second`,
        `python3 -c 'open("/home/little-harness/${name}", "w")'`,
        `js-exec -c 'require("fs").writeFileSync("/home/little-harness/${name}", "evil")'`,
      ];
      for (const script of scripts) expect((await opened.exec(script)).exitCode, script).not.toBe(0);
      const write = opened.fs.writeFile(`/home/little-harness/${name}`, "evil");
      await expect(write).rejects.toMatchObject({ code: "FS_ERROR" });
      expect((await opened.exec("echo fine > /home/else && cat /home/else")).stdout).toBe("fine\n");
      await opened.dispose();
      expect(readFileSync(join(home, "little-harness", name)).equals(made)).toBe(true);
      expect(statSync(join(home, "little-harness", name)).nlink).toBe(1);
    },
  );

  test("in a mount is a reason against the rung whose rights are given to whole directories", async () => {
    plant();
    const mounts = { "/home": dirname(directory) };
    const sandbox = await openSandbox({
      mounts,
      sandbox: "subprocess",
      compileCache: directory,
      isolation: "hardened",
    });
    const result = await sandbox.exec("true");
    expect(result).toMatchObject({ exitCode: 126, stderr: expect.stringContaining("compiled code") });
    await sandbox.dispose();
  });

  asRoot.each<[string, () => string]>([
    ["a file", () => file],
    ["a directory", () => directory],
  ])("in %s of another user is not used", async (_, which) => {
    plant();
    expect(await startWith({ compileCache: directory })).toMatchObject({ used: true });
    chownSync(which(), 65534, 65534);
    expect(await startWith({ compileCache: directory })).toMatchObject({ used: false });
  });

  test("that cannot be kept is told to the operator, and nothing else is different", async () => {
    writeFileSync(directory, "a file where the directory should be");
    let said = "";
    const sandbox = await openSandbox({
      mounts: { "/work": tempDir() },
      sandbox: "subprocess",
      compileCache: directory,
      onDiagnostic: (text: string) => {
        said += text;
      },
    });
    expect(await sandbox.exec("echo here")).toMatchObject({ exitCode: 0, stdout: "here\n" });
    await until(() => said.includes("No compile cache"), 30_000);
    await sandbox.dispose();
  }, 60_000);
});

test.each([1, "", null, {}])("compileCache: %j is refused by name", async (compileCache) => {
  const options = { mounts: { "/work": tempDir() }, sandbox: "subprocess", compileCache };
  await expect(openSandbox(options as never)).rejects.toMatchObject({
    code: "OPTION_INVALID",
    data: { option: "compileCache" },
  });
});

function behindLink(path: string): void {
  renameSync(path, `${path}-real`);
  symlinkSync(`${path}-real`, path);
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length >> 1] = (copy[copy.length >> 1] ?? 0) ^ 1;
  return copy;
}
