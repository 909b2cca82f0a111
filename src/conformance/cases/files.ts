/** `sandbox.fs`: the same files as those of scripts, with the rights of the mounts. */
import { symlink } from "node:fs/promises";
import type { SandboxCase } from "../stage.ts";

const ODD_NAMES = ["a b", "-n", "it's", "line\nfeed", "é€😀", "*", "\\", "tab\t"];

export const fileCases: readonly SandboxCase[] = [
  {
    name: "fs writes, appends and reads text and bytes",
    needs: [],
    async run({ open, check, inside, read }) {
      const { fs } = (await open()).sandbox;
      const file = inside("session", "a.txt");
      await fs.writeFile(file, "één\n");
      await fs.appendFile(file, Uint8Array.of(0x62, 0x0a));
      check.equal("readFile", await fs.readFile(file), "één\nb\n");
      check.equal("the file on the host", await read("session", "a.txt"), "één\nb\n");
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      await fs.writeFile(file, bytes);
      check.equal("readFileBuffer", [...(await fs.readFileBuffer(file))], [...bytes]);
    },
  },
  {
    name: "relative paths of fs start at the workspace's cwd",
    needs: [],
    async run({ open, check, read }) {
      const { fs } = (await open()).sandbox;
      await fs.mkdir("x/y", { recursive: true });
      await fs.writeFile("x/y/f", "1");
      check.equal("the file on the host", await read("session", "x/y/f"), "1");
      check.equal("readdir", await fs.readdir("x"), ["y"]);
    },
  },
  {
    name: "fs tells what a path is",
    needs: [],
    async run({ open, check, inside }) {
      const { fs } = (await open()).sandbox;
      await fs.mkdir("d");
      await fs.writeFile("f", "12345");
      await fs.symlink("f", "l");
      await fs.chmod("f", 0o640);
      check.matches("stat of a link to a file", await fs.stat("l"), {
        isFile: true,
        isSymbolicLink: false,
        size: 5,
      });
      check.matches("lstat of a link", await fs.lstat("l"), { isFile: false, isSymbolicLink: true });
      check.matches("stat of a directory", await fs.stat("d"), { isFile: false, isDirectory: true });
      check.equal("the mode after chmod", (await fs.stat("f")).mode & 0o777, 0o640);
      check.that((await fs.stat("f")).mtime instanceof Date, "mtime", (await fs.stat("f")).mtime, "a Date");
      check.equal("readlink", await fs.readlink("l"), "f");
      check.equal("realpath", await fs.realpath("l"), inside("session", "f"));
      check.equal("exists", [await fs.exists("f"), await fs.exists("none")], [true, false]);
      const kinds = (await fs.readdirWithFileTypes(".")).map(
        ({ name, isFile, isDirectory, isSymbolicLink }) => ({
          name,
          is: isFile ? "file" : isDirectory ? "directory" : isSymbolicLink ? "link" : "else",
        }),
      );
      kinds.sort((a, b) => (a.name < b.name ? -1 : 1));
      check.equal("readdirWithFileTypes", kinds, [
        { name: "d", is: "directory" },
        { name: "f", is: "file" },
        { name: "l", is: "link" },
      ]);
    },
  },
  {
    name: "fs moves, copies, removes and finds",
    needs: [],
    async run({ open, check, tree, inside }) {
      const { fs } = (await open()).sandbox;
      await fs.mkdir("a/b", { recursive: true });
      await fs.writeFile("a/b/one.txt", "1");
      await fs.writeFile("a/two.md", "2");
      await fs.cp("a", "copy", { recursive: true });
      await fs.mv("a/two.md", "moved.md");
      const found = await fs.glob("**/*.txt");
      check.equal(
        "glob",
        found.map((path) => path.replace(`${inside("session")}/`, "")),
        ["a/b/one.txt", "copy/b/one.txt"],
      );
      await fs.rm("a", { recursive: true });
      await fs.rm("none", { force: true });
      const expected = {
        copy: "/",
        "copy/b": "/",
        "copy/b/one.txt": "1",
        "copy/two.md": "2",
        "moved.md": "2",
      };
      check.equal("the tree on the host", await tree("session"), expected);
    },
  },
  {
    name: "what fs cannot do is a SandboxError with the POSIX name",
    needs: [],
    async run({ open, check }) {
      const { fs } = (await open()).sandbox;
      await fs.mkdir("d");
      await fs.writeFile("d/f", "");
      const calls: [string, string, () => Promise<unknown>][] = [
        ["readFile of nothing", "ENOENT", () => fs.readFile("none")],
        ["readFile of a directory", "EISDIR", () => fs.readFile("d")],
        ["readdir of a file", "ENOTDIR", () => fs.readdir("d/f")],
        ["mkdir of what is there", "EEXIST", () => fs.mkdir("d")],
        ["writeFile into no directory", "ENOENT", () => fs.writeFile("none/f", "")],
      ];
      for (const [what, errno, call] of calls) {
        const error = (await check.rejects(what, call, `a rejection with ${errno}`)) as Partial<{
          code: string;
          data: { errno?: string };
        }>;
        check.equal(
          `the error of ${what}`,
          { code: error.code, errno: error.data?.errno },
          { code: "FS_ERROR", errno },
        );
      }
    },
  },
  {
    name: "names of any UTF-8 survive in fs",
    needs: [],
    async run({ open, check, tree }) {
      const { fs } = (await open()).sandbox;
      for (const name of ODD_NAMES) await fs.writeFile(name, name);
      check.equal("readdir", (await fs.readdir(".")).sort(), [...ODD_NAMES].sort());
      const found = Object.entries(await tree("session"));
      check.equal(
        "files whose content is not their name",
        found.filter(([name, text]) => name !== text),
        [],
      );
    },
  },
  {
    name: "scripts and fs see the same files, whatever their names",
    needs: ["scripts"],
    async run({ open, check }) {
      const { sandbox, exec } = await open();
      await exec('for name in "$@"; do printf %s "$name" > "./$name"; done', { args: ODD_NAMES });
      for (const name of ODD_NAMES)
        check.equal(`readFile of ${JSON.stringify(name)}`, await sandbox.fs.readFile(`./${name}`), name);
      await sandbox.fs.writeFile("from-fs", "by fs\n");
      check.equal("cat", (await exec("cat from-fs")).stdout, "by fs\n");
    },
  },
  {
    name: "fs follows no link out of a mount",
    needs: [],
    async run({ open, check, host, inside, write }) {
      await write("session", "links/here", "");
      // Beside the three places: on the host, and in no mount.
      await write("session", "../outside.txt", "not for you");
      await symlink(host("session", ".."), host("session", "links", "up"));
      await symlink(host("session", "../outside.txt"), host("session", "links", "file"));
      const { fs } = (await open()).sandbox;
      for (const name of ["up/outside.txt", "file"]) {
        const path = inside("session", "links", name);
        await check.rejects(`readFile of links/${name}`, () => fs.readFile(path), "a rejection");
      }
    },
  },
];
