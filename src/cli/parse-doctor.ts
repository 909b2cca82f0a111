/** The arguments of `little-harness doctor` → what to do, as plain data. Pure. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkOptions } from "./check-options.ts";
import { RUNGS, type Rung } from "./doctor-report.ts";
import { toChoice, toPath } from "./option-values.ts";
import { UsageError } from "./usage-error.ts";

/** `little-harness doctor`, checked. */
export interface DoctorInvocation {
  readonly command: "doctor";
  readonly json: boolean;
  /** The rung that is tried alone and must be there; `"auto"`: all are tried, and only the first must be. */
  readonly demanded: Rung | "auto";
  /** The Node.js of the worker; `null`: that of this process. */
  readonly nodePath: string | null;
  /** `null`: looked up as the library does. */
  readonly workerPath: string | null;
}

/** `little-harness doctor DIR`, checked. */
export interface DataDirInvocation {
  readonly command: "doctor-data-dir";
  /** Absolute. */
  readonly dataDir: string;
  readonly json: boolean;
}

/** Long names of the options. */
export const DOCTOR_OPTIONS = {
  json: { type: "boolean" },
  isolation: { type: "string" },
  node: { type: "string" },
  worker: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Throws `UsageError`. */
export function parseDoctor(
  argv: readonly string[],
): DoctorInvocation | DataDirInvocation | { command: "help"; topic: "doctor" } {
  const parsed = parseArgs({
    args: [...argv],
    options: DOCTOR_OPTIONS,
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  checkOptions(DOCTOR_OPTIONS, parsed);
  const { values, positionals } = parsed;
  if (values.help === true) return { command: "help", topic: "doctor" };
  const [dataDir, more] = positionals;
  if (more !== undefined) throw new UsageError(`doctor takes one data directory, not "${more}" as well`);
  if (dataDir !== undefined) {
    const other = (["isolation", "node", "worker"] as const).find((name) => values[name] !== undefined);
    if (other !== undefined)
      throw new UsageError(`--${other} is about this machine; it does not go with a data directory`);
    if (dataDir === "") throw new UsageError("doctor takes a data directory, not an empty word");
    return { command: "doctor-data-dir", dataDir: resolve(dataDir), json: values.json === true };
  }
  const isolation = values.isolation;
  return {
    command: "doctor",
    json: values.json === true,
    demanded: toChoice("--isolation", typeof isolation === "string" ? isolation : "auto", [...RUNGS, "auto"]),
    nodePath: toPath("--node", values.node),
    workerPath: toPath("--worker", values.worker),
  };
}
