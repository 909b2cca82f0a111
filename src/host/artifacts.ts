/** Files that a turn leaves below `/artifacts`, where scripts write as well: nothing of theirs is ever overwritten. */
import { createHash, randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import nodePath from "node:path";
import { invalidOption } from "../shared/check-options.ts";
import { codeOf } from "../storage/error-code.ts";
import { storeFailed } from "./host-errors.ts";
import { numberedName, toArtifactName } from "./safe-name.ts";

/** A file that was written. */
export interface WrittenArtifact {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** After so many names with a number, one at random. */
const MAX_NUMBER = 200;

/** Writes a new file. Rejects with `OPTION_INVALID` or `STORE_FAILED`, and then leaves nothing. */
export async function writeArtifact(
  directory: string,
  name: unknown,
  content: unknown,
): Promise<WrittenArtifact> {
  if (typeof name !== "string" || name === "") throw invalidOption("name", "a name for the artifact");
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  if (!(bytes instanceof Uint8Array)) throw invalidOption("bytes", "a string or a Uint8Array");
  const wanted = toArtifactName(name);
  for (let number = 1; ; number++) {
    const suffix = number <= MAX_NUMBER ? number : randomBytes(6).toString("hex");
    const free = number === 1 ? wanted : numberedName(wanted, suffix);
    if (await writeNew(nodePath.join(directory, free), bytes)) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { name: free, sizeBytes: bytes.byteLength, sha256 };
    }
  }
}

/** `false` when something has that name, a link that leads nowhere too: it is never followed. */
async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  const name = nodePath.basename(path);
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(bytes);
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined); // the error of the write is the one to tell
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw storeFailed(`The artifact "${name}" could not be written`, error);
  }
}
