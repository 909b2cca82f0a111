/** What a run was begun with, as digests: another process may only go on with the same. */
import { canonicalJson } from "../../session-log/canonical-json.ts";
import { invalidOption, isRecord } from "../../shared/check-options.ts";
import { SandboxError } from "../../shared/errors.ts";
import type { JsonValue } from "../../shared/json.ts";
import type { HarnessTool } from "../../shared/tools.ts";
import { toJsonText } from "../../tools/normalise.ts";
import { sha256Of } from "../keep-artifact.ts";
import type { TurnSettings } from "../turn-settings.ts";

/** What is compared. */
export interface RunDescription {
  readonly model: string;
  /** Digest by field of the request: `system`, `prompt`, `messages`. */
  readonly request: Readonly<Record<string, string>>;
  readonly bash: boolean;
  readonly runtime: { readonly python: boolean; readonly javascript: boolean };
  /** Digest of the schema, by tool. */
  readonly tools: Readonly<Record<string, string>>;
}

/** Messages may hold pictures. */
const MAX_REQUEST_BYTES = 512 * 1024 * 1024;

/** @param schemaOf the JSON Schema of a tool's input */
export async function describeRun(
  settings: TurnSettings,
  schemaOf: (name: string, tool: HarnessTool) => Promise<unknown>,
): Promise<RunDescription> {
  const { model, request, bash, prepare, tools } = settings;
  const digests: [string, string][] = [];
  for (const [name, tool] of Object.entries(tools)) {
    digests.push([name, digestOf(`tools.${name}`, await schemaOf(name, tool))]);
  }
  return {
    model: typeof model === "string" ? model : `${model.provider}/${model.modelId}`,
    request: Object.fromEntries(
      ["system", "prompt", "messages"]
        .filter((field) => request[field] !== undefined)
        .map((field) => [field, digestOf(field, request[field])]),
    ),
    bash: bash !== undefined,
    runtime: {
      python: prepare.runtime?.python !== false,
      javascript: prepare.runtime?.javascript !== false,
    },
    tools: Object.fromEntries(digests),
  };
}

/** For a record. */
export function toRecordData({ model, request, bash, runtime, tools }: RunDescription): {
  readonly [field: string]: JsonValue;
} {
  return { model, request, bash, runtime: { ...runtime }, tools };
}

/**
 * Compares with what is on record.
 * @throws SandboxError `REPLAY_DIVERGED`, whose `data.changed` names each difference.
 */
export function refuseChanged(runId: string, recorded: JsonValue, now: RunDescription): void {
  const before = isRecord(recorded) ? recorded : {};
  const after = toRecordData(now);
  const changed = ["model", "bash"].filter((field) => before[field] !== after[field]);
  changed.push(
    ...compare("", before.request, now.request),
    ...compare("runtime.", before.runtime, now.runtime),
    ...compare("tools.", before.tools, now.tools),
  );
  if (changed.length === 0) return;
  const message = `The run ${runId} was begun with other options; changed since: ${changed.join(", ")}. Go on with the same, or begin a new run.`;
  throw new SandboxError("REPLAY_DIVERGED", message, { runId, changed });
}

function compare(prefix: string, recorded: unknown, now: Readonly<Record<string, unknown>>): string[] {
  const before = isRecord(recorded) ? recorded : {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names
    .filter((name) => before[name] !== now[name])
    .map((name) => {
      if (!Object.hasOwn(before, name)) return `${prefix}${name} (was not there)`;
      return Object.hasOwn(now, name) ? `${prefix}${name}` : `${prefix}${name} (is not there any more)`;
    });
}

function digestOf(option: string, value: unknown): string {
  try {
    const json = toJsonText(option, value, { maxBytes: MAX_REQUEST_BYTES });
    return sha256Of(json === "" ? "" : canonicalJson(JSON.parse(json), option, MAX_REQUEST_BYTES));
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw invalidOption(option, `data that JSON can say, as the run has a session log (${cause.message})`);
  }
}
