import { type Command, defineCommand } from "just-bash";

/**
 * The engine runs one `js-exec` at a time per process. A command that a tool starts while `js-exec` waits for
 * that tool would wait for it in turn, for ever: refuse it with a reason.
 */
export function nestedJavaScript(): Command[] {
  return ["js-exec", "node"].map((name) =>
    defineCommand(name, async () => ({
      stdout: "",
      stderr: `${name}: not available in a command that a tool runs while js-exec waits for it\n`,
      exitCode: 126,
    })),
  );
}
