/**
 * Steps of a session between and around the guest's scripts that are no commands: what they do costs a call and
 * not a parsed command with its words, redirections and collected output. `build/engine-faults/control.ts` has the
 * interpreter call them. As commands the five around one `true` cost more than `true` itself.
 */
import type { CommandNode, StatementNode } from "just-bash";
import { endsShell, type Interpreter, NOTHING, type Output } from "./interpreter.ts";

/** A statement that is one step. As any other it is passed over while the shell has `noexec`. */
function step(run: (interpreter: Interpreter) => Output | Promise<Output>): StatementNode {
  const statement = {
    type: "Statement" as const,
    pipelines: [],
    operators: [],
    background: false,
    step: run,
  };
  return statement;
}

/**
 * Runs a group as the guest's script. `exit`, `set -e` and `${x?}` end the group and not the shell; what it
 * exited with is told to `onStatus`, and the step itself always succeeds.
 */
export function guestStep(group: CommandNode, onStatus: (exitCode: number) => void): StatementNode {
  return step(async (interpreter) => {
    const { state } = interpreter;
    const { groupStdin, groupStdinSourceFd } = state;
    state.groupStdin = undefined;
    state.groupStdinSourceFd = undefined;
    state.lastArg = "";
    state.currentLine = 1;
    state.arrays?.get("PIPESTATUS")?.elements.clear();
    try {
      const output = await interpreter.executeCommand(group, "");
      onStatus(output.exitCode);
      return { ...output, exitCode: 0 };
    } catch (error) {
      const output = statusOf(error);
      onStatus(output.exitCode);
      return { ...output, exitCode: 0 };
    } finally {
      state.groupStdin = groupStdin;
      state.groupStdinSourceFd = groupStdinSourceFd;
    }
  });
}

/** A step that prints nothing. */
export function quietStep(run: (interpreter: Interpreter) => void | Promise<void>): StatementNode {
  return step((interpreter) => {
    const done = run(interpreter);
    return done === undefined ? NOTHING : nothingAfter(done);
  });
}

async function nothingAfter(done: Promise<void>): Promise<Output> {
  await done;
  return NOTHING;
}

/** What a script leaves that was ended from inside, as the interpreter has it for a part of a pipeline. */
function statusOf(error: unknown): Output {
  if (endsShell(error)) return { stdout: error.stdout, stderr: error.stderr, exitCode: error.exitCode };
  if (error instanceof Error && error.name === "BadSubstitutionError") {
    const { stdout, stderr } = error as Error & Output;
    return { stdout, stderr, exitCode: 1 };
  }
  throw error;
}
