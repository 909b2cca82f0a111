/** What `prepareTurn` is asked with, checked before anything is made. */

import { invalidOption } from "../shared/check-options.ts";
import type { HarnessRuntimeOptions } from "../shared/sandbox.ts";
import { createRuntimeToolBridge } from "../tools/tool-bridge.ts";
import type { PreparedTurn, PrepareTurnOptions } from "./host.ts";
import { checkKeys } from "./host-errors.ts";
import { checkPersistentDirectories } from "./persistent-directories.ts";
import { checkSessionId } from "./session-file.ts";

const KNOWN = [
  "session",
  "runId",
  "runtime",
  "tools",
  "toolContext",
  "traceOptions",
  "emitToolEvents",
  "replay",
  "persistentDirs",
  "onEvent",
];

/** Throws `OPTION_INVALID`, `SESSION_INVALID`, `TOOL_INVALID` or `TOOLS_WITHOUT_CONTEXT`. `traceOptions` are checked where they are merged. */
export function checkPrepareOptions(options: PrepareTurnOptions): void {
  checkKeys("prepareTurn", options, KNOWN);
  const { session, runId, tools, toolContext, emitToolEvents, replay, onEvent } = options;
  if (session !== undefined && typeof session !== "string" && typeof session?.id !== "string")
    throw invalidOption("session", "a session or its id");
  if (session !== undefined) checkSessionId(typeof session === "string" ? session : session.id);
  if (runId !== undefined && (typeof runId !== "string" || runId === "" || runId.length > 1_000))
    throw invalidOption("runId", "a text of 1 to 1000 characters");
  if (emitToolEvents !== undefined && typeof emitToolEvents !== "boolean")
    throw invalidOption("emitToolEvents", "true or false");
  if (replay !== undefined && (typeof replay?.lookup !== "function" || typeof replay.record !== "function"))
    throw invalidOption("replay", "an object with lookup and record");
  if (onEvent !== undefined && typeof onEvent !== "function") throw invalidOption("onEvent", "a function");
  checkPersistentDirectories(options.persistentDirs);
  if (tools === undefined) return;
  if (typeof tools !== "object" || tools === null) throw invalidOption("tools", "an object of tools by name");
  // The sandbox checks them too, but only when a script first runs.
  if (Object.keys(tools).length > 0) createRuntimeToolBridge({ tools, toolContext, sandboxPaths: [] });
}

/** With both languages decided. Throws `OPTION_INVALID`. */
export function checkRuntime(runtime: HarnessRuntimeOptions | undefined): PreparedTurn["runtime"] {
  checkKeys("runtime", runtime ?? {}, ["python", "javascript"]);
  const { python = true, javascript = true } = runtime ?? {};
  for (const [name, value] of Object.entries({ python, javascript })) {
    if (typeof value !== "boolean") throw invalidOption(`runtime.${name}`, "true or false");
  }
  return { python, javascript };
}
