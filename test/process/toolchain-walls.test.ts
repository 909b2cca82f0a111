/**
 * What a hostile program in the jail of a toolchain reaches for. Each attack runs twice: by a plain bash on the host,
 * where it must get through, or it would prove nothing, and inside, where it must not.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type HarnessSandbox, localToolchainSandbox, openSandbox } from "../../src/index.ts";
import { runOnce } from "../../src/parent/isolation/run-once.ts";
import { BY_ARGUMENT, type Numbers, REFUSED } from "../../src/parent/isolation/system-call-numbers.ts";
import { findParts, type JailParts, jailLaunch } from "../../src/providers/toolchain/jail.ts";
import { JailLife } from "../../src/providers/toolchain/jail-life.ts";
import { makePrivateFolder } from "../../src/providers/toolchain/private-folder.ts";
import { shownPaths } from "../../src/providers/toolchain/shown-paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { noToolchain, note } from "../helpers/toolchain.ts";

const SECRET = "of the host 9c1d";
const ABSTRACT = `harness-test-${process.pid}`;

const root = mkdtempSync(join(tmpdir(), "harness-walls-"));
const [mount, fixed, outside] = [join(root, "mount"), join(root, "fixed"), join(root, "outside")];
const servers: Server[] = [];
let port = 0;

const numbers: Readonly<Record<string, Numbers>> = { ...REFUSED, ...BY_ARGUMENT };
/** Perl makes any system call; 0 when the kernel let it pass. */
const call = (name: string, args: string): string =>
  `perl -e 'my @given = (${args}); exit(syscall(${numbers[name]?.[process.arch === "arm64" ? 1 : 0] ?? -1}, @given) < 0)' && echo through`;

/** Scripts that print "through" where nothing stops them; `W` is the directory of the mount. */
const attacks = (): Readonly<Record<string, string>> => ({
  "reads a variable of the host": `[[ $HARNESS_TEST_SECRET == planted* ]] && echo through`,
  "reads the environment of the host's process": `tr '\\0' '\\n' </proc/${process.pid}/environ | grep -q ^HARNESS_TEST_SECRET && echo through`,
  "reads a file of the host": `grep -q '${SECRET}' '${outside}/file' && echo through`,
  "reads a file of the host by a link that the host put into the mount": `grep -q '${SECRET}' "$W/link/file" && echo through`,
  "reads it by a link of its own": `ln -sfn '${outside}' "$W/own" && grep -q '${SECRET}' "$W/own/file" && echo through`,
  "leaves the mount by its parent": `grep -q '${SECRET}' "$W/../outside/file" && echo through`,
  "writes beside the mount": `: >'${outside}/made' && echo through`,
  "makes a program that runs as its owner": `cp /bin/true "$W/p1"; chmod 6755 "$W/p1"; [[ -u $W/p1 || -g $W/p1 ]] && echo through`,
  "installs one": `install -m 4755 /bin/true "$W/p2"; [[ -u $W/p2 ]] && echo through`,
  "makes one by a descriptor": `python3 -c 'import os, sys; os.fchmod(os.open(sys.argv[1], 65, 0o755), 0o4755)' "$W/p3"; [[ -u $W/p3 ]] && echo through`,
  "makes one by its path": `: >"$W/p4"; python3 -c 'import os, sys; os.chmod(sys.argv[1], 0o2755)' "$W/p4"; [[ -g $W/p4 ]] && echo through`,
  "opens one that was not there": `python3 -c 'import os, sys; os.open(sys.argv[1], 65, 0o4755)' "$W/p5"; [[ -u $W/p5 ]] && echo through`,
  "makes one as a node": `python3 -c 'import os, sys; os.mknod(sys.argv[1], 0o104755)' "$W/p6"; [[ -u $W/p6 ]] && echo through`,
  "unpacks one": `[[ -e $W/p7 ]] || tar -C "$W" -xpf "$W/tar"; [[ -f $W/p7 && -u $W/p7 ]] && echo through; rm -f "$W/p7"`,
  "signals the host": `kill -0 ${process.pid} && echo through`,
  "sees a process of the host": `[[ -e /proc/${process.pid}/cmdline ]] && echo through`,
  "connects to a port of the host": `(: </dev/tcp/127.0.0.1/${port}) && echo through`,
  "connects to a local socket of the host": `node -e 'require("net").connect("\\0${ABSTRACT}").on("connect", () => { console.log("through"); process.exit() }).on("error", () => {})'`,
});

