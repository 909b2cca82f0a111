/** `session.json`: what a session is, for whoever opens it later. */
import { lstat, readFile } from "node:fs/promises";
import nodePath from "node:path";
import { invalidOption, isRecord } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { codeOf } from "../storage/error-code.ts";
import type { DataDirectory } from "./data-directory.ts";
import { storeFailed } from "./host-errors.ts";
import { isSafeName, SAFE_NAME_RULE } from "./safe-name.ts";
import type { LocalHarnessSession } from "./session.ts";
import { sessionPathsAt } from "./session-paths.ts";

/** Version of the file. */
const VERSION = 1;

/** Longest JSON text of a session's metadata, in characters. */
const MAX_METADATA_LENGTH = 256 * 1024;

/** What the file holds. */
export type SessionRecord = Pick<LocalHarnessSession, "id" | "createdAt" | "metadata">;

/** Throws `SESSION_INVALID` for what is no id. */
export function checkSessionId(id: unknown): string {
  if (isSafeName(id)) return id;
  const shown = typeof id === "string" ? JSON.stringify(id.slice(0, 200)) : typeof id;
  throw new SandboxError("SESSION_INVALID", `A session's id must be ${SAFE_NAME_RULE}, but is ${shown}.`);
}

/** A copy that no one else holds. Throws `OPTION_INVALID` for what is not plain JSON data. */
export function checkMetadata(metadata: unknown): Record<string, unknown> {
  if (metadata === undefined) return {};
  const expected = `a plain object whose JSON text has at most ${MAX_METADATA_LENGTH} characters`;
  if (!isRecord(metadata)) throw invalidOption("metadata", expected);
  let text: string;
  try {
    text = JSON.stringify(metadata);
  } catch (cause) {
    // A cycle or a BigInt.
    throw new SandboxError(
      "OPTION_INVALID",
      `Option "metadata" must be ${expected}.`,
      { option: "metadata" },
      { cause },
    );
  }
  if (text.length > MAX_METADATA_LENGTH) throw invalidOption("metadata", expected);
  return JSON.parse(text) as Record<string, unknown>;
}

export function toSessionText({ id, createdAt, metadata }: SessionRecord): string {
  return `${JSON.stringify({ version: VERSION, id, createdAt, metadata }, null, 2)}\n`;
}

/** Rejects with `SESSION_NOT_FOUND`, `SESSION_INVALID` or `STORE_FAILED`. */
export async function readSession(data: DataDirectory, id: string): Promise<LocalHarnessSession> {
  const directory = nodePath.join(data.sessions, id);
  let text: string;
  try {
    const info = await lstat(directory);
    if (!info.isDirectory()) throw invalid(id, "is no directory");
    text = await readFile(sessionPathsAt(directory).record, "utf8").catch(async (error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      // Removed between the two looks, and perhaps made anew: that is no damage.
      const now = await lstat(directory);
      const isSame = now.ino === info.ino && now.birthtimeMs === info.birthtimeMs;
      throw isSame ? invalid(id, "has no session.json") : error;
    });
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR")
      throw new SandboxError("SESSION_NOT_FOUND", `There is no session "${id}".`, { sessionId: id });
    throw storeFailed(`The session "${id}" could not be read`, error);
  }
  return toSession(data, checkRecord(text, id));
}

/** With its directories. */
export function toSession(data: DataDirectory, record: SessionRecord): LocalHarnessSession {
  const directory = nodePath.join(data.sessions, record.id);
  return Object.freeze({
    ...record,
    directory,
    sessionDir: nodePath.join(directory, "session"),
    artifactsDir: nodePath.join(directory, "artifacts"),
    persistentDir: data.persistent,
    agentsDir: data.agents,
  });
}

function checkRecord(text: string, id: string): SessionRecord {
  let value: Partial<Record<keyof SessionRecord | "version", unknown>> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch (cause) {
    throw invalid(id, "has a session.json that is no JSON", cause);
  }
  if (typeof value !== "object" || value === null)
    throw invalid(id, "has a session.json that holds no object");
  const { version, id: own, createdAt, metadata } = value;
  if (version !== VERSION) throw invalid(id, `is of version ${JSON.stringify(version)}; known is ${VERSION}`);
  if (own !== id) throw invalid(id, "says in its session.json that it is another one");
  const isWhole =
    typeof createdAt === "string" &&
    !Number.isNaN(Date.parse(createdAt)) &&
    typeof metadata === "object" &&
    metadata !== null &&
    !Array.isArray(metadata);
  if (!isWhole) throw invalid(id, "has a session.json without createdAt or metadata");
  return { id, createdAt, metadata: metadata as Record<string, unknown> };
}

function invalid(id: string, why: string, cause?: unknown): SandboxError {
  return new SandboxError(
    "SESSION_INVALID",
    `The session "${id}" ${why}.`,
    { sessionId: id },
    cause === undefined ? undefined : { cause },
  );
}
