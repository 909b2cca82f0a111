import { type Command, defineCommand } from "just-bash";

/**
 * `env` that only prints: the engine's own prints unexported variables and the interpreter's bookkeeping too.
 * With a command to run, and for options that this does not know, the engine's own does the work.
 */
export const env: Command = defineCommand("env", async (args, ctx) => {
  const shown = new Map(Object.entries(ctx.exportedEnv ?? {}));
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const assignment = /^([^=-][^=]*)=(.*)$/s.exec(arg);
    if (arg === "-i" || arg === "-" || arg === "--ignore-environment") shown.clear();
    else if (arg === "-u" && at + 1 < args.length) shown.delete(args[++at] ?? "");
    else if (arg.startsWith("--unset=")) shown.delete(arg.slice("--unset=".length));
    else if (assignment !== null) shown.set(assignment[1] ?? "", assignment[2] ?? "");
    else if (ctx.origCommand) return ctx.origCommand(args);
  }
  const stdout = [...shown].map(([name, value]) => `${name}=${value}\n`).join("");
  return { stdout, stderr: "", exitCode: 0 };
});
