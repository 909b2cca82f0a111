/** `basename` and `dirname` as coreutils has them. */
import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer } from "./answer.ts";

const END_OF_HELP = `      --help     display this help and exit
      --version  output version information and exit
`;

const basenameProgram: GnuProgram<"multiple" | "suffix" | "zero"> = {
  name: "basename",
  options: {
    multiple: { short: "a", long: "multiple" },
    suffix: { short: "s", long: "suffix", value: "required" },
    zero: { short: "z", long: "zero" },
  },
  compatibleWith: "GNU coreutils 9.1",
  stopAtOperand: true,
  help: `Usage: basename NAME [SUFFIX]
  or:  basename OPTION... NAME...
Print NAME without its directories, and without SUFFIX.

  -a, --multiple       every argument is a NAME
  -s, --suffix=SUFFIX  take SUFFIX away; implies -a
  -z, --zero           end each line with NUL, not newline
${END_OF_HELP}`,
};

export const basename: Command = defineCommand("basename", async (args) => {
  const parsed = parseGnuOptions(basenameProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  if (operands.length === 0) return usageError(basenameProgram, "missing operand");
  const isMany = has("multiple") || has("suffix");
  if (!isMany && operands[2] !== undefined)
    return usageError(basenameProgram, `extra operand ‘${operands[2]}’`);
  const suffix = (isMany ? value("suffix") : operands[1]) ?? "";
  const names = (isMany ? operands : operands.slice(0, 1)).map((operand) => {
    const bare = operand.replace(/(?<=[^/])\/+$/, "");
    const name = /^\/+$/.test(bare) ? "/" : bare.slice(bare.lastIndexOf("/") + 1);
    return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  });
  return answer(names.map((name) => name + (has("zero") ? "\0" : "\n")).join(""));
});

const dirnameProgram: GnuProgram<"zero"> = {
  name: "dirname",
  options: { zero: { short: "z", long: "zero" } },
  compatibleWith: "GNU coreutils 9.1",
  help: `Usage: dirname [OPTION] NAME...
Print each NAME without its last part; '.' where there is no other.

  -z, --zero     end each line with NUL, not newline
${END_OF_HELP}`,
};

export const dirname: Command = defineCommand("dirname", async (args) => {
  const parsed = parseGnuOptions(dirnameProgram, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has } = parsed.args;
  if (operands.length === 0) return usageError(dirnameProgram, "missing operand");
  const names = operands.map((operand) => {
    const bare = operand.replace(/(?<=[^/])\/+$/, "");
    if (/^\/+$/.test(bare)) return "/";
    const slash = bare.lastIndexOf("/");
    return slash < 0 ? "." : bare.slice(0, slash).replace(/\/+$/, "") || "/";
  });
  return answer(names.map((name) => name + (has("zero") ? "\0" : "\n")).join(""));
});
