/** Output leaves while the script runs, and what the script keeps to itself does not leave. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ExecResult, type HarnessSandbox, openSandbox } from "../../src/index.ts";
import { failOnStrays } from "../helpers/strays.ts";

failOnStrays();

/** In a script: goes on only once the text has come out of the stream. */
const SEEN = (text: string): string => `js-exec -c 'await tools.seen({text: "${text}"})'`;

const directory = mkdtempSync(join(tmpdir(), "harness-test-"));
let sandbox: HarnessSandbox;
let received = "";
let look = (): void => undefined;

beforeAll(async () => {
  sandbox = await openSandbox({
    mounts: { "/w": directory },
    sandbox: "subprocess",
    tools: {
      seen: {
        execute: ({ text }: { text: string }) =>
          new Promise<void>((resolve) => {
            look = () => {
              if (received.includes(text)) resolve();
            };
            look();
          }),
      },
    },
  });
});

afterAll(async () => {
  await sandbox.dispose();
  rmSync(directory, { recursive: true });
});

/** Runs a script whose `SEEN` lines return when the host has received what they name; else it runs into its deadline. */
function runSeen(script: string): Promise<ExecResult> {
  received = "";
  const receive = (chunk: Uint8Array): void => {
    received += Buffer.from(chunk).toString();
    look();
  };
  return sandbox.exec(script, { timeoutMs: 20_000, onStdout: receive, onStderr: receive });
}

const PLACES: Record<string, { script: string; stdout: string; stderr?: string }> = {
  "one after the other": { script: `echo a; ${SEEN("a")}; echo b`, stdout: "a\nb\n" },
  "a for loop": {
    script: `for i in 1 2; do echo "turn $i"; ${SEEN("turn 1")}; done`,
    stdout: "turn 1\nturn 2\n",
  },
  "a C-style for loop": {
    script: `for ((i = 0; i < 1; i++)); do echo $i; ${SEEN("0")}; done`,
    stdout: "0\n",
  },
  "a while loop": { script: `while true; do echo a; ${SEEN("a")}; break; done`, stdout: "a\n" },
  "a while loop that reads a file": {
    script: `printf '1\\n2\\n' > f; while read -r l; do echo "<$l>"; ${SEEN("<1>")}; done < f`,
    stdout: "<1>\n<2>\n",
  },
  "a while loop that reads a here-document": {
    script: `while read -r l; do echo "<$l>"; ${SEEN("<1>")}; done <<EOF\n1\n2\nEOF`,
    stdout: "<1>\n<2>\n",
  },
  "an until loop": { script: `until false; do echo a; ${SEEN("a")}; break; done`, stdout: "a\n" },
  "a loop's condition": { script: `while echo a; ${SEEN("a")}; false; do :; done`, stdout: "a\n" },
  if: { script: `if true; then echo a; ${SEEN("a")}; fi`, stdout: "a\n" },
  "the condition of if": { script: `if echo a; ${SEEN("a")}; then echo b; fi`, stdout: "a\nb\n" },
  else: { script: `if false; then :; else echo a; ${SEEN("a")}; fi`, stdout: "a\n" },
  case: { script: `case x in x) echo a; ${SEEN("a")};; esac`, stdout: "a\n" },
  "a group": { script: `{ echo a; ${SEEN("a")}; }`, stdout: "a\n" },
  "a subshell": { script: `(echo a; ${SEEN("a")})`, stdout: "a\n" },
  "nested ones": {
    script: `for i in 1; do if true; then { (case x in x) echo a; ${SEEN("a")};; esac); }; fi; done`,
    stdout: "a\n",
  },
  "an and-or list": { script: `echo a && ${SEEN("a")} && echo b || echo c`, stdout: "a\nb\n" },
  "the last command of a pipe": {
    script: `echo x | { cat; ${SEEN("x")}; echo b; }`,
    stdout: "x\nb\n",
  },
  stderr: { script: `echo a >&2; ${SEEN("a")}; echo b >&2`, stdout: "", stderr: "a\nb\n" },
  "stderr before a pipe": { script: `{ echo a >&2; } | cat; ${SEEN("a")}`, stdout: "", stderr: "a\n" },
  "stderr under a redirection of stdout, once that is over": {
    script: `{ echo a >&2; } > f; ${SEEN("a")}`,
    stdout: "",
    stderr: "a\n",
  },
  "a function, once it returns": { script: `f() { echo a; }; f; ${SEEN("a")}; echo b`, stdout: "a\nb\n" },
  "a command that is not there": {
    script: `nosuchcommand; ${SEEN("not found")}; echo b`,
    stdout: "b\n",
    stderr: "bash: nosuchcommand: command not found\n",
  },
  "a redirection that fails": {
    script: `echo x > /nosuch/file; ${SEEN("No such file")}; echo b`,
    stdout: "b\n",
    stderr: "bash: /nosuch/file: No such file or directory\n",
  },
  "a cd that fails": {
    script: `cd /nosuch; ${SEEN("No such file")}; echo b`,
    stdout: "b\n",
    stderr: "bash: cd: /nosuch: No such file or directory\n",
  },
  "a division by zero": { script: `(echo $((1 / 0)))\n${SEEN("division by")}\necho b`, stdout: "b\n" },
};

