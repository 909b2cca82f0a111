import { type Command, defineCommand } from "just-bash";

/** `printenv [NAME…]`: the engine's own prints unexported variables and the interpreter's bookkeeping too. */
export const printenv: Command = defineCommand("printenv", async (args, ctx) => {
  const exported = ctx.exportedEnv ?? {};
  if (args.some((arg) => arg.startsWith("-"))) return (await ctx.origCommand?.(args)) ?? failure();
  const values = args.length === 0 ? Object.entries(exported).map(([name, value]) => `${name}=${value}`) : [];
  let missing = false;
  for (const name of args) {
    if (Object.hasOwn(exported, name)) values.push(exported[name] ?? "");
    else missing = true;
  }
  const stdout = values.map((value) => `${value}\n`).join("");
  return { stdout, stderr: "", exitCode: missing ? 1 : 0 };
});

function failure(): { stdout: string; stderr: string; exitCode: number } {
  return { stdout: "", stderr: "printenv: the engine has no such command\n", exitCode: 127 };
}
