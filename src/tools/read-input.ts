/**
 * JSON text from a script → plain value. The script may be hostile and the value goes to code of the host,
 * so size and depth are bounded, and a key named `__proto__` is refused: code that merges or copies the
 * input would change a prototype with it.
 */
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_JSON_BYTES } from "./normalise.ts";
import { toolFailed } from "./tool-error.ts";

/** The value, or `undefined` for `""`. Throws `TOOL_FAILED`. */
export function readInput(tool: string, argsJson: string): unknown {
  if (argsJson === "") return undefined;
  if (Buffer.byteLength(argsJson) > DEFAULT_MAX_JSON_BYTES) {
    throw toolFailed(
      tool,
      `the input of tool ${tool} is larger than ${DEFAULT_MAX_JSON_BYTES} bytes of JSON`,
    );
  }
  let input: unknown;
  try {
    input = JSON.parse(argsJson);
  } catch {
    // The parser's message quotes the input, which the script knows.
    throw toolFailed(tool, `the input of tool ${tool} is not JSON`);
  }
  checkShape(tool, input);
  return input;
}

// With a list and not by recursion: JSON.parse takes 200,000 nested arrays, the call stack does not.
function checkShape(tool: string, input: unknown): void {
  const rest: [value: unknown, depth: number][] = [[input, 0]];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [value, depth] = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= DEFAULT_MAX_DEPTH) {
      throw toolFailed(tool, `the input of tool ${tool} is nested deeper than ${DEFAULT_MAX_DEPTH}`);
    }
    if (Object.hasOwn(value, "__proto__")) {
      throw toolFailed(tool, `the input of tool ${tool} has a key named __proto__`);
    }
    for (const item of Object.values(value)) rest.push([item, depth + 1]);
  }
}
