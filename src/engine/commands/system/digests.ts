/** `md5sum`, `sha1sum`, `sha256sum`, … as coreutils has them, `-c` too. */
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { createHash } from "../../../workspace/node-fs.ts";
import { type GnuArguments, type GnuProgram, parseGnuOptions, usageError } from "../gnu-options.ts";
import { answer, inputBytes } from "./answer.ts";

type Key =
  | "binary"
  | "check"
  | "tag"
  | "text"
  | "zero"
  | "ignoreMissing"
  | "quiet"
  | "status"
  | "strict"
  | "warn";

interface Digest {
  readonly program: string;
  readonly hash: string;
  /** As `--tag` shows it. */
  readonly tag: string;
  readonly hexDigits: number;
}

export const md5sum = digestCommand({ program: "md5sum", hash: "md5", tag: "MD5", hexDigits: 32 });
export const sha1sum = digestCommand({ program: "sha1sum", hash: "sha1", tag: "SHA1", hexDigits: 40 });
export const sha224sum = digestCommand({
  program: "sha224sum",
  hash: "sha224",
  tag: "SHA224",
  hexDigits: 56,
});
export const sha256sum = digestCommand({
  program: "sha256sum",
  hash: "sha256",
  tag: "SHA256",
  hexDigits: 64,
});
export const sha384sum = digestCommand({
  program: "sha384sum",
  hash: "sha384",
  tag: "SHA384",
  hexDigits: 96,
});
export const sha512sum = digestCommand({
  program: "sha512sum",
  hash: "sha512",
  tag: "SHA512",
  hexDigits: 128,
});
export const b2sum = digestCommand({ program: "b2sum", hash: "blake2b512", tag: "BLAKE2b", hexDigits: 128 });

function digestCommand(digest: Digest): Command {
  const program: GnuProgram<Key> = {
    name: digest.program,
    options: {
      binary: { short: "b", long: "binary" },
      check: { short: "c", long: "check" },
      tag: { long: "tag" },
      text: { short: "t", long: "text" },
      zero: { short: "z", long: "zero" },
      ignoreMissing: { long: "ignore-missing" },
      quiet: { long: "quiet" },
      status: { long: "status" },
      strict: { long: "strict" },
      warn: { short: "w", long: "warn" },
    },
    compatibleWith: "GNU coreutils 9.1",
    help: `Usage: ${digest.program} [OPTION]... [FILE]...
Print or check ${digest.tag} checksums.

  -b, --binary          mark files as binary
  -c, --check           read checksums from the FILEs and check them
      --tag             lines as BSD has them
  -t, --text            mark files as text (default)
  -z, --zero            end each line with NUL, and escape no names
      --ignore-missing  with -c: say nothing of missing files
      --quiet           with -c: print no OK
      --status          with -c: print nothing
      --strict          with -c: fail on lines that are no checksums
  -w, --warn            with -c: warn of lines that are no checksums
      --help            display this help and exit
      --version         output version information and exit
`,
  };
  return defineCommand(digest.program, async (args, ctx) => {
    const parsed = parseGnuOptions(program, args);
    if (!parsed.ok) return parsed.result;
    const { has } = parsed.args;
    const onlyForCheck = (["ignoreMissing", "quiet", "status", "strict", "warn"] as const).find(has);
    if (onlyForCheck !== undefined && !has("check"))
      return usageError(
        program,
        `the --${program.options[onlyForCheck].long} option is meaningful only when verifying checksums`,
      );
    if (has("check") && has("tag"))
      return usageError(program, "the --tag option is meaningless when verifying checksums");
    if (has("check") && (has("binary") || has("text")))
      return usageError(program, "the --binary and --text options are meaningless when verifying checksums");
    const files = parsed.args.operands.length === 0 ? ["-"] : parsed.args.operands;
    return has("check") ? check(digest, files, parsed.args, ctx) : print(digest, files, parsed.args, ctx);
  });
}

async function print(
  digest: Digest,
  files: readonly string[],
  { has }: GnuArguments<Key>,
  ctx: CommandContext,
): Promise<ExecResult> {
  let stdout = "";
  let stderr = "";
  for (const file of files) {
    const content = await inputBytes(ctx, file);
    if (typeof content === "string") {
      stderr += `${digest.program}: ${file}: ${content}\n`;
      continue;
    }
    const sum = createHash(digest.hash).update(content).digest("hex");
    const isEscaped = !has("zero") && /[\\\n\r]/.test(file);
    const name = isEscaped
      ? file.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r")
      : file;
    const line = has("tag")
      ? `${digest.tag} (${name}) = ${sum}`
      : `${sum} ${has("binary") ? "*" : " "}${name}`;
    stdout += (isEscaped ? "\\" : "") + line + (has("zero") ? "\0" : "\n");
  }
  return answer(stdout, stderr);
}

