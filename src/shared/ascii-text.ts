/**
 * Large text is mostly ASCII, and of that a copy is the text: to decode 8 MB of it as UTF-8 takes Node.js 50 to 150 ms,
 * this 2 ms (Node.js 20; short text is as fast either way).
 */

/** Below this decoding costs no more. */
const LARGE_BYTES = 1 << 17;

// A copy: the engine's defenses replace globals while a script runs. Absent where there is no Node.js.
const NodeBuffer = globalThis.Buffer as typeof Buffer | undefined;

/** The text of many bytes that are all ASCII; `null` for few and for others, which a decoder is for. */
export function asciiText(bytes: Uint8Array): string | null {
  if (NodeBuffer === undefined || bytes.length < LARGE_BYTES) return null;
  const text = NodeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  // Every byte above ASCII takes two in UTF-8.
  return NodeBuffer.byteLength(text) === bytes.length ? text : null;
}
