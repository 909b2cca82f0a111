/**
 * From a scenario, a function that says what a hostile worker does, to a file that `workerPath` can name. The
 * function travels as text, since the parent gives its child neither arguments nor environment: it may use its
 * one parameter and the globals of Node.js, and nothing around it.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildId } from "../../src/parent/build-id.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A whole request of the parent, or an answer of it. */
export interface Heard {
  id: number;
  params: Record<string, unknown>;
  body: Uint8Array;
}

type Bytes = string | Uint8Array | readonly number[];

/** What `fixtures/liar.mjs` offers a scenario; what each does is said there. */
export interface Liar {
  readonly turn: number;
  on(name: string, listener: (heard: Heard) => void): void;
  ignore(...names: string[]): void;
  frame(value: unknown): Uint8Array;
  bytes(...parts: Bytes[]): void;
  say(bytes: Bytes): void;
  send(...values: unknown[]): void;
  hello(changes?: Record<string, unknown>): void;
  result(id: number, value: unknown, bodyBytes?: number): Record<string, unknown>;
  resultOf(id: number, bytes: readonly number[] | Uint8Array): Uint8Array;
  chunk(id: number, stream: string, bytes: Bytes): Record<string, unknown>;
  answer(id: number, value: unknown, body?: Bytes): void;
  output(id: number, text: Bytes): void;
  exited(changes?: Record<string, unknown>): Record<string, unknown>;
  toolCall(execId: number, path: string, bodyBytes?: number): Record<string, unknown>;
  stayForEver(): void;
  closeOutput(): void;
  closeInput(): void;
  leaveBehind(): void;
  forEver(again: () => void): void;
  exit(code: number): void;
}

/** Plays once, at the start of the worker. `args` cross as JSON. */
export type Scenario<A extends readonly unknown[] = readonly []> = (liar: Liar, ...args: A) => void;

const FIXTURES = ["liar.mjs", "msgpack.mjs"];
const REAL_WORKER = new URL("../../dist/worker/main.js", import.meta.url).href;

/** The program of a worker that plays a scenario, every time it is started. */
export function toProgram<A extends readonly unknown[]>(scenario: Scenario<A>, ...args: A): string {
  const given = [`new Liar(${JSON.stringify(buildId)})`, ...args.map((arg) => JSON.stringify(arg))];
  return `import { Liar } from "./liar.mjs";\n(${scenario.toString()})(${given.join(", ")});\n`;
}

/** A worker that plays a scenario when it is started first, and is a good one from then on. */
export function toProgramOnce(scenario: Scenario): string {
  const liar = `new Liar(${JSON.stringify(buildId)})`;
  return (
    'import { Liar, turn } from "./liar.mjs";\n' +
    `if (turn === 1) (${scenario.toString()})(${liar});\nelse await import(${JSON.stringify(REAL_WORKER)});\n`
  );
}

/** Writes the program where `test/helpers/processes.ts` knows a worker by its path. Removed after the test. */
export function writeWorker(program: string): string {
  const folder = join(tempDir(), "worker");
  mkdirSync(folder);
  // Beside it, since a wall around the worker may let it see its own folder only.
  for (const name of FIXTURES) copyFileSync(join(import.meta.dirname, "fixtures", name), join(folder, name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "main.js"), program);
  return join(folder, "main.js");
}
