import { type Command, defineCommand } from "just-bash";
import { toMilliseconds } from "./timeout.ts";

/** `sleep infinity` and `sleep .5`, which the engine's own refuses; everything else is left to it. */
export const sleep: Command = defineCommand("sleep", async (args, ctx) => {
  const endless = args.length > 0 && args.every((arg) => toMilliseconds(arg) !== null);
  if (endless && args.some((arg) => toMilliseconds(arg) === Number.POSITIVE_INFINITY)) {
    await new Promise<void>((resolve) => {
      if (ctx.signal?.aborted) resolve();
      ctx.signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    return { stdout: "", stderr: "", exitCode: 143 };
  }
  return (
    (await ctx.origCommand?.(args.map((arg) => arg.replace(/^\./, "0.")))) ?? {
      stdout: "",
      stderr: "",
      exitCode: 127,
    }
  );
});
