/**
 * `npm run soak -- --seconds 600 --seed 1`, or `SOAK_SECONDS` for the time: ten minutes of full load unless told
 * otherwise. The exit code is 1 when anything was not as it must be; the same seed makes the same steps again.
 */
import { parseArgs } from "node:util";
import { soak } from "./soak.ts";

const { values } = parseArgs({ options: { seconds: { type: "string" }, seed: { type: "string" } } });
const seconds = toNumber("seconds", values.seconds ?? process.env.SOAK_SECONDS ?? "600");
const seed = toNumber("seed", values.seed ?? String(Date.now() % 1_000_000));

console.log(`soak: ${seconds} s, seed ${seed}, Node.js ${process.version}`);
const { steps, samples, problems } = await soak({ seconds, seed, log: (line) => console.log(line) });
const count = Object.values(steps).reduce((sum, times) => sum + times, 0);
console.log(`${count} steps: ${JSON.stringify(steps)}`);
console.log(`${samples.length} samples`);
for (const problem of problems) console.error(`not as it must be: ${problem}`);
console.log(problems.length === 0 ? "all held" : `failed; again with: npm run soak -- --seed ${seed}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name}: expected a whole number, got "${text}"`);
  process.exit(2);
}
