/** A run whose process is killed at chosen points and begun again until it is done, and what is left of it. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { root } from "../../build/paths.ts";

const TURN = join(root, "test/fixtures/runs/turn.mjs");

/** What the program prints when it comes to its end. */
export interface RunEnd {
  readonly text: string;
  readonly outputs: readonly unknown[];
  readonly points: number;
}

export interface KilledRun {
  readonly end: RunEnd;
  readonly effects: readonly { readonly tool: string; readonly n: number; readonly idempotencyKey: string }[];
  readonly modelCalls: number;
}

/** How the run is made. */
export interface RunShape {
  readonly how: "generate" | "stream";
  readonly bash: boolean;
}

/** @param kills the point at which each process but the last is killed */
export async function runWithKills(
  directory: string,
  { how, bash }: RunShape,
  kills: readonly number[],
): Promise<KilledRun> {
  mkdirSync(directory, { recursive: true });
  for (const at of kills) {
    const ended = await startTurn(directory, how, bash, at);
    // A point that lies behind the end: the run came to it.
    if (ended !== undefined) break;
  }
  const end = await startTurn(directory, how, bash, 0);
  if (end === undefined) throw new Error("the last process was killed");
  return {
    end,
    effects: linesOf(join(directory, "effects")).map((line) => JSON.parse(line)),
    modelCalls: linesOf(join(directory, "model")).length,
  };
}

/**
 * What holds however often the run was killed: who pays pays once, or is told that nobody knows; what may be repeated
 * has the same key each time; what the model got is the same, but for that.
 */
export function expectEachOnce({ end, effects }: KilledRun, whole: KilledRun, why: string): void {
  expect(end.text, why).toBe("all paid");
  const keys = new Map<string, Set<string>>();
  for (const { tool, n, idempotencyKey } of effects) {
    const name = `${tool} ${n}`;
    keys.set(name, (keys.get(name) ?? new Set()).add(idempotencyKey));
  }
  for (const [name, of] of keys) expect(of.size, `${why}: keys of ${name}`).toBe(1);
  for (const n of [1, 3]) {
    const count = effects.filter((effect) => effect.tool === "pay" && effect.n === n).length;
    expect(count, `${why}: pay ${n}`).toBeLessThanOrEqual(1);
  }
  for (const [index, output] of end.outputs.entries()) {
    if (typeof output === "string" && output.includes("outcome unknown")) continue;
    const { note, changes, stdout, ...rest } = output as Record<string, unknown>;
    const { changes: _, stdout: asWhole, ...expected } = whole.end.outputs[index] as Record<string, unknown>;
    expect(rest, `${why}: output ${index}`).toEqual(expected);
    // A command that was cut off runs again over what it had written.
    if (note === undefined) expect(stdout, why).toEqual(asWhole);
  }
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

async function startTurn(
  directory: string,
  how: string,
  bash: boolean,
  at: number,
): Promise<RunEnd | undefined> {
  const args = [TURN, join(root, "dist"), directory, how, bash ? "bash" : "none", String(at)];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const signal = await new Promise((resolve) => child.once("close", (_, by) => resolve(by)));
  if (signal === "SIGKILL") return undefined;
  if (!stdout.startsWith("{")) throw new Error(`the process ended by itself: ${stderr}`);
  return JSON.parse(stdout) as RunEnd;
}
