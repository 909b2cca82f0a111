/** The guest's side of file calls in parts (`file-parts.ts`): what the threads of `python3` and `js-exec` call. */
import { PART } from "./file-parts.ts";

/** just-bash's numbers for the calls that carry the parts. */
const OPERATION = { readFile: 1, writeFile: 2, appendFile: 8, chmod: 12 };

interface Crossing {
  execSync(
    operation: number,
    path: string,
    data?: Uint8Array,
    flags?: number,
  ): { readonly success: boolean; readonly error?: string; readonly result?: Uint8Array };
}

/** Bytes of one crossing; the memory between the threads holds 8 MiB. */
const CROSSING_BYTES = 4 << 20;

/** One call; throws an `Error` with the file system's text. */
export function filePart(
  to: Crossing,
  part: number,
  path: string,
  numbers: readonly number[],
  bytes = new Uint8Array(0),
): Uint8Array {
  const data = new Uint8Array(8 * numbers.length + bytes.length);
  new Float64Array(data.buffer, 0, numbers.length).set(numbers);
  data.set(bytes, 8 * numbers.length);
  const operation =
    part === PART.read ? OPERATION.readFile : part === PART.times ? OPERATION.chmod : OPERATION.writeFile;
  return cross(to, operation, path, data, part);
}

/** The whole content, in as many parts as it takes. */
export function readWhole(to: Crossing, path: string): Uint8Array {
  const first = filePart(to, PART.read, path, [0, CROSSING_BYTES]);
  if (first.length < CROSSING_BYTES) return first;
  const parts = [first];
  let size = first.length;
  for (;;) {
    const part = filePart(to, PART.read, path, [size, CROSSING_BYTES]);
    if (part.length === 0) break;
    parts.push(part);
    size += part.length;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Replaces the content, or adds to it. */
export function writeWhole(to: Crossing, path: string, bytes: Uint8Array, append = false): void {
  const first = append ? OPERATION.appendFile : OPERATION.writeFile;
  cross(to, first, path, bytes.subarray(0, CROSSING_BYTES));
  for (let at = CROSSING_BYTES; at < bytes.length; at += CROSSING_BYTES) {
    cross(to, OPERATION.appendFile, path, bytes.subarray(at, at + CROSSING_BYTES));
  }
}

function cross(to: Crossing, operation: number, path: string, data: Uint8Array, flags = 0): Uint8Array {
  const { success, error, result } = to.execSync(operation, path, data, flags);
  if (!success) throw new Error(error ?? "EIO: i/o error");
  return result ?? new Uint8Array(0);
}
