/** What was recorded and what came, when the two differ. */
import { SandboxError } from "../../shared/errors.ts";

/** A call as far as it is told. */
export interface ToldCall {
  readonly tool: string;
  /** JSON text. */
  readonly input: string;
}

/** Characters of an input that a message repeats. */
const MAX_TOLD_INPUT = 300;

/**
 * `REPLAY_DIVERGED`.
 * @param where for example `step 2, call 1`
 * @param recorded `undefined`: the record has no such call
 * @param came `undefined`: what is recorded was not asked for
 */
export function diverged(
  runId: string,
  where: string,
  recorded: ToldCall | undefined,
  came: ToldCall | undefined,
): SandboxError {
  const message = `The run ${runId} takes another course than on record, at ${where}: recorded ${tell(recorded)}, now ${tell(came)}. Begin a new run.`;
  return new SandboxError("REPLAY_DIVERGED", message, {
    runId,
    where,
    ...(recorded === undefined ? {} : { recorded: shortened(recorded) }),
    ...(came === undefined ? {} : { came: shortened(came) }),
  });
}

function tell(call: ToldCall | undefined): string {
  if (call === undefined) return "no such call";
  const { tool, input } = shortened(call);
  return `${tool} with ${input === "" ? "no input" : input}`;
}

function shortened({ tool, input }: ToldCall): ToldCall {
  return {
    tool: tool.slice(0, 200),
    input: input.length > MAX_TOLD_INPUT ? `${input.slice(0, MAX_TOLD_INPUT)}…` : input,
  };
}