/** How the lines of one list came out. */
interface Tally {
  good: number;
  failed: number;
  unread: number;
  malformed: number;
  proper: number;
}

async function check(
  digest: Digest,
  lists: readonly string[],
  args: GnuArguments<Key>,
  ctx: CommandContext,
): Promise<ExecResult> {
  const { has } = args;
  const { program, tag } = digest;
  let stdout = "";
  let stderr = "";
  let isBad = false;
  for (const list of lists) {
    const content = await inputBytes(ctx, list);
    const shown = list === "-" ? "'standard input'" : list;
    if (typeof content === "string") {
      stderr += `${program}: ${list}: ${content}\n`;
      isBad = true;
      continue;
    }
    const tally: Tally = { good: 0, failed: 0, unread: 0, malformed: 0, proper: 0 };
    for (const [index, line] of content.toString("utf8").split("\n").entries()) {
      if (line === "" || line.startsWith("#")) continue;
      const entry = readLine(line.replace(/\r$/, ""), digest);
      if (entry === null) {
        tally.malformed++;
        if (has("warn"))
          stderr += `${program}: ${shown}: ${index + 1}: improperly formatted ${tag} checksum line\n`;
        continue;
      }
      tally.proper++;
      const { name, sum } = entry;
      const file = await inputBytes(ctx, name);
      if (typeof file === "string") {
        if (has("ignoreMissing") && file === "No such file or directory") continue;
        stderr += `${program}: ${name}: ${file}\n`;
        tally.unread++;
        if (!has("status")) stdout += `${name}: FAILED open or read\n`;
      } else if (createHash(digest.hash).update(file).digest("hex") === sum) {
        tally.good++;
        if (!has("status") && !has("quiet")) stdout += `${name}: OK\n`;
      } else {
        tally.failed++;
        if (!has("status")) stdout += `${name}: FAILED\n`;
      }
    }
    if (tally.proper === 0) stderr += `${program}: ${shown}: no properly formatted checksum lines found\n`;
    else if (!has("status")) stderr += warnings(program, tally);
    const nothingChecked =
      has("ignoreMissing") && tally.good + tally.failed + tally.unread === 0 && tally.proper > 0;
    if (nothingChecked) stderr += `${program}: ${shown}: no file was verified\n`;
    isBad ||=
      tally.proper === 0 ||
      tally.failed + tally.unread > 0 ||
      nothingChecked ||
      (has("strict") && tally.malformed > 0);
  }
  return answer(stdout, stderr, isBad ? 1 : 0);
}

function warnings(program: string, { malformed, unread, failed }: Tally): string {
  const warn = (count: number, one: string, more: string): string =>
    count === 0 ? "" : `${program}: WARNING: ${count} ${count === 1 ? one : more}\n`;
  return (
    warn(malformed, "line is improperly formatted", "lines are improperly formatted") +
    warn(unread, "listed file could not be read", "listed files could not be read") +
    warn(failed, "computed checksum did NOT match", "computed checksums did NOT match")
  );
}

function readLine(line: string, { tag, hexDigits }: Digest): { name: string; sum: string } | null {
  const isEscaped = line.startsWith("\\");
  const text = isEscaped ? line.slice(1) : line;
  const [, tagged = "", taggedSum = ""] =
    new RegExp(`^${tag} ?\\((.*)\\) ?= ?([0-9a-f]{${hexDigits}})$`, "is").exec(text) ?? [];
  const [, plainSum = "", plainName = ""] =
    new RegExp(`^\\s*([0-9a-f]{${hexDigits}})(?: [ *]| )(.+)$`, "is").exec(text) ?? [];
  const name = tagged || plainName;
  if (name === "") return null;
  const sum = (taggedSum || plainSum).toLowerCase();
  if (!isEscaped) return { name, sum };
  return {
    name: name.replace(/\\([\\nr])/g, (_, letter: string) => ({ n: "\n", r: "\r" })[letter] ?? "\\"),
    sum,
  };
}