/** The same for what asks the kernel; the host of the tests may be in a container that refuses some of it too. */
const KERNEL: Readonly<Record<string, string>> = {
  "makes a user namespace": "unshare --user true && echo through",
  "makes one, and mounts in it":
    "unshare --user --map-root-user --mount mount -t tmpfs none /mnt && echo through",
  "is traced": call("ptrace", "0, 0, 0, 0"),
  "reads the memory of another process": call(
    "process_vm_readv",
    `$$, pack("PQ", my $b = "x" x 8, 8), 1, pack("PQ", $b, 8), 1, 0`,
  ),
  "keeps something in the kernel's key ring": call("add_key", '"user", "name", "secret", 6, -2'),
  "opens a socket that knows no namespace": call("socket", "40, 1, 0"),
  "opens a descriptor on a whole mount": call("open_tree", '-100, "/", 0'),
  "keeps memory in a file that no disk has": call("memfd_create", '"x", 0'),
  "keeps memory that no process maps": call("shmget", "0, 4096, 01600"),
  "keeps memory in a queue of messages": call("msgget", "0, 01600"),
  "changes its personality": call("personality", "0x40000"),
};

/** What the host gets through by nothing but its rights, so that it can be tried inside alone. */
const ALONE: Readonly<Record<string, string>> = {
  "writes into the machine's programs": ": >/usr/bin/made",
  "writes into /etc": "echo x >>/etc/passwd",
  "writes into the root": "mkdir /made",
  "writes into /dev": ": >/dev/made",
  "writes into what the host runs": "echo 'touch /tmp/x' >>/run/harness/supervisor; mkdir /run/harness/9",
  "writes into a read-only mount": ": >/fixed/made",
  "makes a read-only mount writable": "mount -o remount,rw /fixed",
  "takes a mount away": "umount /fixed",
  "writes behind a read-only prefix": "cp /dev/null /w/locked/made",
  "moves a read-only prefix away": "mv /w/locked /w/elsewhere",
  "becomes somebody else": "chown 0 /w/file || su root -c true </dev/null",
};

describe.skipIf(noToolchain !== null)(`a hostile program${note}`, () => {
  let sandbox: HarnessSandbox;
  let withNetwork: HarnessSandbox;

  beforeAll(async () => {
    for (const path of [mount, fixed, outside, join(mount, "locked")]) mkdirSync(path);
    writeFileSync(join(outside, "file"), `${SECRET}\n`);
    writeFileSync(join(mount, "file"), "");
    writeFileSync(join(outside, "p7"), "");
    chmodSync(join(outside, "p7"), 0o4755);
    await execa("tar", ["-C", outside, "-cf", join(mount, "tar"), "p7"]);
    symlinkSync(outside, join(mount, "link"));
    for (const address of [0, `\0${ABSTRACT}`]) {
      const server = createServer((socket) => socket.destroy());
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(address, () => resolve()));
    }
    const address = servers[0]?.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    const open = (network: boolean) =>
      openSandbox({
        mounts: {
          "/w": { path: mount, readOnlyPrefixes: ["/w/locked"] },
          "/fixed": { path: fixed, access: "ro" },
        },
        sandbox: localToolchainSandbox({ network }),
      });
    [sandbox, withNetwork] = await Promise.all([open(false), open(true)]);
  });

  afterAll(async () => {
    await sandbox?.dispose();
    await withNetwork?.dispose();
    for (const server of servers) server.close();
    rmSync(root, { recursive: true, force: true });
  });

  test("gets through on the host with everything, and in the jail with nothing", {
    timeout: 60_000,
  }, async () => {
    const all = { ...attacks(), ...KERNEL };
    const names = Object.keys(all);
    const whole = (where: string): string =>
      Object.values(all)
        .map((script, index) => `echo ${index} $(W=${where}; ${script})`)
        .join("\n");
    const through = (stdout: string): (string | undefined)[] =>
      stdout
        .split("\n")
        .flatMap((line) => (line.endsWith(" through") ? [names[Number.parseInt(line, 10)]] : []));
    const onHost = await execa("/bin/bash", ["-c", whole(mount)], { reject: false });
    for (const name of ["p1", "p2", "p3", "p4", "p5", "p6"]) rmSync(join(mount, name), { force: true });
    const inside = await sandbox.exec(whole("/w"), { timeoutMs: 30_000 });
    expect(through(onHost.stdout)).toEqual(expect.arrayContaining(Object.keys(attacks())));
    expect(through(onHost.stdout)).toContain("makes a user namespace");
    expect([through(inside.stdout), inside.stdout.trim().split("\n").length]).toEqual([[], names.length]);
  });

  test("unpacks a program that ran as its owner without that", async () => {
    const script = "mkdir -p /tmp/u; cd /tmp/u; tar -xf /w/tar; stat -c '%A %s' p7";
    expect(await sandbox.exec(script, { timeoutMs: 20_000 })).toMatchObject({ stdout: "-rwxr-xr-x 0\n" });
  });

  test("changes nothing that is not its own", async () => {
    const all = { ...ALONE, control: ": >/w/made" };
    const script = Object.values(all)
      .map((attack, index) => `(${attack}) 2>/dev/null && echo ${index}`)
      .join("\n");
    const { stdout } = await sandbox.exec(script, { timeoutMs: 20_000 });
    expect(
      stdout
        .trim()
        .split("\n")
        .map((index) => Object.keys(all)[Number(index)]),
    ).toEqual(["control"]);
    expect(readFileSync(join(mount, "file"), "utf8")).toBe("");
  });

  test("has with the option network the ports of the host, and not its local sockets", async () => {
    const all = attacks();
    const run = async (name: string): Promise<string> =>
      (await withNetwork.exec(`W=/w; ${all[name]}`, { timeoutMs: 20_000 })).stdout;
    expect(await run("connects to a port of the host")).toBe("through\n");
    expect(await run("connects to a local socket of the host")).toBe("");
    expect(await run("sees a process of the host")).toBe("");
  });

  test("is what the report says it is", async () => {
    const { rung, walls, engine, layers } = await sandbox.isolation();
    expect([rung, engine]).toEqual(["namespace", expect.stringMatching(/^bash \d/)]);
    expect(walls.filter(({ state }) => state === "open")).toEqual([]);
    expect(walls.filter(({ state }) => state === "not-claimed").map(({ name }) => name)).toEqual([
      "names of the mounts' directories on the host",
    ]);
    expect(layers?.filter(({ on }) => on).map(({ name }) => name)).toEqual([
      "process",
      "namespace",
      "seccomp",
    ]);
    const open = (await withNetwork.isolation()).walls.filter(({ state }) => state === "not-claimed");
    expect(open.map(({ name }) => name)).toContain("network");
  });
});

