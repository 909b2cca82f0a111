/**
 * What the filter of system calls costs on the rung `namespace`: `npx tsx bench/jail-filter.ts`, after `npm run
 * build`. The same jail with and without `--seccomp`, in turns: a worker from its spawn to its first byte, and a
 * Node.js in the jail that does nothing but ask the kernel for a file's size.
 */
import { join } from "node:path";
import { execa } from "execa";
import { root } from "../build/paths.ts";
import { FROM_INPUTS } from "../src/parent/isolation/jail-arguments.ts";
import type { Launch } from "../src/parent/isolation/launch.ts";
import { namespaceLaunch } from "../src/parent/isolation/namespace.ts";
import { firstByte } from "./first-byte.ts";
import { measurePairs, type Pairs } from "./measure.ts";

const CALLS = 200_000;
const LOOP = `
  const { fstatSync } = require("node:fs");
  const start = performance.now();
  for (let i = 0; i < ${CALLS}; i++) fstatSync(0);
  console.log(performance.now() - start);
`;

const filtered = await namespaceLaunch({
  workerFile: join(root, "dist/worker/main.js"),
  nodePath: process.execPath,
  ownNode: true,
  execArgv: [],
  env: {},
  mounts: [],
  network: false,
});
if ("unavailable" in filtered) throw new Error(filtered.unavailable);
const bare: Launch = {
  ...filtered,
  args: ["--args", "4", "--", ...filtered.args.slice(FROM_INPUTS.length)],
  inputs: filtered.inputs.slice(0, 1),
};

async function calls({ command, args, inputs }: Launch): Promise<number> {
  const jail = args.slice(0, args.indexOf("--") + 1);
  const { stdout } = await execa(command, [...jail, "/node/node", "-e", LOOP], {
    stdio: ["ignore", "pipe", "inherit", "ignore", ...inputs.map((input): [Uint8Array] => [input])],
  });
  return Number(stdout);
}

function print(what: string, { value, base, ratio, rounds }: Pairs): void {
  const [withMs, withoutMs] = [value.p50.toFixed(1), base.p50.toFixed(1)];
  console.log(
    `${what}: ${withMs} ms with the filter, ${withoutMs} ms without, ratio ${ratio.p50.toFixed(3)} (${rounds} pairs)`,
  );
}

const start = { rounds: 60, warmups: 4 };
print(
  "first byte of a worker",
  await measurePairs(
    () => firstByte(filtered),
    () => firstByte(bare),
    start,
  ),
);
const loop = { rounds: 10, warmups: 1 };
print(
  `${CALLS} times fstat`,
  await measurePairs(
    () => calls(filtered),
    () => calls(bare),
    loop,
  ),
);
