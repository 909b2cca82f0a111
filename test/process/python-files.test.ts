/** Python's view of the sandbox's files: the same names as in every other command. */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountForPython } from "../../build/plugins/python-mounts.ts";
import { openForTest } from "../helpers/open.ts";
import { onRung, rungs } from "../helpers/rungs.ts";

const NAMES = `
import glob, os, pathlib, shutil, tempfile
def show(call):
    try: print(repr(call()))
    except OSError as error: print(error.strerror, error.filename, error)
os.chdir("/w")
for call in [
    lambda: open("/w/nope"), lambda: open("/nope"), lambda: os.listdir("/w/nope"), lambda: os.stat("/w/nope"),
    lambda: pathlib.Path("/w/nope").read_text(), lambda: shutil.copy("/w/nope", "/w/x"), lambda: os.unlink("/w/nope"),
    lambda: open("/w/a").name, lambda: open("a").name, lambda: [entry.path for entry in os.scandir("/w")],
    lambda: glob.glob("/w/*"), lambda: glob.glob("/*"), lambda: list(pathlib.Path("/w").iterdir()), lambda: list(os.walk("/w")),
    lambda: os.getcwd(), lambda: os.getcwdb(), lambda: os.path.realpath("a"), lambda: pathlib.Path("a").resolve(),
    lambda: os.access("/w/a", os.R_OK), lambda: os.lstat("/w/a").st_size,
]: show(call)
os.chdir("/")
show(lambda: os.getcwd()); show(lambda: os.getcwdb()); show(lambda: os.listdir("/"))
`;

test.each(rungs)("on the rung %s names are those of the sandbox, in results and in errors", async (rung) => {
  const { sandbox, directory } = await openForTest(onRung(rung));
  writeFileSync(join(directory, "a"), "hello");
  const { stdout, stderr } = await sandbox.exec("python3 -", { stdin: NAMES });
  expect(stdout).toContain(
    "No such file or directory /w/nope [Errno 44] No such file or directory: '/w/nope'",
  );
  expect(stdout).toContain("No such file or directory /nope");
  expect(stdout).toContain("['/w/a']");
  expect(stdout).toContain("PosixPath('/w/a')");
  expect(stdout).toContain("[('/w', [], ['a'])]");
  expect(stdout).toContain("b'/w'\n'/w/a'\nPosixPath('/w/a')\nTrue\n5\n'/'\nb'/'\n");
  expect(stdout + stderr).not.toMatch(/\/host\b|_jb_/);
});

test("renaming, temporary files and low-level calls reach the sandbox's files", async () => {
  const { sandbox, directory } = await openForTest();
  const script = `
import os, tempfile
open("/w/a", "w").write("1"); os.rename("/w/a", "/w/b"); os.symlink("b", "/w/link")
number, path = tempfile.mkstemp(); os.write(number, b"kept"); os.close(number)
descriptor = os.open("/w/low", os.O_RDWR | os.O_CREAT); os.write(descriptor, b"low"); os.close(descriptor)
print(path)`;
  const { stdout } = await sandbox.exec("python3 -", { stdin: script });
  expect(readdirSync(directory).sort()).toEqual(["b", "link", "low"]);
  expect(readFileSync(join(directory, "low"), "utf8")).toBe("low");
  expect(lstatSync(join(directory, "link")).isSymbolicLink()).toBe(true);
  expect((await sandbox.exec(`cat ${stdout.trim()}`)).stdout).toBe("kept");
});

test("nothing can be made beside the sandbox's top directories", async () => {
  const { sandbox } = await openForTest();
  const { stderr, exitCode } = await sandbox.exec(`python3 -c 'open("/new", "w").write("lost")'`);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Permission denied: '/new'");
});

test("removing a tree removes the links in it, not what they lead to", async () => {
  const { sandbox, directory } = await openForTest();
  const { stderr } = await sandbox.exec(
    `mkdir /w/keep /w/tree; echo x > /w/keep/file; ln -s ../keep /w/tree/link
    python3 -c 'import os, shutil; print(os.path.islink("/w/tree/link")); shutil.rmtree("/w/tree")'`,
  );
  expect(stderr).toBe("");
  expect(readdirSync(directory)).toEqual(["keep"]);
  expect(readdirSync(join(directory, "keep"))).toEqual(["file"]);
});

test("an engine that mounts in another way stops the build", () => {
  expect(() => mountForPython("something else")).toThrow("does not say as it used to");
});
