/** Any bytes, any size and any name come through every way that a script has to read and write. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";

const ALL_BYTES = Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 7) & 0xff));

const WAYS: Readonly<Record<string, string>> = {
  cat: "cat all > out",
  "a redirect from it": "cat < all > out",
  pipes: "cat all | cat | cat > out",
  cp: "cp all out",
  mv: "cp all o; mv o out",
  tee: "tee out < all > /dev/null",
  "head -c": "head -c 512 all > out",
  "tail -c": "tail -c 512 all > out",
  base64: "base64 all | base64 -d > out",
  gzip: "gzip -c all | gunzip -c > out",
  tar: "mkdir x; tar cf t.tar all; tar xf t.tar -C x; cp x/all out",
  split: "split -b 100 all p-; cat p-* > out",
  "sed -n p": "sed -n p all > out",
  "sed -i": "cp all out; sed -i s/nowhere/x/ out",
  python3: 'python3 -c \'open("out", "wb").write(open("all", "rb").read())\'',
  "js-exec": 'js-exec -c \'const fs = require("fs"); fs.writeFileSync("out", fs.readFileSync("all"))\'',
  "typed arrays of js-exec":
    'js-exec -c \'const fs = require("fs"); fs.writeFileSync("out", new Uint16Array(new Uint8Array(fs.readFileSync("all")).buffer))\'',
  "latin1 text of js-exec":
    'js-exec -c \'const fs = require("fs"); fs.writeFileSync("out", fs.readFileSync("all", "latin1"), "latin1")\'',
};

test.each(["subprocess", "just-bash"] as const)(
  "in a %s sandbox all bytes come through every way",
  async (kind) => {
    const { sandbox, directory } = await openForTest({ sandbox: kind });
    writeFileSync(join(directory, "all"), ALL_BYTES);
    for (const [name, script] of Object.entries(WAYS)) {
      const { stderr } = await sandbox.exec(`rm -f out; ${script}`);
      expect([name, stderr, readFileSync(join(directory, "out")).equals(ALL_BYTES)]).toEqual([
        name,
        "",
        true,
      ]);
    }
    await sandbox.fs.writeFile("/w/out", await sandbox.fs.readFileBuffer("/w/all"));
    expect(readFileSync(join(directory, "out")).equals(ALL_BYTES)).toBe(true);
    expect((await sandbox.exec("cat all")).stdoutBytes).toEqual(new Uint8Array(ALL_BYTES));
  },
  60_000,
);

test("a change by sed -i leaves the bytes that are no UTF-8 as they are", async () => {
  const { sandbox, directory } = await openForTest();
  writeFileSync(join(directory, "l"), Buffer.from("636166e920620a6e61ef766520610a", "hex"));
  await sandbox.exec("sed -i 's/b$/B/' l");
  expect(readFileSync(join(directory, "l")).toString("hex")).toBe("636166e920420a6e61ef766520610a");
});

test("a part of a sparse file of 1 GB is read without the rest", async () => {
  const { sandbox, directory } = await openForTest({ limits: { maxMemoryMb: 512 } });
  writeFileSync(join(directory, "big"), "start\n");
  truncateSync(join(directory, "big"), 2 ** 30);
  const { stdout, ending } = await sandbox.exec(
    `head -c 6 big; wc -c big; stat -c %s big; ls -l big | cut -d' ' -f5; tail -c 2 big | od -An -tx1
    python3 -c 'f = open("big", "rb"); f.seek(1 << 29); print(f.read(2))'`,
  );
  expect(ending).toEqual({ kind: "exited" });
  expect(stdout).toBe("start\n1073741824 big\n1073741824\n1073741824\n 000 000\nb'\\x00\\x00'\n");
});

test("a large text has its first and last lines", async () => {
  const { sandbox, directory } = await openForTest();
  const lines = Array.from({ length: 500_000 }, (_, index) => `line ${index}`);
  writeFileSync(join(directory, "lines"), `${lines.join("\n")}\n`);
  const { stdout } = await sandbox.exec(
    "head -n 2 lines; tail -n 2 lines; head lines | wc -l; tail -n1 lines; wc -l < lines",
  );
  expect(stdout).toBe("line 0\nline 1\nline 499998\nline 499999\n10\nline 499999\n500000\n");
});

test("python3 and js-exec read and write files above what crosses at once", async () => {
  const { sandbox, directory } = await openForTest();
  const bytes = Buffer.alloc(11 << 20, "0123456789abcdef");
  writeFileSync(join(directory, "b"), bytes);
  await sandbox.exec(
    `python3 -c 'open("p", "wb").write(open("b", "rb").read())'
    js-exec -c 'const fs = require("fs"); fs.writeFileSync("j", fs.readFileSync("b"))'
    python3 -c 'open("b", "a").write("x")'`,
  );
  expect(readFileSync(join(directory, "p")).equals(bytes)).toBe(true);
  expect(readFileSync(join(directory, "j")).equals(bytes)).toBe(true);
  expect(readFileSync(join(directory, "b")).equals(Buffer.concat([bytes, Buffer.from("x")]))).toBe(true);
}, 60_000);

test("what Python wrote is there at once, for other files that are open and for other commands", async () => {
  const { sandbox } = await openForTest();
  const script = `
import os, tempfile
f = open("f", "w"); f.write("one"); f.flush(); print(open("f").read(), os.stat("f").st_size)
g = open("f", "a"); g.write("two"); g.close(); f.write("!"); f.close(); print(open("f").read())
with tempfile.TemporaryFile() as t: t.write(b"gone"); t.seek(0); print(t.read())
os.makedirs("d/e"); open("d/e/x", "w").write("1"); os.rename("d", "d2"); print(open("d2/e/x").read())
os.utime("f", (1, 1000000000)); print(int(os.stat("f").st_mtime), oct(os.stat("f").st_mode & 0o777))
print(os.listdir(tempfile.gettempdir()))`;
  const { stdout, stderr } = await sandbox.exec("python3 -", { stdin: script });
  expect(stderr).toBe("");
  expect(stdout).toBe("one 3\none!wo\nb'gone'\n1\n1000000000 0o644\n[]\n");
});

test("10,000 files in a directory and 400 levels of directories are listed, searched, copied and removed", async () => {
  const { sandbox, directory } = await openForTest();
  mkdirSync(join(directory, "many"));
  for (let index = 0; index < 10_000; index++) writeFileSync(join(directory, "many", `f${index}`), "");
  const many = await sandbox.exec(
    "ls many | wc -l; set -- many/*; echo $#; find many -type f | wc -l; rm -rf many; ls",
  );
  expect(many.stdout).toBe("10000\n10000\n10000\n");
  const deep = await sandbox.exec(
    `p=$(printf 'b/%.0s' {1..400}); mkdir -p $p; echo x > \${p}f; find b -name f | wc -c; cp -r b e; find e -type d | wc -l; grep -rl x b | wc -l; rm -rf b e; ls | wc -l`,
  );
  expect(deep.stdout).toBe("802\n400\n1\n0\n");
}, 60_000);

const NAMES = [
  "with space",
  "new\nline",
  "quo'te\"s",
  "-dash",
  "--",
  "*?[a]",
  "\u{1f600}",
  "e\u0301",
  "\u00e9",
  "back\\slash",
  "$HOME `x`",
];

test("odd names are files like any other", async () => {
  const { sandbox, directory } = await openForTest();
  for (const name of NAMES) {
    const { stderr, stdout } = await sandbox.exec(
      'echo "$1" > "./$1"; cat "./$1"; cp -- "$1" copy; mv -- "$1" "./moved"; mv ./moved "./$1"; ls | wc -l; python3 -c "import sys; print(open(sys.argv[1]).read())" "./$1" > /dev/null; rm copy',
      { args: [name] },
    );
    expect([name, stderr]).toEqual([name, ""]);
    expect(stdout.startsWith(`${name}\n`)).toBe(true);
    expect(readFileSync(join(directory, name), "utf8")).toBe(`${name}\n`);
  }
  expect((await sandbox.fs.readdir("/w")).sort()).toEqual([...NAMES].sort());
  expect((await sandbox.exec('rm -f -- * "$1"; ls | wc -l', { args: ["new\nline"] })).stdout).toBe("0\n");
}, 60_000);

test.skipIf(process.platform !== "linux")(
  "a name that is no UTF-8 can be read, moved and removed",
  async () => {
    const { sandbox, directory } = await openForTest();
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/bad`), Buffer.from([0xff, 0xe9])]), "data\n");
    const { stdout } = await sandbox.exec(
      'for f in *; do cat "$f"; done; mv bad* good; cat good; rm -- *; ls | wc -l',
    );
    expect(stdout).toBe("data\ndata\n0\n");
  },
);

test.skipIf(process.platform !== "linux")(
  "JavaScript sees a name that is no UTF-8 byte for byte, and every call of fs finds the file",
  async () => {
    const { sandbox, directory } = await openForTest();
    mkdirSync(join(directory, "nn"));
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/nn/`), Buffer.from([0xff, 0xfe])]), "x");
    const script = `const fs = require("fs");
      const [name] = fs.readdirSync("nn");
      console.log(JSON.stringify(name), fs.readFileSync("nn/" + name, "utf8"), fs.statSync("nn/" + name).size);
      console.log(fs.realpathSync("nn/" + name) === "/w/nn/" + name, fs.readdirSync(".", { recursive: true }).length);
      fs.renameSync("nn/" + name, "nn/é😀" + name);
      fs.linkSync("nn/é😀" + name, "nn/h" + name);
      fs.writeFileSync("nn/\\ufdd0dcff", "mark");
      fs.copyFileSync("nn/\\ufdd0dcff", "nn/c" + name);
      fs.mkdirSync("nn/d" + name);`;
    const { stdout, stderr } = await sandbox.exec(`node -e "$1"`, { args: [script] });
    expect({ stdout, stderr }).toEqual({ stdout: '"\\udcff\\udcfe" x 1\ntrue 2\n', stderr: "" });
    const names = readdirSync(join(directory, "nn"), { encoding: "buffer" });
    expect(names.map((name) => name.toString("latin1")).sort()).toEqual(
      ["c\xff\xfe", "d\xff\xfe", "h\xff\xfe", "é😀", "\ufdd0dcff"].map((name) =>
        name === "é😀"
          ? `${Buffer.from(name).toString("latin1")}\xff\xfe`
          : name.startsWith("\ufdd0")
            ? Buffer.from(name).toString("latin1")
            : name,
      ),
    );
  },
);

test("modes, times and links show as they are", async () => {
  const { sandbox, directory } = await openForTest();
  const { stdout } = await sandbox.exec(
    `echo x > f; chmod 750 f; touch -d 2001-09-09T01:46:40Z f; ls -l f; stat -c %a f; ln -s f l; ls -l l | sed 's/.* l/l/'
    ln -s /nowhere dangling; ls -F; chmod u=rw,go= f; ls -l f | cut -c1-10; [ -x f ] || echo no x; rm dangling l; ls`,
  );
  expect(stdout).toBe(
    "-rwxr-x--- 1 user user 2 Sep  9  2001 f\n750\nl -> f\ndangling@\nf*\nl@\n-rw-------\nno x\nf\n",
  );
  chmodSync(join(directory, "f"), 0o600);
});

test("a script called by its path is run by what its first line names", async () => {
  const { sandbox } = await openForTest();
  const { stdout, stderr } = await sandbox.exec(
    `make() { printf '%s\\n' "$2" "$3" > $1; chmod +x $1; }
    make a '#!/bin/bash' 'echo bash $1'; ./a 1; make b '#!/usr/bin/env bash' 'echo env $1'; ./b 2; make c '#!/bin/sh' 'echo sh $1'; ./c 3
    make d '#!/bin/bash -e' 'false; echo no'; ./d; echo $?; make p '#!/usr/bin/env python3' 'import sys; print(sys.argv[1:])'; ./p 'x y' z
    make n '#!/usr/bin/env node' 'console.log("js")'; ./n; make plain 'echo plain' ''; ./plain
    chmod -x a; ./a; echo $?; make q '#!/nowhere/q' ''; ./q; echo $?; printf '\\177ELF\\002' > elf; chmod +x elf; ./elf; echo $?`,
  );
  expect(stdout).toBe("bash 1\nenv 2\nsh 3\n1\n['x y', 'z']\njs\nplain\n126\n127\n126\n");
  expect(stderr).toBe(
    "bash: ./a: Permission denied\nbash: /w/q: cannot execute: required file not found\nbash: /w/elf: cannot execute binary file: Exec format error\n",
  );
});

test("rm spares the root and the mounts, and says so", async () => {
  const { sandbox, directory } = await openForTest();
  writeFileSync(join(directory, "keep"), "");
  const { stdout } = await sandbox.exec(
    "rm -rf / 2>/dev/null; echo $?; ls; rm -rf /w; echo $?; ls | wc -l; echo back > x; cat x",
  );
  expect(stdout).toBe("1\nkeep\n1\n0\nback\n");
});
