/** Steps in which nothing goes wrong: every byte of the result is known before. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { EXITED, type Lane } from "./lane.ts";

/** One thing that a lane may do; throws what was not as it must be. */
export interface Step {
  readonly name: string;
  readonly weight: number;
  run(lane: Lane): Promise<void>;
}

function expectEqual(what: string, got: unknown, expected: unknown): void {
  if (isDeepStrictEqual(got, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)?.slice(0, 500)}`);
}

export const GOOD_STEPS: readonly Step[] = [
  {
    name: "count in the shell",
    weight: 12,
    async run(lane) {
      lane.n++;
      await lane.run("n=$((n + 1)); echo $n", { ...EXITED, stdout: `${lane.n}\n` });
    },
  },
  {
    name: "a command that fails",
    weight: 4,
    async run(lane) {
      const code = lane.random.between(1, 200);
      await lane.run(`echo out; exit ${code}`, { exitCode: code, ending: "exited", stdout: "out\n" });
    },
  },
  {
    name: "a pipe",
    weight: 6,
    async run(lane) {
      const last = lane.random.between(1, 5_000);
      await lane.run(`seq 1 ${last} | tail -n 1`, { ...EXITED, stdout: `${last}\n` });
    },
  },
  {
    name: "stdin and arguments",
    weight: 5,
    async run(lane) {
      const words = Array.from({ length: lane.random.between(1, 9) }, () => `w ${lane.random.below(1e6)}`);
      const stdout = `${words.join("|")}\n${words.join("\n")}\n`;
      const script = `(IFS='|'; echo "$*"); sort -s -k 1,1`;
      await lane.run(script, { ...EXITED, stdout }, { args: words, stdin: `${words.join("\n")}\n` });
    },
  },
  {
    name: "large output",
    weight: 4,
    async run(lane) {
      const width = lane.random.between(1, 300_000);
      await lane.run(`printf '%0${width}d' 7`, { ...EXITED, stdout: "7".padStart(width, "0") });
    },
  },
  {
    name: "more output than is kept",
    weight: 2,
    async run(lane) {
      const rounds = lane.random.between(30, 60);
      let streamed = 0;
      const result = await lane.run(`for i in {1..${rounds}}; do printf '%0100000d' 7; done`, EXITED, {
        onStdout: (chunk) => {
          streamed += chunk.length;
        },
      });
      expectEqual("streamed", streamed, rounds * 100_000);
      expectEqual("total", result.truncated.stdout?.totalBytes, rounds * 100_000);
    },
  },
  {
    name: "files through both doors",
    weight: 8,
    async run(lane) {
      const content = lane.random.bytes(lane.random.between(0, 200_000));
      const sha256 = createHash("sha256").update(content).digest("hex");
      await lane.sandbox.fs.writeFile("/w/in", content);
      const result = await lane.run("cp /w/in /w/out; sha256sum < /w/out", {
        ...EXITED,
        stdout: `${sha256}  -\n`,
      });
      expectEqual("changes", result.changes, [
        { change: "created", path: "/w/out", kind: "file", size: content.length, sha256 },
      ]);
      expectEqual("read", Buffer.compare(await lane.sandbox.fs.readFileBuffer("/w/out"), content), 0);
      await lane.run("rm /w/in /w/out", EXITED);
      expectEqual("entries", lane.entries(), []);
    },
  },
  {
    name: "tool calls",
    weight: 6,
    async run(lane) {
      const calls = lane.random.between(1, 60);
      const script = `let s = 0; for (let i = 1; i <= ${calls}; i++) s = await tools.add({ a: s, b: i }); console.log(s)`;
      await lane.run(`js-exec -c '${script}'`, { ...EXITED, stdout: `${(calls * (calls + 1)) / 2}\n` });
    },
  },
  {
    name: "a tool that fails",
    weight: 3,
    async run(lane) {
      const script = "try { await tools.fail({}) } catch (e) { console.log(e.message) }";
      await lane.run(`js-exec -c '${script}'`, { ...EXITED, stdout: "the tool fails\n" });
    },
  },
  {
    name: "python",
    weight: 1,
    async run(lane) {
      const limit = lane.random.between(1, 100_000);
      const stdout = `${(limit * (limit - 1)) / 2}\n`;
      await lane.run(`python3 -c 'print(sum(range(${limit})))'`, { ...EXITED, stdout });
    },
  },
  {
    name: "commands that queue",
    weight: 3,
    async run(lane) {
      const count = lane.random.between(2, 6);
      const results = Array.from({ length: count }, () => {
        lane.n++;
        return lane.run("n=$((n + 1)); echo $n", { ...EXITED, stdout: `${lane.n}\n` });
      });
      await Promise.all(results);
    },
  },
  {
    name: "a new sandbox",
    weight: 3,
    run: (lane) => lane.reopen(),
  },
];
