/**
 * What the engine does wrong or leaves out, and we cover from outside. A test that fails here is good news: the
 * engine no longer needs the cover that it names. The last ones are the reverse: what our covers rely on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Bash, type IFileSystem, InMemoryFs, parse, type StatementNode } from "just-bash";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { RESULT_WAIT } from "../../build/plugins/bridge-waits.ts";

const justBash = join(root, "node_modules/just-bash");

function shell(fs: IFileSystem = new InMemoryFs()): Bash {
  return new Bash({ fs, defenseInDepth: false });
}

test("exec() rejects when a redirect cannot be opened (src/engine/fs-errors.ts)", async () => {
  const fs = new InMemoryFs();
  fs.writeFile = () => Promise.reject(new Error("EROFS: read-only file system, open '/x'"));
  await expect(shell(fs).exec("echo a > /x; echo on")).rejects.toThrow("EROFS");
});

test("exec() forgets variables (src/engine/shell-session.ts)", async () => {
  const bash = shell();
  await bash.exec("x=1");
  expect((await bash.exec('echo "[$x]"')).stdout).toBe("[]\n");
});

test("under `exec 1>>file` a compound command's own redirection is ignored (src/engine/live-output.ts)", async () => {
  const fs = new InMemoryFs();
  await shell(fs).exec("exec 1>>/out\n{ echo a; } > /own");
  expect([await fs.readFile("/own"), await fs.readFile("/out")]).toEqual(["", "a\n"]);
});

test("`declare -A m=(…)` splits quoted values at blanks (src/engine/shell-state.ts)", async () => {
  const { stdout } = await shell().exec("declare -A m=([k]='v w'); declare -p m");
  expect(stdout).toContain("['k']=v)");
});

test("printenv and env print unexported variables (src/engine/commands/)", async () => {
  const { stdout } = await shell().exec("unexported=1; printenv; env");
  expect(stdout.match(/unexported=1/g)).toHaveLength(2);
});

test("100,000 loop turns end a script unless the counter is moved (src/engine/limits.ts)", async () => {
  const { exitCode, stderr } = await shell().exec("for ((i = 0; i < 100001; i++)); do :; done");
  expect([exitCode, stderr]).toEqual([126, expect.stringContaining("too many")]);
});

test("`timeout` does not see a busy loop (src/engine/commands/timeout.ts)", async () => {
  const { stdout } = await shell().exec("timeout 1 bash -c 'while :; do :; done'; echo $?");
  expect(stdout).not.toBe("124\n");
});

test("`sleep infinity` is refused (src/engine/commands/sleep.ts)", async () => {
  expect(await shell().exec("sleep infinity")).toMatchObject({ exitCode: 1 });
});

test("js-exec's worker needs a name that Node.js 20 does not have (build/shims/node-module.ts)", () => {
  const worker = readFileSync(join(justBash, "dist/bundle/chunks/js-exec-worker.js"), "utf8");
  expect(worker).toContain('import { stripTypeScriptTypes } from "node:module"');
});

test.each(["js-exec-worker.js", "worker.js"])(
  "%s takes any wake-up for its answer (build/plugins/bridge-waits.ts)",
  (script) => {
    const worker = readFileSync(join(justBash, "dist/bundle/chunks", script), "utf8");
    expect(worker.split(RESULT_WAIT[0])).toHaveLength(2);
  },
);

test("a tool's call blocks js-exec until its answer (src/engine/tools-bootstrap.ts)", () => {
  const worker = readFileSync(join(justBash, "dist/bundle/chunks/js-exec-worker.js"), "utf8");
  expect(worker).toContain("var resultJson = globalThis.__invokeTool(toolPath, argsJson);");
});

test("relied on: the interpreter takes the statements of a script one by one", async () => {
  const bash = shell();
  const seen: string[] = [];
  const first = parse("echo one > /a").statements;
  const second = parse("echo two > /b").statements;
  bash.registerTransformPlugin({
    name: "lazy",
    transform: ({ ast }) => ({
      ast: {
        ...ast,
        statements: {
          *[Symbol.iterator]() {
            yield* first;
            seen.push("between");
            yield* second;
            seen.push("after");
          },
        } as unknown as StatementNode[],
      },
    }),
  });
  const write = bash.fs.writeFile.bind(bash.fs);
  bash.fs.writeFile = (path, content, options) => {
    if (content !== "") seen.push(path);
    return write(path, content, options);
  };
  await bash.exec("true");
  expect(seen).toEqual(["/a", "between", "/b", "after"]);
});

test("the name of the engine in reports is that of the installed one", async () => {
  const { version } = JSON.parse(readFileSync(join(justBash, "package.json"), "utf8")) as { version: string };
  const index = readFileSync(join(root, "src/engine/index.ts"), "utf8");
  expect(index).toContain(`ENGINE_NAME = "just-bash ${version}"`);
});
