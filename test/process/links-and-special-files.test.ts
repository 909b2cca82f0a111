/** Links, however they came, lead nowhere outside; FIFOs, sockets and devices in a mount hang nothing. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { digestTree } from "../helpers/digest-tree.ts";
import { openForTest } from "../helpers/open.ts";
import { onRung, rungs } from "../helpers/rungs.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function outsideWithSecret(): string {
  const outside = tempDir();
  writeFileSync(join(outside, "secret"), "canary\n");
  mkdirSync(join(outside, "d"));
  writeFileSync(join(outside, "d/f"), "canary\n");
  return outside;
}

/** Every way to a file outside that a link could give; `OUT` is a directory of the host. */
const ARRIVALS: Readonly<Record<string, string>> = {
  "made by the guest": "ln -s OUT l",
  "made by the guest, relative": "ln -s ../../../../../../../..OUT l",
  "through a chain": "ln -s OUT l1; ln -s l1 l2; ln -s l2 l",
  "by mv": "ln -s OUT l1; mv l1 l",
  "by renaming its parent": "mkdir p; ln -s OUT p/l1; mv p q; mv q/l1 l",
  "out of an archive": "mkdir s; ln -s OUT s/l; tar cf t.tar -C s l; tar xf t.tar",
  "by cp -r": "mkdir s; ln -s OUT s/l; cp -r s t; mv t/l l",
  "made by Python": 'python3 -c \'import os; os.symlink("OUT", "l")\'',
  "made by js-exec": 'js-exec -c \'require("fs").symlinkSync("OUT", "l")\'',
};

const USES =
  "cat l/secret; echo x > l/secret; echo x >> l/d/f; cp l/secret stolen; rm -rf l/d; mv l/secret stolen; touch l/new; mkdir l/newd; chmod 777 l/secret; sed -i s/c/x/ l/secret; tar cf s.tar l/secret; find l/ -name secret; grep -r canary l/; ls l/; tee l/secret < /dev/null; true";

const INTERPRETERS = `cd /w/0
python3 -c 'print(open("l/secret").read())'
js-exec -c 'console.log(require("fs").readFileSync("l/secret", "utf8"))'; true`;

test.each(rungs)(
  "on the rung %s a link leads nowhere outside, however it came",
  async (rung) => {
    const outside = outsideWithSecret();
    const before = digestTree(outside);
    const { sandbox, directory } = await openForTest(onRung(rung));
    for (const [index, make] of Object.values(ARRIVALS).entries()) {
      const { stdout } = await sandbox.exec(
        `mkdir /w/${index}; cd /w/${index}; ${make.replaceAll("OUT", outside)}\n${USES}`,
      );
      expect(stdout).not.toContain("canary");
      expect(existsSync(join(directory, String(index), "stolen"))).toBe(false);
    }
    const { stdout } = await sandbox.exec(INTERPRETERS);
    expect(stdout).toBe("");
    expect(digestTree(outside)).toBe(before);
  },
  60_000,
);

test.skipIf(process.platform !== "linux")(
  "a link that a process of the host swaps in while commands run shows and changes no file outside",
  async () => {
    const outside = tempDir();
    writeFileSync(join(outside, "f"), "canary\n");
    const { sandbox, directory } = await openForTest();
    mkdirSync(join(directory, "d"));
    writeFileSync(join(directory, "d/f"), "inside\n");
    const swapper = spawn(process.execPath, ["test/fixtures/swap-links.mjs", join(directory, "d"), outside], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void swapper.kill("SIGKILL"));
    await once(swapper.stdout, "data");
    const script =
      "for ((i = 0; i < 400; i++)); do echo inside > d/f; cat d/f; echo inside >> d/f; cp d/f copy; done 2>/dev/null; true";
    const { stdout } = await sandbox.exec(script);
    expect(stdout).not.toContain("canary");
    expect(readFileSync(join(outside, "f"), "utf8")).toBe("canary\n");
    expect(readdirSync(outside)).toEqual(["f"]);
  },
);

test("members of an archive with absolute names, `..` or a way through a link stay inside", async () => {
  const outside = outsideWithSecret();
  const before = digestTree(outside);
  const { sandbox, directory } = await openForTest();
  const archive = tempDir();
  mkdirSync(join(archive, "d"));
  writeFileSync(join(archive, "evil"), "evil\n");
  const tar = (...args: string[]) => execFileSync("tar", args, { cwd: archive, stdio: "ignore" });
  tar("cPf", join(directory, "absolute.tar"), "--transform", `s|^evil|${outside}/secret|`, "evil");
  tar("cPf", join(directory, "dots.tar"), "--transform", "s|^evil|../../../../tmp/evil|", "evil");
  symlinkSync(outside, join(archive, "way"));
  tar("cf", join(directory, "link.tar"), "way");
  tar("rPf", join(directory, "link.tar"), "--transform", "s|^evil|way/secret|", "evil");
  for (const name of ["absolute", "dots", "link"])
    await sandbox.exec(`tar xf ${name}.tar; tar xPf ${name}.tar`);
  expect(digestTree(outside)).toBe(before);
  expect(existsSync("/tmp/evil")).toBe(false);
});

