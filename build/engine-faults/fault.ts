/** The form of a fault of the engine's that is mended in its text: no command or file system of ours reaches it. */
import type { TextChange } from "../plugins/change-text.ts";

/** Changes in one file of the engine. */
export interface EngineFault {
  /** Text that only the file meant holds; the build stops when it is in none or in several. */
  readonly mark: string;
  readonly changes: readonly TextChange[];
  /** Names that the changed text calls → the file of ours, relative to the project, that exports them. */
  readonly imports?: Readonly<Record<string, string>>;
}

/** The mark of the file with the interpreter: its parser, its expansion and its builtins are one. */
export const INTERPRETER = "e.state.parentHasLoopContext=o>0";
