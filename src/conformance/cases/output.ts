/** What comes out of a script: bytes, apart, in time, and no more than was asked for. */
import type { SandboxCase } from "../stage.ts";

/** Bytes that the line between head and tail of a cut stream may take. */
const NOTICE_BYTES = 200;

export const outputCases: readonly SandboxCase[] = [
  {
    name: "output is bytes, and its text is their UTF-8 reading",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec(String.raw`printf 'a\xff\x00\xc3\xa9\n'`);
      check.equal("stdoutBytes", [...result.stdoutBytes], [0x61, 0xff, 0, 0xc3, 0xa9, 0x0a]);
      check.equal("stdout", result.stdout, "a\uFFFD\0é\n");
    },
  },
  {
    name: "the two streams stay apart",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec("echo a; echo b >&2; echo c; (echo d >&2); { echo e; } 2>&1");
      check.matches("the result", result, { stdout: "a\nc\ne\n", stderr: "b\nd\n" });
    },
  },
  {
    name: "a stream above maxOutputBytes keeps head and tail, and says how much there was",
    needs: ["scripts", "outputCaps"],
    async run({ open, check }) {
      const { exec } = await open();
      const script = 'i=100; while (( i < 500 )); do echo "line $i"; (( i++ )); done; echo short >&2';
      const { stdoutBytes, stdout, ...result } = await exec(script, { maxOutputBytes: 1_000 });
      check.equal("truncated", result.truncated, { stdout: { totalBytes: 3_600 } });
      const max = 1_000 + NOTICE_BYTES;
      check.that(stdoutBytes.byteLength <= max, "bytes kept", stdoutBytes.byteLength, `${max} at most`);
      check.that(stdout.startsWith("line 100\n"), "the head", stdout.slice(0, 20), '"line 100"');
      check.that(stdout.endsWith("line 499\n"), "the tail", stdout.slice(-20), '"line 499"');
      check.equal("the stream below the cap", result.stderr, "short\n");
    },
  },
  {
    name: "a stream of exactly maxOutputBytes is whole",
    needs: ["scripts", "outputCaps"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec("printf %s 0123456789", { maxOutputBytes: 10 });
      check.matches("the result", result, { stdout: "0123456789", truncated: {} });
    },
  },
  {
    name: "a cut lies on a character border",
    needs: ["scripts", "outputCaps"],
    async run({ open, check }) {
      const { exec } = await open();
      for (const maxOutputBytes of [297, 298, 299]) {
        const result = await exec("i=0; while (( i < 300 )); do printf é€; (( i++ )); done", {
          maxOutputBytes,
        });
        check.equal("truncated", result.truncated, { stdout: { totalBytes: 1_500 } });
        const cut = result.stdout.indexOf("\uFFFD");
        check.that(
          cut === -1,
          `stdout with ${maxOutputBytes} bytes`,
          result.stdout.slice(cut - 2, cut + 3),
          "whole characters",
        );
      }
    },
  },
  {
    name: "callbacks hear of output while the command runs",
    needs: ["scripts", "streaming"],
    async run({ open, check, write }) {
      const { exec } = await open();
      let heard = "";
      // The script waits for a file that the first chunk brings: without streaming it meets its deadline.
      const result = await exec("echo one; until [ -e go ]; do sleep 0.02; done; echo two", {
        timeoutMs: 10_000,
        onStdout: (chunk) => {
          heard += Buffer.from(chunk).toString();
          void write("session", "go", "");
        },
      });
      check.equal("its ending", result.ending, { kind: "exited" });
      check.equal("what onStdout heard", heard, "one\ntwo\n");
    },
  },
  {
    name: "callbacks hear the whole stream, also what a cap leaves out of the result",
    needs: ["scripts", "streaming", "outputCaps"],
    async run({ open, check }) {
      const { exec } = await open();
      const heard = { stdout: 0, stderr: 0 };
      await exec("i=0; while (( i < 100 )); do echo 123456789; echo 1234 >&2; (( i++ )); done", {
        maxOutputBytes: 100,
        onStdout: (chunk) => {
          heard.stdout += chunk.byteLength;
        },
        onStderr: (chunk) => {
          heard.stderr += chunk.byteLength;
        },
      });
      check.equal("bytes heard", heard, { stdout: 1_000, stderr: 500 });
    },
  },
  {
    name: "callbacks get all output in the end, streamed or not",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      let heard = "";
      const onStdout = (chunk: Uint8Array): void => {
        heard += Buffer.from(chunk).toString();
      };
      const result = await exec("echo one; echo two", { onStdout });
      check.equal("what onStdout heard", heard, result.stdout);
    },
  },
  {
    name: "a callback that throws changes nothing",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const onStdout = (): never => {
        throw new Error("the caller's own trouble");
      };
      const result = await exec("echo one; exit 4", { onStdout });
      check.matches("the result", result, { stdout: "one\n", exitCode: 4, ending: { kind: "exited" } });
    },
  },
];
