import { Buffer } from "node:buffer";
import { type Command, defineCommand, type ExecResult } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { reasonOf } from "../reason.ts";
import { joinLines, linesOf } from "./byte-lines.ts";
import { readOperands } from "./read-operands.ts";

type Key =
  | "count"
  | "repeated"
  | "allRepeated"
  | "allRepeatedBy"
  | "group"
  | "ignoreCase"
  | "skipFields"
  | "skipChars"
  | "unique"
  | "checkChars"
  | "zero";

const program: GnuProgram<Key> = {
  name: "uniq",
  options: {
    count: { short: "c", long: "count" },
    repeated: { short: "d", long: "repeated" },
    allRepeated: { short: "D" },
    allRepeatedBy: { long: "all-repeated", value: "optional" },
    group: { long: "group", value: "optional" },
    ignoreCase: { short: "i", long: "ignore-case" },
    skipFields: { short: "f", long: "skip-fields", value: "required" },
    skipChars: { short: "s", long: "skip-chars", value: "required" },
    unique: { short: "u", long: "unique" },
    checkChars: { short: "w", long: "check-chars", value: "required" },
    zero: { short: "z", long: "zero-terminated" },
  },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: uniq [OPTION]... [INPUT [OUTPUT]]
Filter adjacent matching lines from INPUT (or standard input),
writing to OUTPUT (or standard output).

With no options, matching lines are merged to the first occurrence.

  -c, --count           prefix lines by the number of occurrences
  -d, --repeated        only print duplicate lines, one for each group
  -D                    print all duplicate lines
      --all-repeated[=METHOD]  like -D, but allow separating groups
                                 with an empty line;
                                 METHOD={none(default),prepend,separate}
  -f, --skip-fields=N   avoid comparing the first N fields
      --group[=METHOD]  show all items, separating groups with an empty line;
                          METHOD={separate(default),prepend,append,both}
  -i, --ignore-case     ignore differences in case when comparing
  -s, --skip-chars=N    avoid comparing the first N characters
  -u, --unique          only print unique lines
  -z, --zero-terminated     line delimiter is NUL, not newline
  -w, --check-chars=N   compare no more than N characters in lines
      --help        display this help and exit
      --version     output version information and exit
`,
};

/** `uniq` as coreutils has it; lines are bytes. */
export const uniq: Command = defineCommand("uniq", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  const [input = "-", output, extra] = operands;
  if (extra !== undefined) return usageError(program, `extra operand '${extra}'`);
  for (const [key, what] of [
    ["skipFields", "fields to skip"],
    ["skipChars", "bytes to skip"],
    ["checkChars", "bytes to compare"],
  ] as const) {
    const text = value(key);
    if (text !== undefined && !/^\d+$/.test(text)) return failed(`${text}: invalid number of ${what}`);
  }
  const showsAll = has("allRepeated") || has("allRepeatedBy");
  if (has("count") && showsAll)
    return usageError(program, "printing all duplicated lines and repeat counts is meaningless");
  if (has("group") && (has("count") || has("repeated") || showsAll || has("unique")))
    return usageError(program, "--group is mutually exclusive with -c/-d/-D/-u");

  const { files, stderr } = await readOperands("uniq", [input], ctx);
  const [file] = files;
  if (file === undefined) return { stdout: "", stderr, exitCode: 1 };
  const end = has("zero") ? "\0" : "\n";
  const [fields, skipped] = [Number(value("skipFields") ?? 0), Number(value("skipChars") ?? 0)];
  const most = value("checkChars");
  const keyOf = (line: string): string => {
    let at = 0;
    for (let left = fields; left > 0 && at < line.length; left--)
      at += /^[ \t]*[^ \t]*/.exec(line.slice(at))?.[0].length ?? 0;
    const key = line.slice(at + skipped, most === undefined ? undefined : at + skipped + Number(most));
    return has("ignoreCase") ? key.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : key;
  };

  const groups: string[][] = [];
  let lastKey: string | null = null;
  for (const line of linesOf(file.bytes, end)) {
    const key = keyOf(line);
    if (key === lastKey) groups.at(-1)?.push(line);
    else groups.push([line]);
    lastKey = key;
  }
  let lines: string[];
  if (has("group")) lines = separated(groups, value("group") ?? "separate");
  else {
    const kept = groups.filter(
      ({ length }) => !((has("repeated") || showsAll) && length === 1) && !(has("unique") && length > 1),
    );
    if (showsAll) lines = separated(kept, value("allRepeatedBy") ?? "none");
    else if (has("count"))
      lines = kept.map((group) => `${String(group.length).padStart(7)} ${group[0] ?? ""}`);
    else lines = kept.map(([line = ""]) => line);
  }
  const stdout = joinLines(lines, end);
  if (output === undefined || output === "-") return { stdout, stderr: "", exitCode: 0, stdoutKind: "bytes" };
  try {
    await ctx.fs.writeFile(ctx.fs.resolvePath(ctx.cwd, output), Buffer.from(stdout, "latin1"));
  } catch (error) {
    return failed(`${output}: ${reasonOf(error)}`);
  }
  return { stdout: "", stderr: "", exitCode: 0 };
});

function failed(why: string): ExecResult {
  return { stdout: "", stderr: `uniq: ${why}\n`, exitCode: 1 };
}

/** Groups with empty lines between, before or after them. */
function separated(groups: readonly string[][], method: string): string[] {
  return groups.flatMap((group, at) => {
    const before = method === "prepend" || method === "both" || (method === "separate" && at > 0);
    const after = method === "append" || (method === "both" && at === groups.length - 1);
    return [...(before ? [""] : []), ...group, ...(after ? [""] : [])];
  });
}
