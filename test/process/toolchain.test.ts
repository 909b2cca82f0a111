/** The machine's own programs over the mounts: what they do, what stays between commands, and how commands end. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import type { HarnessSandbox } from "../../src/index.ts";
import { failOnStrays } from "../helpers/strays.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { noToolchain, note, openToolchainForTest } from "../helpers/toolchain.ts";
import { ENDS, expectEnds } from "../helpers/toolchain-ends.ts";

failOnStrays();

const has = (program: string): boolean =>
  ["/usr/bin", "/usr/local/bin", "/bin"].some((folder) => existsSync(join(folder, program)));
const missing = (program: string): string => (has(program) ? "" : ` (not tried: there is no ${program})`);

const said = async (sandbox: HarnessSandbox, script: string): Promise<string> => {
  const { stdout, stderr } = await sandbox.exec(script, { timeoutMs: 20_000 });
  return stdout + stderr;
};

describe.skipIf(noToolchain !== null)(`the machine's own programs${note}`, () => {
  test.skipIf(!has("git"))(`git makes a repository that the host's git reads${missing("git")}`, async () => {
    const { sandbox, directory, events } = await openToolchainForTest();
    const result = await sandbox.exec(
      "git init -q && echo one >a.txt && git add -A && git -c user.name=n -c user.email=e@x commit -qm first && git log --format=%s",
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: "first\n", stderr: "", ending: { kind: "exited" } });
    expect(result.changes.map(({ path }) => path)).toContain("/w/a.txt");
    expect(result.changes.map(({ path }) => path)).toContain("/w/.git/HEAD");
    const log = execFileSync("git", ["-c", "safe.directory=*", "-C", directory, "log", "--format=%an %s"]);
    expect(log.toString()).toBe("n first\n");
    const types = events.map(({ type }) => type.replace("harness.", ""));
    expect([types[0], types[1], new Set(types.slice(2))]).toEqual([
      "runtime.command.started",
      "runtime.command.completed",
      new Set(["file.created"]),
    ]);
  });

  test.skipIf(!has("git"))(`the program of docs/toolchain.md works as written${missing("git")}`, () => {
    const directory = tempDir();
    mkdirSync(join(directory, "data"));
    writeFileSync(join(directory, "data/a.txt"), "a\n");
    const text = readFileSync(join(root, "docs/toolchain.md"), "utf8");
    const program = /^```js\n(.*?)^```/ms.exec(text)?.[1] ?? "";
    const entry = pathToFileURL(join(root, "dist/index.js")).href;
    const file = join(directory, "program.mjs");
    writeFileSync(file, program.replace("@little-stack/harness", entry));
    const stdout = execFileSync(process.execPath, [file], { cwd: directory, encoding: "utf8" });
    expect(stdout).toMatch(/^[0-9a-f]{7} first\n/);
  });

  test("npm makes a package and node runs it", async () => {
    const { sandbox, directory } = await openToolchainForTest();
    const result = await sandbox.exec(
      'npm init -y >/dev/null && echo "console.log(process.version)" >x.js && node x.js',
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: `${process.version}\n` });
    expect(JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))).toHaveProperty("version");
  });

  test.skipIf(!has("python3"))(`python runs${missing("python3")}`, async () => {
    const { sandbox } = await openToolchainForTest();
    const script = `python3 -c 'import json, subprocess; print(json.dumps(subprocess.run(["echo", "a"], capture_output=True).stdout.decode()))'`;
    expect(await sandbox.exec(script)).toMatchObject({ exitCode: 0, stdout: '"a\\n"\n' });
  });

  test.skipIf(!has("gcc"))(`gcc compiles a program that runs${missing("gcc")}`, async () => {
    const { sandbox } = await openToolchainForTest();
    const script = `printf '#include <stdio.h>\\nint main(void) { puts("compiled"); }' >a.c && gcc -o a a.c && ./a`;
    expect(await sandbox.exec(script)).toMatchObject({ exitCode: 0, stdout: "compiled\n" });
  });

  test("the two streams are told apart, as bytes, as they come", async () => {
    const { sandbox } = await openToolchainForTest();
    const chunks: string[] = [];
    let seen = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const running = sandbox.exec(
      "printf 'a\\xff'; echo b >&2; until [[ -e go ]]; do sleep 0.01; done; printf c",
      {
        onStdout: (chunk) => {
          chunks.push(Buffer.from(chunk).toString("latin1"));
          seen();
        },
      },
    );
    await first;
    expect(chunks).toEqual(["a\xff"]);
    await sandbox.fs.writeFile("go", "");
    const result = await running;
    expect(Buffer.from(result.stdoutBytes).toString("latin1")).toBe("a\xffc");
    expect(result.stderr).toBe("b\n");
  });

  test("stdin, arguments, cwd and variables are for one command", async () => {
    const { sandbox } = await openToolchainForTest({ env: { GIVEN: "g" } });
    await sandbox.exec("mkdir sub; cd sub; plain=p; export shown=s GIVEN");
    const args = ["a b", "", "*", "$x", "'", "\n", "-n", "€"];
    const stdin = Uint8Array.from({ length: 256 }, (_, n) => n);
    const result = await sandbox.exec(
      'printf "<%s>" "$@" "$plain" "$shown" "$fresh" "$PWD"; plain=q; cd /; cat >&2',
      {
        args,
        stdin,
        cwd: "/tmp",
        env: { shown: "S", fresh: "a'b\n" },
      },
    );
    expect(result.stdout).toBe([...args, "p", "S", "a'b\n", "/tmp"].map((text) => `<${text}>`).join(""));
    expect(Buffer.compare(result.stderrBytes, stdin)).toBe(0);
    expect(await said(sandbox, 'echo "$plain $shown ${fresh-unset} $PWD $GIVEN $#"; cat')).toBe(
      "q s unset /w/sub g 0\n",
    );
    expect(await sandbox.exec("touch made", { cwd: "/nosuch" })).toMatchObject({
      exitCode: 126,
      stderr: "bash: cd: /nosuch: No such file or directory\n",
      changes: [],
    });
    expect(
      await sandbox.exec('echo "[$shown$ONLY]"; compgen -e | sort; f=1; cd /', {
        replaceEnv: true,
        env: { ONLY: "1" },
      }),
    ).toMatchObject({
      stdout: "[1]\nONLY\nPWD\nSHLVL\n_\n".replace("_\n", ""),
    });
    expect(await said(sandbox, 'echo "$shown${f-unset}$PWD"')).toBe("sunset/w/sub\n");
  });

  const STATE = `
plain='a b'; export shown="x'y"; empty=; unset LANG
arr=(1 '2 3' '' '*'); sparse[3]=c; sparse[9]=d
declare -A map; map[k]='v w'; map['a b']=c
declare -i number=3; readonly fixed=stays
greet() { local who="$1"; for i in 1 2; do echo "hi $who $i"; done; }
multi() {
  cat <<IN
text of $1
IN
}
exported() { echo exported; }; export -f exported
alias ll='echo LL'
mkdir -p /w/sub; cd /w/sub`;
  const LOOK = `echo "$plain|$shown|$empty|\${LANG-unset}|$PWD|$OLDPWD"; printenv shown; printenv plain
echo "\${#arr[@]}|\${arr[1]}|\${arr[3]}|\${!sparse[*]}|\${sparse[9]}"
echo "\${map[k]}|\${map[a b]}|\${#map[@]}"
number=number+1; echo $number; number=3; (fixed=x) 2>/dev/null; echo "$fixed"
greet you; multi me; ll; bash -c exported`;
  const SEEN = `a b|x'y||unset|/w/sub|/w
x'y
4|2 3|*|3 9|d
v w|c|2
4
stays
hi you 1
hi you 2
text of me
LL
exported
`;

  test("variables, arrays, functions, aliases and the cwd stay, over a deadline too", async () => {
    const { sandbox } = await openToolchainForTest();
    expect(await sandbox.exec(STATE)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await said(sandbox, LOOK)).toBe(SEEN);
    const late = await sandbox.exec("plain=lost; cd /; echo out; while :; do :; done", { timeoutMs: 1_000 });
    expect(late).toMatchObject({
      exitCode: 124,
      ending: { kind: "killed", by: "deadline" },
      stdout: "out\n",
    });
    expect(await said(sandbox, LOOK)).toBe(SEEN);
  });

  test("a script ends as it wants, and the next one finds the shell that the last one to end well had left", () =>
    expectEnds(ENDS.slice(0, 7)));

  test("read-only mounts and prefixes are, through every program, and prefixes may change", async () => {
    const { sandbox, directory } = await openToolchainForTest(
      {},
      { getReadOnlyPrefixes: () => (existsSync(join(directory, "lock")) ? ["/w/later"] : []) },
    );
    await sandbox.exec("mkdir later; x=kept; touch later/a");
    writeFileSync(join(directory, "lock"), "");
    const result = await sandbox.exec(
      "touch later/b; rm -rf later/a; rmdir later; mv later other; ls later; echo $x",
    );
    expect(result).toMatchObject({ stdout: "a\nkept\n", changes: [] });
    expect(result.stderr).toContain("Read-only file system");
  });

  test("what a background process writes after its command is dropped, and the command does not wait for it", async () => {
    const { sandbox } = await openToolchainForTest();
    const result = await sandbox.exec(
      "(until [[ -e go ]]; do sleep 0.01; done; echo late; echo done >seen) & echo started",
      { timeoutMs: 20_000 },
    );
    expect(result).toMatchObject({ stdout: "started\n", ending: { kind: "exited" } });
    expect(await said(sandbox, "touch go; until [[ -e seen ]]; do sleep 0.01; done; cat seen")).toBe(
      "done\n",
    );
  });
});