for (const [place, { script, stdout, stderr }] of Object.entries(PLACES)) {
  test(`output arrives while the script goes on: ${place}`, async () => {
    const result = await runSeen(script);
    expect(result).toMatchObject({
      stdout,
      ending: { kind: "exited" },
      ...(stderr === undefined ? {} : { stderr }),
    });
  });
}

test("both streams arrive in the order in which they were written", async () => {
  const chunks: string[] = [];
  const note = (name: string) => (chunk: Uint8Array) =>
    chunks.push(`${name} ${Buffer.from(chunk).toString().trim()}`);
  await sandbox.exec(
    "for i in 1 2 3; do echo o$i; echo e$i >&2; done; (echo o4; echo e4 >&2); { echo e5 >&2; echo o5; }",
    {
      onStdout: note("out"),
      onStderr: note("err"),
    },
  );
  const expected = [1, 2, 3, 4].flatMap((n) => [`out o${n}`, `err e${n}`]);
  expect(chunks).toEqual([...expected, "err e5", "out o5"]);
});

test("errors that end the script arrive, and so does what was printed before", async () => {
  expect(await sandbox.exec("echo a; set -u; echo $nope; echo b")).toMatchObject({
    stdout: "a\n",
    stderr: expect.stringContaining("nope: unbound variable"),
    exitCode: 127,
  });
  expect(await sandbox.exec("set -euo pipefail\necho a\nx=$nope\necho b")).toMatchObject({
    stdout: "a\n",
    stderr: expect.stringContaining("nope: unbound variable"),
    exitCode: 1,
  });
  expect(await sandbox.exec("echo a; echo ${nope?is needed}; echo b")).toMatchObject({
    stdout: "a\n",
    stderr: expect.stringContaining("is needed"),
    exitCode: 127,
  });
  expect(await sandbox.exec("echo a\nif then")).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^bash: syntax error/),
    exitCode: 2,
  });
});

test("a character that is split over two commands arrives whole in the result and as bytes in the stream", async () => {
  const euro = Buffer.from("€");
  writeFileSync(join(directory, "head"), euro.subarray(0, 1));
  writeFileSync(join(directory, "tail"), euro.subarray(1));
  const chunks: Uint8Array[] = [];
  const result = await sandbox.exec("cat head; cat tail", { onStdout: (chunk) => chunks.push(chunk) });
  expect(chunks.length).toBe(2);
  expect(Buffer.concat(chunks)).toEqual(euro);
  expect(result.stdout).toBe("€");
});

test("binary output comes byte for byte, in the result and in the stream", async () => {
  const bytes = Buffer.concat([
    Buffer.from(Uint8Array.from({ length: 256 }, (_, n) => n)),
    randomBytes(300_000),
  ]);
  writeFileSync(join(directory, "binary"), bytes);
  for (const script of [
    "cat binary",
    "cat < binary",
    "cat binary | cat",
    "for i in 1; do cat binary; done",
  ]) {
    const chunks: Uint8Array[] = [];
    const result = await sandbox.exec(script, { onStdout: (chunk) => chunks.push(chunk) });
    expect([
      script,
      Buffer.compare(result.stdoutBytes, bytes),
      Buffer.compare(Buffer.concat(chunks), bytes),
    ]).toEqual([script, 0, 0]);
  }
});

test("output over the cap keeps its head and its tail, cut between characters, and says so", async () => {
  const line = "ä€😀".repeat(50);
  const options = { args: [line], maxOutputBytes: 1_001 };
  const result = await sandbox.exec(
    'echo -n HEAD; for i in 1 2 3 4 5 6 7 8; do echo -n "$1"; done; echo -n TAIL',
    options,
  );
  const totalBytes = 8 + 8 * Buffer.byteLength(line);
  expect(result).toMatchObject({ exitCode: 0, truncated: { stdout: { totalBytes } } });
  expect(result.stdout).toMatch(/^HEAD(ä€😀)*[ä€]*\n?.*bytes left out.*\n?.*TAIL$/su);
  expect(result.stdout).not.toContain("\ufffd");
  expect(result.stdoutBytes.length).toBeLessThan(1_001 + 200);
  const under = await sandbox.exec("echo -n 1234567890", { maxOutputBytes: 10 });
  expect(under).toMatchObject({ stdout: "1234567890", truncated: {} });
});
