/** What a command that no tier runs says: one line each, with the command, where it stands and what to do. */
import type { ExecuteOutput } from "../shared/executor.ts";
import type { CommandClassification } from "./classification.ts";

/** Why a command needs the higher tier: what it holds, or that the one before it reached a trip wire. */
export type Need = CommandClassification | "trip-wire";

const MAX_NAMES = 3;
const MAX_TEXT_LENGTH = 500;

export function noHigherTier(need: Need): ExecuteOutput {
  return refusal(
    `${whatNeeds(need)}, and this sandbox has none: nothing of the script ran; do without ${itOf(need)}`,
  );
}

export function notOpened(need: Need, why: string): ExecuteOutput {
  const rest =
    need === "trip-wire"
      ? "send it again: it runs in tier 0"
      : `send it again later, or do without ${itOf(need)}`;
  return refusal(
    `${whatNeeds(need)}, which could not be opened (${why}): nothing of the script ran; ${rest}`,
  );
}

export function lostDirectory(): ExecuteOutput {
  return refusal(
    "the shell is in a higher tier from here on, where the directory it was in does not exist: nothing of the script ran, and the shell is where it starts; look where you are and send the script again",
  );
}

/** @param why one sentence */
export function notClassified(why: string): ExecuteOutput {
  const { stderr, ...rest } = refusal(`the script could not be classified (${why}): nothing of it ran`);
  return { ...rest, stderr, ending: { kind: "refused", by: "policy" } };
}

function whatNeeds(need: Need): string {
  if (need === "trip-wire")
    return "the command before this one reached what only a higher tier has; this one needs it too";
  const places = need.reasons.map(
    ({ command, line, column }) => `${command} (line ${line}, column ${column})`,
  );
  const named = places.length > 0 ? places : need.commands;
  const shown = named.slice(0, MAX_NAMES).join(", ");
  const more = named.length > MAX_NAMES ? ` and ${named.length - MAX_NAMES} more` : "";
  const why = need.reasons[0]?.why;
  return `${shown}${more}${why === undefined ? "" : ` (${why})`} ${named.length > 1 ? "need" : "needs"} a higher tier`;
}

function itOf(need: Need): string {
  return need === "trip-wire" || need.commands.length !== 1 ? "them" : "it";
}

function refusal(text: string): ExecuteOutput {
  // One line, whatever a command or an error is called.
  const line = text.replace(/[\s\0]+/g, " ").slice(0, MAX_TEXT_LENGTH);
  return {
    exitCode: 126,
    stdout: "",
    stderr: `little-harness: ${line}\n`,
    ending: { kind: "refused", by: "tier" },
  };
}
