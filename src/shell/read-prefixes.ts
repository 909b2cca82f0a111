/** Asks the host which paths are read-only at this moment. */
import { tellThrown } from "../shared/redact.ts";
import type { RuntimeParts } from "./runtime-parts.ts";

/** What is not a list of absolute paths, and what is thrown, is a problem: never fewer prefixes. */
export function readPrefixes(
  ask: (() => readonly string[]) | undefined,
): ReturnType<RuntimeParts["readReadOnlyPrefixes"]> {
  if (ask === undefined) return { prefixes: [] };
  try {
    const prefixes: unknown = ask();
    const isList =
      Array.isArray(prefixes) && prefixes.every((path) => typeof path === "string" && path.startsWith("/"));
    if (isList) return { prefixes: [...prefixes] };
    return { problem: "getReadOnlyPrefixes: expected a list of absolute paths" };
  } catch (thrown) {
    return {
      problem: `getReadOnlyPrefixes failed: ${tellThrown(thrown)}`,
    };
  }
}
