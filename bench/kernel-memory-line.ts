/**
 * Why there is no memory limit by the kernel: `npx tsx bench/kernel-memory-line.ts [node]`, after `npm run build`,
 * on Linux. RLIMIT_DATA counts memory that a process may write, whether it has or not; the table shows how far
 * that lies above what it holds. Then the price of setting it, with `prlimit` in front of the worker, in turns.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../build/paths.ts";
import type { Launch } from "../src/parent/isolation/launch.ts";
import { processLaunch } from "../src/parent/isolation/process.ts";
import { descendants } from "../test/helpers/processes.ts";
import { openSandbox } from "./built.ts";
import { firstByte } from "./first-byte.ts";
import { measurePairs } from "./measure.ts";
import { withDirectory } from "./scratch.ts";

const nodePath = process.argv[2] ?? process.execPath;
const LOOK_MS = 3;
const SCRIPTS: Readonly<Record<string, string>> = {
  idle: "true",
  "js-exec": "js-exec -c 'console.log(1)'",
  python: "python3 -c 'print(1)'",
  "python, again": "python3 -c 'print(1)'",
  "200 MB in python": "python3 -c 'a = bytearray(200 << 20)'",
  "100 MB in sqlite3": "sqlite3 :memory: 'select length(randomblob(100000000))'",
  "all three in a pipe": "js-exec -c 'console.log(1)' | python3 -c 'print(1)' | sqlite3 :memory: 'select 1'",
};

/** Megabytes that may be written, and that are held. */
function sizes(pid: number): { data: number; rss: number } {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024);
  return { data: megabytes("VmData"), rss: megabytes("VmRSS") };
}

console.log(nodePath);
await withDirectory(async (directory) => {
  const sandbox = await openSandbox({
    mounts: { "/w": directory },
    sandbox: "subprocess",
    nodePath,
    limits: { maxMemoryMb: 4_000 },
  });
  await sandbox.exec("true");
  const worker = descendants(process.pid).at(-1) ?? 0;
  for (const [what, script] of Object.entries(SCRIPTS)) {
    let [data, apart] = [0, 0];
    const look = (): void => {
      const seen = sizes(worker);
      data = Math.max(data, seen.data);
      apart = Math.max(apart, seen.data - seen.rss);
    };
    const timer = setInterval(look, LOOK_MS);
    const { exitCode } = await sandbox.exec(script);
    clearInterval(timer);
    look();
    if (exitCode !== 0) throw new Error(`${what}: exit code ${exitCode}`);
    console.log(`${what.padEnd(20)} counts ${data} MB, at most ${apart} MB above what is held`);
  }
  await sandbox.dispose();
});

const plain = processLaunch({
  workerFile: join(root, "dist/worker/main.js"),
  nodePath,
  ownNode: false,
  execArgv: [],
  env: {},
  mounts: [],
  network: false,
});
const limited: Launch = {
  ...plain,
  command: "/usr/bin/prlimit",
  args: [`--data=${8 * 2 ** 30}`, "--", plain.command, ...plain.args],
};

const { value, base, ratio } = await measurePairs(
  () => firstByte(limited),
  () => firstByte(plain),
  { rounds: 20, warmups: 1 },
);
console.log(
  `first byte of a worker: ${value.p50.toFixed(1)} ms behind prlimit, ${base.p50.toFixed(1)} ms without, ratio ${ratio.p50.toFixed(3)}`,
);
