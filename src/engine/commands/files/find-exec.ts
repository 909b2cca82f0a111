/** `-exec`, `-execdir`, `-ok`: commands that `find` runs. */
import type { ExecResult } from "just-bash";
import { quote } from "../../../shared/quote.ts";
import { type FindCall, FindError, type FindStep, type Visit } from "./find-visit.ts";
import type { Answers } from "./look.ts";
import { quoteValue } from "./quote-name.ts";

/** The longest list of names for one command, in characters, as the kernel has its limit. */
const MAX_BATCH_LENGTH = 100_000;

/** The step for the words after an option that runs a command; how many words belong to it. */
export function execStep(
  call: FindCall,
  option: string,
  words: readonly string[],
  answers: Answers,
): { readonly step: FindStep; readonly used: number } {
  const inDirectory = option.endsWith("dir");
  const end = words.findIndex((word, at) => word === ";" || (word === "+" && words[at - 1] === "{}"));
  const command = words.slice(0, end);
  if (end <= 0 || (command.length === 1 && words[end] === "+"))
    throw new FindError(`missing argument to \`-${option}'`);
  if (words[end] === ";") {
    const step: FindStep = async (visit) => {
      const name = inDirectory ? `./${visit.name}` : visit.shown;
      const filled = command.map((word) => word.replaceAll("{}", () => name));
      if (option.startsWith("ok")) {
        call.report.stderr += `< ${filled[0]} ... ${visit.shown} > ? `;
        if (!answers.isYes()) return false;
      }
      return (await run(call, filled, inDirectory ? directoryOf(visit) : undefined)) === 0;
    };
    return { step, used: end + 1 };
  }
  const fixed = command.slice(0, -1);
  if (fixed.some((word) => word.includes("{}"))) {
    throw new FindError(`Only one instance of {} is supported with -${option} ... +`);
  }
  let names: string[] = [];
  let length = 0;
  let directory: string | undefined;
  const flush = async (): Promise<void> => {
    if (names.length === 0) return;
    const batch = names;
    [names, length] = [[], 0];
    if ((await run(call, [...fixed, ...batch], directory)) !== 0) call.report.exitCode = 1;
  };
  call.atEnd.push(flush);
  const step: FindStep = async (visit) => {
    const at = inDirectory ? directoryOf(visit) : undefined;
    if (length > MAX_BATCH_LENGTH || (names.length > 0 && at !== directory)) await flush();
    directory = at;
    const name = inDirectory ? `./${visit.name}` : visit.shown;
    names.push(name);
    length += name.length + 1;
    return true;
  };
  return { step, used: end + 1 };
}

function directoryOf({ path, call }: Visit): string {
  return call.ctx.fs.resolvePath(path, "..");
}

async function run(
  { ctx, report }: FindCall,
  [name = "", ...args]: readonly string[],
  cwd = ctx.cwd,
): Promise<number> {
  if (ctx.exec === undefined) throw new FindError("the shell runs no commands here");
  const result: ExecResult = await ctx.exec(quote(name), { cwd, args });
  if (result.exitCode === 127 && /command not found\n$/.test(result.stderr)) {
    report.stderr += `find: ${quoteValue(name)}: No such file or directory\n`;
    return result.exitCode;
  }
  report.pass(result);
  return result.exitCode;
}
