/** What the harness and the call say → one of each; the call's goes first. */
import { randomUUID } from "node:crypto";
import type { HarnessHost, PrepareTurnOptions } from "../host/host.ts";
import type { HarnessSessionLog } from "../shared/session-log.ts";
import type { HarnessTools } from "../shared/tools.ts";
import type { HarnessTraceLevel, HarnessTraceOptions, TraceField } from "../shared/trace-options.ts";
import { resolveTraceOptions } from "../shell/trace-options.ts";
import { MODEL_SETTINGS } from "./check-options.ts";
import type { HarnessBashOptions, HarnessModel, HarnessTurnOptions } from "./harness-options.ts";

/** One turn, decided. */
export interface TurnSettings {
  readonly host: HarnessHost;
  readonly model: HarnessModel;
  /** Given, or made for a run that has a session log. */
  readonly runId: string | undefined;
  readonly sessionLog: HarnessSessionLog | undefined;
  /** For the host, without `onEvent`. */
  readonly prepare: PrepareTurnOptions;
  readonly tools: HarnessTools;
  readonly toolContext: unknown;
  readonly emitToolEvents: boolean;
  readonly maxSteps: number;
  readonly bash: HarnessBashOptions | undefined;
  readonly maxInlineBytes: number;
  /** `system`, `prompt` or `messages`, and the settings of the model, as the AI SDK takes them. */
  readonly request: Readonly<Record<string, unknown>>;
}

const DEFAULT_MAX_STEPS = 20;
const DEFAULT_MAX_INLINE_BYTES = 16 * 1024;

export function decideTurn(options: HarnessTurnOptions): TurnSettings {
  const harness = options.harness.options;
  const both = { ...harness, ...withoutUndefined(options) } as HarnessTurnOptions;
  const { tools = {}, toolContext = null, emitToolEvents = true, maxSteps = DEFAULT_MAX_STEPS } = both;
  const { prompt, messages, system } = both;
  const runId = options.runId ?? (both.sessionLog === undefined ? undefined : `run_${randomUUID()}`);
  const hasTools = Object.keys(tools).length > 0;
  return {
    host: harness.host,
    model: harness.model,
    runId,
    sessionLog: both.sessionLog,
    prepare: {
      session: options.session,
      runId,
      runtime: { ...withoutUndefined(harness.runtime ?? {}), ...withoutUndefined(options.runtime ?? {}) },
      ...(hasTools ? { tools, toolContext } : {}),
      traceOptions: joinLevels(harness.traceOptions, options.traceOptions),
      emitToolEvents,
      persistentDirs: both.persistentDirs,
    },
    tools,
    toolContext,
    emitToolEvents,
    maxSteps,
    bash: harness.bash === false ? undefined : (harness.bash ?? {}),
    maxInlineBytes: harness.maxInlineBytes ?? DEFAULT_MAX_INLINE_BYTES,
    request: withoutUndefined({
      system,
      prompt,
      messages: messages === undefined ? undefined : [...messages],
      ...Object.fromEntries(MODEL_SETTINGS.map((name) => [name, both[name]])),
    }),
  };
}

/** Two levels as one, in which what neither says stays unsaid: the host has a level below them. */
export function joinLevels(
  harness: HarnessTraceLevel | undefined,
  call: HarnessTraceLevel | undefined,
): HarnessTraceLevel | undefined {
  if (harness === undefined || call === undefined) return call ?? harness;
  const fields = { ...fieldsOf(harness), ...fieldsOf(call) };
  const { redact } = resolveTraceOptions(harness, call);
  return redact === undefined ? fields : { ...fields, redact };
}

type Fields = Partial<HarnessTraceOptions> & {
  readonly redact?: (text: string, field: TraceField) => string;
};

function fieldsOf(level: HarnessTraceLevel): Fields {
  return typeof level === "string" ? resolveTraceOptions(undefined, level) : withoutUndefined(level);
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
