/** Which sandbox is taken when none is named. */
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { workerPids } from "../helpers/processes.ts";

const bashAlone = { python: false, javascript: false };

test("auto spares the process for bash alone", async () => {
  const { sandbox } = await openForTest({ sandbox: "auto", runtime: bashAlone });
  expect(await sandbox.exec("echo here")).toMatchObject({ stdout: "here\n" });
  expect(workerPids()).toEqual([]);
  expect((await sandbox.isolation()).rung).toBe("none");
});

test.each([
  { isolation: "process" },
  { isolation: "hardened" },
  { nodePath: process.execPath },
  { execArgv: ["--max-semi-space-size=1"] },
  { env: { A: "1" } },
] as const)("auto takes a process where an option asks for what only a process has: %j", async (options) => {
  const { sandbox } = await openForTest({ sandbox: "auto", runtime: bashAlone, ...options });
  expect(await sandbox.exec("echo here")).toMatchObject({ stdout: "here\n" });
  expect(workerPids()).not.toEqual([]);
  expect((await sandbox.isolation()).rung).toBe("isolation" in options ? options.isolation : "process");
});

test("just-bash with an isolation is refused: nothing weaker is taken in its place", async () => {
  await expect(openForTest({ sandbox: "just-bash", isolation: "process" })).rejects.toMatchObject({
    code: "OPTION_INVALID",
    message: expect.stringContaining('"isolation"'),
  });
});

test.each([
  ["python3", "Python", "runtime.python"],
  ["python", "Python", "runtime.python"],
  ["js-exec", "JavaScript", "runtime.javascript"],
  ["node", "JavaScript", "runtime.javascript"],
])(
  "%s of a language that is off is not there, and says which option turns it on",
  async (name, language, option) => {
    const { sandbox } = await openForTest({ runtime: bashAlone });
    expect(await sandbox.exec(`command -v ${name}; ${name} -c 1`)).toMatchObject({
      stdout: "",
      stderr: `bash: ${name}: command not found: ${language} is off in this sandbox (the option ${option} turns it on)\n`,
      exitCode: 127,
    });
  },
);

test("eval says that it is not allowed, as the Function constructor does", async () => {
  const { sandbox } = await openForTest();
  const script = `for (const call of [() => eval("1"), () => (0, eval)("1"), () => new Function("1")])
    try { call(); } catch (error) { console.log(error.name, error.message); }`;
  expect((await sandbox.exec('node -e "$1"', { args: [script] })).stdout).toBe(
    "TypeError eval is not allowed\nTypeError eval is not allowed\nTypeError Function constructor is not allowed\n",
  );
});
