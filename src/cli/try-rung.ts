/** Starts one rung for real: a sandbox on it, its walls probed, each language run once. Never rejects. */
import { inTime } from "../parent/in-time.ts";
import { isSandboxError } from "../shared/errors.ts";
import type { HarnessSandbox } from "../shared/sandbox.ts";
import type { LanguageReport, Rung, RungReport } from "./doctor-report.ts";
import { messageOf } from "./message-of.ts";

/** What is the same for each rung. */
export interface RungParts {
  readonly nodePath: string | null;
  readonly workerPath: string | null;
  /** An empty directory of the host. */
  readonly directory: string;
  /** Aborted when the user wants to leave: open sandboxes are disposed of, and no other is opened. */
  readonly stop: AbortSignal;
}

/** A worker that has not answered by then is killed; on a busy machine it takes some seconds. */
const START_MS = 15_000;
const LANGUAGE_MS = 15_000;
/** All of one rung, disposal included. */
const RUNG_MS = 90_000;

/** Each prints 42. Together they need every part that the worker brings with it. */
const LANGUAGES: readonly (readonly [name: string, script: string])[] = [
  ["bash", 'for x in 6 7; do y=$((x * 6)); done; echo "$y"'],
  ["js-exec", "js-exec -c 'console.log([6].map((x) => x * 7)[0])'"],
  ["python3", "python3 -c 'print(sum([6] * 7))'"],
  ["sqlite3", "sqlite3 :memory: 'select 6 * 7'"],
];

const NOTHING = {
  reason: null,
  firstResultMs: null,
  probeMs: null,
  engine: null,
  defense: null,
  layers: [],
  walls: [],
  languages: [],
} as const;

export function untried(name: Rung, reason: string): RungReport {
  return { ...NOTHING, name, state: "not-tried", reason };
}

export async function tryRung(name: Rung, parts: RungParts): Promise<RungReport> {
  try {
    return await inTime(examine(name, parts), RUNG_MS, isLate);
  } catch (error) {
    const unavailable = isSandboxError(error) && error.code === "ISOLATION_UNAVAILABLE";
    const reason = unavailable ? String(error.data.reason) : messageOf(error);
    return { ...NOTHING, name, state: unavailable ? "unavailable" : "failed", reason };
  }
}

/** Which rung `auto` takes, really started, and why none above it. */
export async function tryAuto(parts: RungParts): Promise<{ rung: string | null; reason: string | null }> {
  try {
    const asked = withSandbox("auto", parts, (sandbox) => sandbox.isolation());
    const { rung, layers } = await inTime(asked, RUNG_MS, isLate);
    const above = layers?.find(({ on }) => !on);
    return { rung, reason: above === undefined ? null : `no ${above.name}: ${above.reason}` };
  } catch (error) {
    return { rung: null, reason: messageOf(error) };
  }
}

function isLate(): Error {
  return new Error(`it was not over after ${RUNG_MS / 1_000} s`);
}

async function withSandbox<T>(
  isolation: Rung | "auto",
  { nodePath, workerPath, directory, stop }: RungParts,
  use: (sandbox: HarnessSandbox) => Promise<T>,
): Promise<T> {
  const { openSandbox } = await import("../sandbox/open-sandbox.ts");
  stop.throwIfAborted();
  const sandbox = await openSandbox({
    mounts: { "/workspace": directory },
    sandbox: "subprocess",
    isolation,
    limits: { startTimeoutMs: START_MS },
    ...(nodePath === null ? {} : { nodePath }),
    ...(workerPath === null ? {} : { workerPath }),
  });
  const onStop = (): void => void sandbox.dispose();
  stop.addEventListener("abort", onStop);
  try {
    return await use(sandbox);
  } finally {
    stop.removeEventListener("abort", onStop);
    await sandbox.dispose();
  }
}

async function examine(name: Rung, parts: RungParts): Promise<RungReport> {
  const firstResultMs = await withSandbox(name, parts, timeFirstResult);
  // A second worker: a command asks for the report at its own start, so in the first the two times are one.
  return withSandbox(name, parts, async (sandbox) => {
    await sandbox.fs.stat("/workspace");
    const startedMs = performance.now();
    const { rung, layers = [], walls, engine, defense } = await sandbox.isolation();
    const probeMs = Math.round(performance.now() - startedMs);
    if (rung !== name) throw new Error(`the worker stands on ${rung}`);
    const languages: LanguageReport[] = [];
    for (const [language, script] of LANGUAGES) languages.push(await runLanguage(sandbox, language, script));
    return {
      name,
      state: "started",
      reason: null,
      firstResultMs,
      probeMs,
      engine,
      defense,
      layers,
      walls,
      languages,
    };
  });
}

async function timeFirstResult(sandbox: HarnessSandbox): Promise<number> {
  const startedMs = performance.now();
  const { exitCode, stderr } = await sandbox.exec("true", { timeoutMs: START_MS });
  const tookMs = Math.round(performance.now() - startedMs);
  if (exitCode === 0) return tookMs;
  // Rejects with the code and the reason of a start that failed.
  await sandbox.isolation();
  throw new Error(`the first command failed: ${stderr.trim()}`);
}

async function runLanguage(sandbox: HarnessSandbox, name: string, script: string): Promise<LanguageReport> {
  const { exitCode, stdout, stderr, ending, durationMs } = await sandbox.exec(script, {
    timeoutMs: LANGUAGE_MS,
  });
  const runs = exitCode === 0 && stdout.trim() === "42";
  const how = ending.kind === "exited" ? `exit code ${exitCode}` : describeEnding(ending);
  const said = stderr.trim() === "" ? "" : `: ${stderr.trim().slice(0, 500)}`;
  return { name, runs, tookMs: Math.round(durationMs), reason: runs ? null : how + said };
}

function describeEnding(ending: {
  readonly kind: string;
  readonly by?: string;
  readonly why?: string;
}): string {
  return [ending.kind, ending.by ?? ending.why ?? ""].join(" ").trim();
}
