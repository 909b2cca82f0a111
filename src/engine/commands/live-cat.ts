/**
 * `cat` of large files whose output leaves at once: the bytes go from the file to the wire, piece by piece in one
 * buffer. As a text that is returned at the end, 100 MB were read, made a text, and made bytes again, each time on
 * fresh memory, before the first of them left. Called from the engine's own text (`build/engine-faults/files.ts`).
 */
import type { CommandContext, ExecResult } from "just-bash";
import { nextTurn } from "../control/job-turns.ts";
import { codeOf, reasonOf } from "./reason.ts";

/** Below this the engine's own way costs no more than looking at the files does. */
const LARGE_BYTES = 1 << 16;
/** Others get a turn of the event loop each time so much has left: timers, aborts, jobs. */
const TURN_BYTES = 1 << 24;

/** Where a command's output goes, if that is a device of ours and nowhere else. */
interface LiveContext extends CommandContext {
  readonly stdoutDevice?: string;
}

/** `readFileBuffer` of `MountFs`, which the engine hands on with all arguments. */
interface PieceReader {
  readFileBuffer(path: string, pieces: { take(piece: Uint8Array): Promise<void> }): Promise<Uint8Array>;
}

/** `null`: nothing was done, as there is an option, an operand that is no file, or too little to read. */
export async function catLive(args: readonly string[], context: CommandContext): Promise<ExecResult | null> {
  const { stdoutDevice: device, fs, cwd }: LiveContext = context;
  if (device === undefined || args.length === 0 || args.some((arg) => arg.startsWith("-"))) return null;
  const pathOf = (arg: string): string => fs.resolvePath(cwd, arg);
  let size = 0;
  for (const arg of args) {
    const stat = await fs.stat(pathOf(arg)).catch(() => null);
    if (stat === null || !stat.isFile) return null;
    size += stat.size;
  }
  if (size < LARGE_BYTES) return null;

  let sinceTurn = 0;
  const take = async (piece: Uint8Array): Promise<void> => {
    await fs.appendFile(device, piece);
    sinceTurn += piece.length;
    if (sinceTurn < TURN_BYTES) return;
    sinceTurn = 0;
    await nextTurn();
  };
  const reader = fs as unknown as PieceReader;
  let stderr = "";
  for (const arg of args) {
    try {
      const rest = await reader.readFileBuffer(pathOf(arg), { take });
      if (rest.length > 0) await take(rest);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      stderr += `cat: ${arg}: ${reasonOf(error)}\n`;
    }
  }
  return { stdout: "", stderr, exitCode: stderr === "" ? 0 : 1 };
}
