/** The worker's word on its own walls: checked, since the worker is not trusted, and no more than its word. */
import { SandboxError } from "../shared/errors.ts";
import { parse } from "./file-answers.ts";

export interface Wall {
  readonly name: string;
  readonly state: "holds" | "open" | "not-claimed";
  readonly reason: string;
}

const MAX_WALLS = 64;
const MAX_TEXT = 500;

/** @throws SandboxError `PROTOCOL_BROKEN` when it is no list of walls. */
export function toWalls(json: Uint8Array): Wall[] {
  const value = parse(json);
  if (Array.isArray(value) && value.length <= MAX_WALLS && value.every(isWall)) {
    return value.map(({ name, state, reason }) => ({ name, state, reason }));
  }
  throw new SandboxError("PROTOCOL_BROKEN", "The worker's report on its isolation is no list of walls.");
}

function isWall(value: unknown): value is Wall {
  if (typeof value !== "object" || value === null) return false;
  const { name, state, reason } = value as Record<string, unknown>;
  return (
    typeof name === "string" &&
    name.length <= MAX_TEXT &&
    typeof reason === "string" &&
    reason.length <= MAX_TEXT &&
    (state === "holds" || state === "open" || state === "not-claimed")
  );
}