test("a hard link that the host made keeps the file outside as it is", async () => {
  const outside = outsideWithSecret();
  const before = digestTree(outside);
  const { sandbox, directory } = await openForTest();
  for (let count = 0; count < 6; count++) linkSync(join(outside, "secret"), join(directory, `h${count}`));
  await sandbox.exec(
    'echo x > h0; echo x >> h1; chmod 777 h2; touch -d 2001-01-01 h2; sed -i s/c/x/ h3; python3 -c \'open("h4", "r+").write("x"); import os; os.truncate("h4", 1)\'; js-exec -c \'require("fs").appendFileSync("h5", "x")\'',
  );
  expect(digestTree(outside)).toBe(before);
  expect(readFileSync(join(directory, "h4"), "utf8")).toBe("x");
});

test.skipIf(process.platform === "win32")(
  "no command hangs on a FIFO or a socket",
  async () => {
    const { sandbox, directory } = await openForTest();
    mkdirSync(join(directory, "d"));
    writeFileSync(join(directory, "d/file"), "text\n");
    execFileSync("mkfifo", [join(directory, "d/pipe")]);
    const server = createServer().listen(join(directory, "d/sock"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    for (const name of ["d/pipe", "d/sock"]) {
      const commands = [
        ...[
          "cat",
          "head -c 1",
          "wc",
          "grep x",
          "md5sum",
          "sort",
          "bash",
          ".",
          "gzip -k",
          "jq .",
          "awk 1",
        ].map((command) => `${command} ${name}`),
        ...[
          `echo x > ${name}`,
          `echo x >> ${name}`,
          `cat < ${name}`,
          `cat <> ${name}`,
          `sed -i s/a/b/ ${name}`,
        ],
        ...[
          `tee ${name} < d/file`,
          `cp ${name} x`,
          "cp -r d x",
          `ln ${name} x`,
          `sqlite3 ${name} 'select 1'`,
        ],
        `python3 -c 'open("${name}").read()'`,
        `python3 -c 'open("${name}", "w")'`,
        `js-exec -c 'require("fs").readFileSync("${name}")'`,
        `js-exec -c 'require("fs").writeFileSync("${name}", "x")'`,
      ];
      for (const command of commands) {
        const { ending, exitCode } = await sandbox.exec(command, { timeoutMs: 20_000 });
        expect([command, ending.kind, exitCode === 0]).toEqual([command, "exited", false]);
      }
      const { stderr } = await sandbox.exec(`cat ${name}`);
      expect(stderr).toBe(`cat: ${name}: Operation not supported\n`);
      for (const call of [
        sandbox.fs.readFile(name),
        sandbox.fs.writeFile(name, "x"),
        sandbox.fs.appendFile(name, "x"),
      ]) {
        await expect(call).rejects.toMatchObject({ data: { errno: "EOPNOTSUPP" } });
      }
    }
    const { stdout, exitCode } = await sandbox.exec("grep -rh text d; find d -type f; tar cf t.tar d; ls d");
    expect([stdout, exitCode]).toEqual(["text\nd/file\nfile\npipe\nsock\n", 0]);
  },
  120_000,
);

test("a link into a mount inside a mount has the rights of that one, and leads no further", async () => {
  const [outer, inner] = [tempDir(), tempDir()];
  const outside = outsideWithSecret();
  writeFileSync(join(inner, "f"), "inner\n");
  symlinkSync(outside, join(inner, "out"));
  const [before, outsideBefore] = [digestTree(inner), digestTree(outside)];
  const { sandbox } = await openForTest({
    mounts: { "/w": outer, "/w/in": { path: inner, access: "ro" } },
  });
  const result = await sandbox.exec(
    "ln -s in l; ln -s /w/in/f lf; cat l/f lf; echo x > l/f; echo x >> lf; echo x > l/new; rm l/f; cat l/out/secret; echo on",
  );
  expect(result.stdout).toBe("inner\ninner\non\n");
  expect(result.stderr.match(/Read-only file system/g)).toHaveLength(4);
  expect(result.stderr).not.toContain("canary");
  expect(digestTree(inner)).toEqual(before);
  expect(digestTree(outside)).toEqual(outsideBefore);
});

test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")(
  "a device in a mount hangs nothing (made as root only)",
  async () => {
    const { sandbox, directory } = await openForTest();
    for (const [name, minor] of [
      ["zero", "5"],
      ["null", "3"],
    ] as const)
      execFileSync("mknod", [join(directory, name), "c", "1", minor]);
    const script = [
      "cat zero",
      "head -c 10 zero",
      "wc -c zero",
      "cp zero copy",
      "grep x zero",
      "echo x > zero",
      "python3 -c 'open(\"zero\").read(1)'",
      'js-exec -c \'require("fs").readFileSync("zero")\'',
      "sqlite3 zero 'select 1'",
    ];
    for (const line of script) {
      const { ending, exitCode } = await sandbox.exec(line, { timeoutMs: 20_000 });
      expect(ending, line).toEqual({ kind: "exited" });
      expect(exitCode, line).not.toBe(0);
    }
    await expect(sandbox.fs.readFile("/w/zero")).rejects.toMatchObject({ code: "FS_ERROR" });
  },
  60_000,
);
