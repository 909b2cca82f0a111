/** Where bytes come into the command line from: a script's file, standard input. */
import { fstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { messageOf } from "./message-of.ts";
import type { ScriptSource } from "./parse-args.ts";
import { UsageError } from "./usage-error.ts";

/** After this long with nothing on a pipe, say what is being waited for. */
const HINT_AFTER_MS = 2_000;

/** The text of the script. Throws `UsageError` when there is none to read. */
export async function readScript(source: ScriptSource): Promise<string> {
  switch (source.from) {
    case "text":
      return source.text;
    case "stdin":
      if (process.stdin.isTTY) throw new UsageError("no script given, and standard input is a terminal");
      return (await readToEnd(process.stdin)).toString("utf8");
    case "file":
      try {
        return await readFile(source.path, "utf8");
      } catch (error) {
        throw new UsageError(
          `cannot read the script "${source.path}" (${messageOf(error)}); for a script in place: -- '${source.path}'`,
        );
      }
  }
}

/** Standard input when it is a pipe, a socket or a file; a terminal or /dev/null gives nothing. */
export async function readPipedStdin(): Promise<Uint8Array | undefined> {
  if (!isPiped()) return undefined;
  const hint = setTimeout(() => {
    process.stderr.write(
      "little-harness: waiting for the end of standard input (--no-stdin runs without it)\n",
    );
  }, HINT_AFTER_MS);
  try {
    return await readToEnd(process.stdin);
  } finally {
    clearTimeout(hint);
  }
}

function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false; // a closed descriptor 0 is no input
  }
}

async function readToEnd(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
