/**
 * Options as GNU programs take them (getopt_long): short ones in groups, values attached or apart, long names cut
 * short as long as they stay clear, options after operands, `--`. `--help` and `--version` come with it.
 */
import type { ExecResult } from "just-bash";

/** One option of a program. */
export interface GnuOption {
  /** One letter. */
  readonly short?: string;
  /** Without the dashes. */
  readonly long?: string;
  /** Whether a value belongs to it. @default none */
  readonly value?: "required" | "optional";
}

/** What a program takes. */
export interface GnuProgram<Key extends string> {
  readonly name: string;
  readonly options: Readonly<Record<Key, GnuOption>>;
  /** What `--help` prints, with its last line feed. */
  readonly help: string;
  /** The package that the program is compatible with, and its release: "GNU coreutils 9.1". */
  readonly compatibleWith: string;
  /** The first operand ends the options: for programs that run another one. @default false */
  readonly stopAtOperand?: boolean;
  /** What a usage error exits with. @default 1 */
  readonly usageStatus?: number;
}

/** Options and operands of one call. */
export interface GnuArguments<Key extends string> {
  /** In the order given. */
  readonly given: readonly { readonly key: Key; readonly value: string | undefined }[];
  readonly operands: readonly string[];
  has(key: Key): boolean;
  /** The value given last. */
  value(key: Key): string | undefined;
}

/** The arguments, or the result that ends the call: an error, help, the version. */
export type ParsedArguments<Key extends string> =
  | { readonly ok: true; readonly args: GnuArguments<Key> }
  | { readonly ok: false; readonly result: ExecResult };

export function parseGnuOptions<Key extends string>(
  program: GnuProgram<Key>,
  args: readonly string[],
): ParsedArguments<Key> {
  const given: { key: Key; value: string | undefined }[] = [];
  const operands: string[] = [];
  const entries = Object.entries(program.options) as [Key, GnuOption][];
  const fail = (why: string) => ({ ok: false as const, result: usageError(program, why) });

  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const [, name = "", attached] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
      const found = findLong(entries, name);
      if (found === "help") return { ok: false, result: { stdout: program.help, stderr: "", exitCode: 0 } };
      if (found === "version") return { ok: false, result: versionOf(program) };
      if (found === null) return fail(`unrecognized option '--${name}'`);
      if (found.length > 1) {
        const names = found.map(([, { long }]) => `'--${long}'`).join(" ");
        return fail(`option '--${name}' is ambiguous; possibilities: ${names}`);
      }
      const [[key, option]] = found as [[Key, GnuOption]];
      let value = attached;
      if (option.value === undefined && value !== undefined)
        return fail(`option '--${option.long}' doesn't allow an argument`);
      if (option.value === "required" && value === undefined) {
        value = args[++at];
        if (value === undefined) return fail(`option '--${option.long}' requires an argument`);
      }
      given.push({ key, value });
    } else if (arg.startsWith("-") && arg !== "-") {
      for (let letterAt = 1; letterAt < arg.length; letterAt++) {
        const letter = arg[letterAt] ?? "";
        const found = entries.find(([, { short }]) => short === letter);
        if (found === undefined) return fail(`invalid option -- '${letter}'`);
        const [key, { value: takes }] = found;
        if (takes === undefined) {
          given.push({ key, value: undefined });
          continue;
        }
        const rest = arg.slice(letterAt + 1);
        const value = rest !== "" ? rest : takes === "required" ? args[++at] : undefined;
        if (takes === "required" && value === undefined)
          return fail(`option requires an argument -- '${letter}'`);
        given.push({ key, value });
        break;
      }
    } else {
      operands.push(arg);
      if (program.stopAtOperand) {
        operands.push(...args.slice(at + 1));
        break;
      }
    }
  }
  const parsed: GnuArguments<Key> = {
    given,
    operands,
    has: (key) => given.some((one) => one.key === key),
    value: (key) => given.findLast((one) => one.key === key)?.value,
  };
  return { ok: true, args: parsed };
}

/** The result of wrong usage, in GNU's words. */
export function usageError(
  program: Pick<GnuProgram<never>, "name" | "usageStatus">,
  why: string,
): ExecResult {
  const stderr = `${program.name}: ${why}\nTry '${program.name} --help' for more information.\n`;
  return { stdout: "", stderr, exitCode: program.usageStatus ?? 1 };
}

function versionOf({ name, compatibleWith }: Pick<GnuProgram<never>, "name" | "compatibleWith">): ExecResult {
  return { stdout: `${name} (compatible with ${compatibleWith})\n`, stderr: "", exitCode: 0 };
}

function findLong<Key extends string>(
  entries: readonly [Key, GnuOption][],
  name: string,
): [Key, GnuOption][] | "help" | "version" | null {
  const exact = entries.filter(([, { long }]) => long === name);
  if (exact.length > 0) return exact;
  if (name === "help" || name === "version") return name;
  const starting = name === "" ? [] : entries.filter(([, { long }]) => long?.startsWith(name));
  if (starting.length > 0) return starting;
  return null;
}
