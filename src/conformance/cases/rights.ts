/** What is read-only stays as it is, through every door. */
import { symlink } from "node:fs/promises";
import type { SandboxFileSystem } from "../../shared/file-system.ts";
import type { Opened, SandboxCase, Stage } from "../stage.ts";

/** Ways to change something in the directory `$d`, which holds a file `guide.txt`. */
const DOORS = [
  "echo x > $d/guide.txt",
  "echo x >> $d/guide.txt",
  "echo x > $d/new",
  "echo x | tee $d/new",
  "sed -i s/read/write/ $d/guide.txt",
  "cp $d/guide.txt $d/copy",
  "mv $d/guide.txt $d/moved",
  "mv $d/guide.txt .",
  "rm -f $d/guide.txt",
  "mkdir $d/sub",
  "ln -s guide.txt $d/link",
  "touch $d/new",
  "chmod 700 $d/guide.txt",
];

async function expectScriptsCannotWrite(
  { check, tree, read }: Stage,
  { exec }: Opened,
  directory: string,
): Promise<void> {
  const before = [await tree("session"), await tree("docs")];
  for (const door of DOORS) {
    const result = await exec(`d=$1; ${door}; echo "went on $?"`, { args: [directory] });
    const { stdout } = result;
    const status = /went on (\d+)\n$/.exec(stdout)?.[1];
    check.that(
      status !== undefined && status !== "0",
      `"${door}"`,
      { stdout, stderr: result.stderr },
      "a status that is not 0, and a script that goes on",
    );
  }
  check.equal("the trees on the host", [await tree("session"), await tree("docs")], before);
  const said = (await exec(`echo x > ${directory}/new`)).stderr;
  check.that(said.includes("Read-only file system"), "stderr of a redirect", said, '"Read-only file system"');
  check.equal("a file that the scripts could have made", await read("session", "guide.txt"), null);
}

async function expectFsCannotWrite(
  { check, tree }: Stage,
  fs: SandboxFileSystem,
  directory: string,
): Promise<void> {
  const before = [await tree("session"), await tree("docs")];
  const guide = `${directory}/guide.txt`;
  const calls: Record<string, () => Promise<unknown>> = {
    writeFile: () => fs.writeFile(`${directory}/new`, "x"),
    "writeFile over a file": () => fs.writeFile(guide, "x"),
    appendFile: () => fs.appendFile(guide, "x"),
    mkdir: () => fs.mkdir(`${directory}/sub`),
    rm: () => fs.rm(guide),
    mv: () => fs.mv(guide, "moved"),
    cp: () => fs.cp(guide, `${directory}/copy`),
    chmod: () => fs.chmod(guide, 0o700),
    symlink: () => fs.symlink("guide.txt", `${directory}/link`),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await check.rejects(`fs.${name}`, call, "a rejection with EROFS");
    check.equal(`the error of fs.${name}`, (error as { data?: { errno?: string } }).data?.errno, "EROFS");
  }
  check.equal("the trees on the host", [await tree("session"), await tree("docs")], before);
  check.equal("fs.readFile of what is read-only", await fs.readFile(guide), "read me\n");
}

/** A sandbox with a directory `kept` of `/session` that is read-only. */
async function openWithKept(stage: Stage): Promise<{ opened: Opened; kept: string }> {
  await stage.write("session", "kept/guide.txt", "read me\n");
  const kept = stage.inside("session", "kept");
  const mounts = [stage.mount("session", { readOnlyPrefixes: [kept] }), stage.mount("docs")];
  return { opened: await stage.open({ workspace: stage.workspace({ mounts }) }), kept };
}

export const rightsCases: readonly SandboxCase[] = [
  {
    name: "fs changes nothing on a read-only mount",
    needs: [],
    async run(stage) {
      const { sandbox } = await stage.open();
      await expectFsCannotWrite(stage, sandbox.fs, stage.inside("docs"));
    },
  },
  {
    name: "fs changes nothing below a read-only prefix of a mount",
    needs: [],
    async run(stage) {
      const { opened, kept } = await openWithKept(stage);
      const { fs } = opened.sandbox;
      await expectFsCannotWrite(stage, fs, kept);
      await fs.writeFile("kept-not", "beside the prefix, not below it");
    },
  },
  {
    name: "scripts change nothing on a read-only mount, are told so, and go on",
    needs: ["scripts", "confinement"],
    async run(stage) {
      await expectScriptsCannotWrite(stage, await stage.open(), stage.inside("docs"));
    },
  },
  {
    name: "scripts change nothing below a read-only prefix of a mount, are told so, and go on",
    needs: ["scripts", "confinement"],
    async run(stage) {
      const { opened, kept } = await openWithKept(stage);
      await expectScriptsCannotWrite(stage, opened, kept);
      const beside = await opened.exec("echo free > kept-not; cat kept-not");
      stage.check.equal("a file beside the prefix", beside.stdout, "free\n");
    },
  },
  {
    name: "a read-only mount that lies in a writable one is read-only, and the other way round",
    needs: ["scripts", "confinement", "mountPaths"],
    async run({ open, check, mount, workspace, read }) {
      const mounts = [
        mount("session"),
        mount("docs", { path: "/session/docs" }),
        mount("plain", { path: "/session/docs/out" }),
      ];
      const { exec, sandbox } = await open({ workspace: workspace({ mounts }) });
      const result = await exec("echo x > docs/new; echo $?; echo y > docs/out/new; echo $?");
      check.equal("the two statuses", result.stdout, "1\n0\n");
      check.equal(
        "the files on the host",
        [await read("docs", "new"), await read("plain", "new")],
        [null, "y\n"],
      );
      check.equal("fs.readFile", await sandbox.fs.readFile("/session/docs/out/new"), "y\n");
    },
  },
  {
    name: "getReadOnlyPrefixes is asked before each command and each call of fs",
    needs: ["scripts", "confinement", "liveReadOnlyPrefixes"],
    async run({ open, check, inside, read }) {
      let prefixes: string[] = [];
      const { exec, sandbox } = await open({ getReadOnlyPrefixes: () => prefixes });
      check.matches("before", await exec("mkdir kept; echo 1 > kept/a"), { exitCode: 0 });
      prefixes = [inside("session", "kept")];
      check.that(
        (await exec("echo 2 > kept/a")).exitCode !== 0,
        "a script, when it is read-only",
        0,
        "a status that is not 0",
      );
      await check.rejects(
        "fs, when it is read-only",
        () => sandbox.fs.writeFile("kept/a", "3"),
        "a rejection with EROFS",
      );
      check.equal("the file on the host", await read("session", "kept/a"), "1\n");
      prefixes = [];
      check.matches("after", await exec("echo 4 > kept/a"), { exitCode: 0 });
      check.equal("the file on the host, after", await read("session", "kept/a"), "4\n");
    },
  },
  {
    name: "scripts follow no link out of a mount, whoever made it",
    needs: ["scripts", "confinement", "mountPaths"],
    async run({ open, check, host, read, write }) {
      // Beside the three places: on the host, and in no mount.
      await write("session", "../outside.txt", "not for you\n");
      await symlink(host("plain", ".."), host("session", "up"));
      const { exec } = await open();
      const script = 'cat up/outside.txt; ln -s "$1" mine; cat mine; echo x > up/session/out; echo end';
      const result = await exec(script, { args: [host("session", "../outside.txt")] });
      check.equal("stdout", result.stdout, "end\n");
      check.equal("the file on the host", await read("session", "out"), null);
    },
  },
];