describe.skipIf(noToolchain !== null)(`a guest of another sandbox${note}`, () => {
  /** A jail whose bubblewrap is preceded by what a racing guest does between our look and the kernel's. */
  function raced(swap: string): { parts: JailParts; directory: string } {
    const above = tempDir();
    // A relative link leads to the one on the host, and in the jail to what bubblewrap can bind it over.
    const [directory, secret, nested] = [join(above, "w"), join(above, "tmp"), join(above, "nested")];
    for (const path of [directory, secret, nested]) mkdirSync(path);
    for (const name of ["locked", "place", "other"]) mkdirSync(join(directory, name));
    for (const name of ["locked", "place", "other"]) writeFileSync(join(directory, name, "file"), "own");
    mkdirSync(join(directory, "with blank"));
    writeFileSync(join(secret, "file"), SECRET);
    const bwrap = join(tempDir(), "bwrap");
    const found = findParts(false);
    writeFileSync(bwrap, `#!/bin/sh\ncd '${directory}' && { ${swap}; }\nexec ${found.bwrap} "$@"\n`, {
      mode: 0o700,
    });
    const folder = makePrivateFolder();
    onTestFinished(() => folder.remove());
    const mount = { access: "rw", tracked: false } as const;
    const mounts = [
      { ...mount, path: "/w", backingPath: directory },
      { ...mount, path: "/w/place", backingPath: nested },
      { ...mount, path: "/tmp", backingPath: tempDir() },
    ];
    const shown = shownPaths([], false);
    return {
      parts: { ...found, bwrap, shell: "/bin/bash", shown, folder, mounts, cwd: "/", network: false },
      directory,
    };
  }
  const enter = async (parts: JailParts, prefixes: readonly string[]): Promise<string> => {
    const life = new JailLife(parts, 512);
    try {
      await life.enter(prefixes);
      return "entered";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await life.end(1_000);
    }
  };
  const PREFIXES = ["/w/locked", "/w/with blank"];

  test("who puts a link in place of a read-only prefix while a jail is made gets no jail", async () => {
    const swap = "mv locked away; ln -s ../tmp locked";
    for (const isAttack of [true, false]) {
      const { parts, directory } = raced(isAttack ? swap : "true");
      // What bubblewrap alone makes of it.
      const { command, args, inputs } = jailLaunch(parts, PREFIXES, ["/bin/cat", "/w/locked/file"]);
      expect((await runOnce(command, args, inputs)).stdout).toBe(isAttack ? SECRET : "own");
      if (isAttack) await runOnce("/bin/sh", ["-c", `cd '${directory}'; rm locked; mv away locked`]);
      expect(await enter(parts, PREFIXES)).toContain(isAttack ? "cannot be shown" : "entered");
    }
  });

  test("nor who moves the place of a nested mount, or swaps one directory for another", async () => {
    for (const [swap, place] of [
      ["mv place away; ln -s /newroot/usr/local place", "/w/place"],
      ["mv place away; ln -s other place", "/w/place"],
      ["mv locked away; ln -s other locked", "/w/locked"],
    ] as const)
      expect([swap, await enter(raced(swap).parts, PREFIXES)]).toEqual([
        swap,
        expect.stringContaining(`"${place}" cannot be shown`),
      ]);
  });

  test("chooses by no link in a writable mount what another mount shows", async () => {
    const [directory, secret] = [tempDir(), tempDir()];
    symlinkSync(secret, join(directory, "link"));
    const mounts = { "/w": directory, "/x": join(directory, "link") };
    await expect(openSandbox({ mounts, sandbox: localToolchainSandbox() })).rejects.toMatchObject({
      code: "WORKSPACE_INVALID",
    });
  });
});
