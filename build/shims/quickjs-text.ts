/**
 * Long text between the thread of `js-exec` and QuickJS. Emscripten's functions for it look at each byte in a loop
 * of JavaScript, three times for one text; Node.js has them in machine code. Short text stays with Emscripten's.
 */
import { Buffer } from "node:buffer";
import { asciiText } from "../../src/shared/ascii-text.ts";

/** What QuickJS's glue code calls on Emscripten's module, and finds there at each call. */
interface EmscriptenModule {
  readonly HEAPU8: Uint8Array;
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, roomBytes: number): number;
  lengthBytesUTF8(text: string): number;
}

/** Below this a call out of JavaScript costs more than its loop. */
const LONG = 1_024;

const encoder = new TextEncoder();

export function withFastText<Q extends { readonly module: EmscriptenModule }>(quickjs: Q): Q {
  const { module } = quickjs;
  const { UTF8ToString, stringToUTF8, lengthBytesUTF8 } = module;
  module.UTF8ToString = (pointer) => {
    const end = module.HEAPU8.indexOf(0, pointer);
    const text = end - pointer < LONG ? null : asciiText(module.HEAPU8.subarray(pointer, end));
    return text ?? UTF8ToString(pointer);
  };
  // Counted and written by the same rule: half a surrogate pair is U+FFFD, three bytes.
  module.lengthBytesUTF8 = (text) => (text.length < LONG ? lengthBytesUTF8(text) : Buffer.byteLength(text));
  module.stringToUTF8 = (text, pointer, roomBytes) => {
    if (text.length < LONG) return stringToUTF8(text, pointer, roomBytes);
    const { written } = encoder.encodeInto(text, module.HEAPU8.subarray(pointer, pointer + roomBytes - 1));
    module.HEAPU8[pointer + written] = 0;
    return written;
  };
  return quickjs;
}
