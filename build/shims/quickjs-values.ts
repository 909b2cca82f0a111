/** Values between the thread of `js-exec` and the script in QuickJS, byte for byte. */

interface Handle {
  dispose(): void;
}

interface Context {
  typeof(handle: Handle): string;
  getString(handle: Handle): string;
  getArrayBuffer(handle: Handle): { consume<T>(use: (lifetime: { readonly value: Uint8Array }) => T): T };
  newString(text: string): Handle;
  newArrayBuffer(bytes: ArrayBufferLike): Handle;
  newError(message: string): Handle;
  setProp(object: Handle, name: string, value: Handle): void;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const NODE_ERROR = /^(E[A-Z0-9]+): .*, ([a-z]+) '([^']*)'$/s;

/** What a script hands over: text (without a NUL, where QuickJS would cut it) or an `ArrayBuffer`. */
export function bytesOf(context: Context, handle: Handle): Uint8Array {
  if (context.typeof(handle) === "string") return encoder.encode(context.getString(handle));
  return context.getArrayBuffer(handle).consume(({ value }) => value.slice());
}

/** Text for a script; an `ArrayBuffer` where a NUL would end the text in QuickJS. */
export function newText(context: Context, bytes: Uint8Array): Handle {
  return bytes.includes(0)
    ? context.newArrayBuffer(bytes.slice().buffer)
    : context.newString(decoder.decode(bytes));
}

const IN_NAME = /[\ufdd0\ud800-\udfff]/gu;

/**
 * A file's name on its way into QuickJS, whose strings cross as UTF-8: lone surrogates, which stand for bytes that
 * are none, cross as U+FDD0 and four digits. `quickjs-files.js` does the same on its side.
 */
export function fromName(name: string): string {
  return name.replace(IN_NAME, (unit) => `\ufdd0${unit.charCodeAt(0).toString(16)}`);
}

/** The way back. */
export function toName(text: string): string {
  return text.replace(/\ufdd0([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** An error with what Node's have: `code`, `syscall` and `path`, when the text has them. */
export function newError(context: Context, message: string): Handle {
  const error = context.newError(message);
  const [, code, syscall, path] = NODE_ERROR.exec(message) ?? [];
  for (const [name, value] of Object.entries({ code, syscall, path })) {
    if (value === undefined) continue;
    const text = context.newString(value);
    context.setProp(error, name, text);
    text.dispose();
  }
  return error;
}
