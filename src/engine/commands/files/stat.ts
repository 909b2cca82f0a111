import { type Command, type CommandContext, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { formatTime, instantOfDate } from "./format-time.ts";
import { kindBits, type Look, look, modeText, OWNER, pathOf } from "./look.ts";
import { quoteName, quoteNameIfNeeded } from "./quote-name.ts";
import { Report } from "./report.ts";
import { type TimeZone, timeZone } from "./time-zone.ts";

const PROGRAM = {
  name: "stat",
  help: `Usage: stat [OPTION]... FILE...
Display file status.

  -L, --dereference     follow links
  -c  --format=FORMAT   use the specified FORMAT instead of the default;
                          output a newline after each use of FORMAT
      --printf=FORMAT   like --format, but interpret backslash escapes,
                          and do not output a mandatory trailing newline
  -t, --terse           print the information in terse form

The valid format sequences for files: %a %A %b %B %d %D %f %F %g %G %h %i %m
%n %N %o %s %t %T %u %U %w %W %x %X %y %Y %z %Z. File systems (-f) have no
figures here.
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    follow: { short: "L", long: "dereference" },
    fileSystem: { short: "f", long: "file-system" },
    format: { short: "c", long: "format", value: "required" },
    printf: { long: "printf", value: "required" },
    terse: { short: "t", long: "terse" },
    cached: { long: "cached", value: "required" },
  },
} as const;

const TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const SHOWN = [
  "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n",
  "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n",
  "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n",
  "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n",
].join("");
const PART = /%([-#0+ ']*)(\d*)(\.\d*)?([HL]?)([A-Za-z%])/g;

/** `stat` as coreutils has it. The engine's own knows few parts of a format and prints the others as they are. */
export const stat: Command = defineCommand("stat", async (args, ctx) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, given } = parsed.args;
  if (operands.length === 0) return usageError(PROGRAM, "missing operand");
  const report = new Report("stat");
  if (has("fileSystem")) {
    report.fail("file systems have no figures here (-f)");
    return report.result();
  }
  const last = given.findLast(({ key }) => key === "format" || key === "printf");
  const zone = timeZone(ctx.env.get("TZ"));
  for (const operand of operands) {
    try {
      const isInput = operand === "-";
      const entry = await look(
        ctx.fs,
        isInput ? "/dev/stdin" : pathOf(ctx.fs, ctx.cwd, operand),
        has("follow") || isInput,
      );
      const named = SHOWN.replace(
        "%N",
        () => quoteNameIfNeeded(operand).replaceAll("%", "%%") + (entry.isSymbolicLink ? "%N" : ""),
      );
      const format = last?.value ?? (has("terse") ? TERSE : named);
      const text = await filled(
        ctx,
        last?.key === "printf" ? unescapeFormat(format) : format,
        operand,
        entry,
        zone,
      );
      report.print(last?.key === "format" ? `${text}\n` : text);
    } catch (error) {
      report.failed(`cannot statx ${quoteName(operand)}`, error);
    }
  }
  return report.result();
});

async function filled(
  { fs, cwd }: CommandContext,
  format: string,
  operand: string,
  entry: Look,
  zone: TimeZone,
): Promise<string> {
  let linked = "";
  if (entry.isSymbolicLink && format.includes("N")) {
    linked = ` -> ${quoteName(await fs.readlink(fs.resolvePath(cwd, operand)))}`;
  }
  return format.replace(
    PART,
    (whole, flags: string, width: string, precision: string | undefined, half: string, letter: string) => {
      if (letter === "%") return "%";
      const digits = precision === undefined ? undefined : precision === "." ? 9 : Number(precision.slice(1));
      let value =
        half !== "" && letter === "d"
          ? deviceHalf(entry.dev, half)
          : partOf(letter, operand, entry, zone, digits);
      if (value === null) return whole;
      if (letter === "N") value += linked;
      if (digits !== undefined && typeof value === "string" && !"XYZW".includes(letter))
        value = value.slice(0, digits);
      const prefix =
        flags.includes("#") && letter === "a"
          ? "0"
          : flags.includes("#") && /[fDtT]/.test(letter)
            ? "0x"
            : "";
      const text = prefix + value;
      if (flags.includes("-")) return text.padEnd(Number(width));
      return text.padStart(
        Number(width),
        flags.includes("0") && /[abBdfghiosuXYZWDtT]/.test(letter) ? "0" : " ",
      );
    },
  );
}

function deviceHalf(dev: number, half: string): string {
  const major = (dev >> 8) & 0xfff;
  return String(half === "H" ? major : (dev & 0xff) | ((dev >> 12) & 0xfff00));
}

function partOf(
  letter: string,
  operand: string,
  entry: Look,
  zone: TimeZone,
  digits: number | undefined,
): string | null {
  const shownTime = (time: Date) => formatTime("%Y-%m-%d %H:%M:%S.%N %z", instantOfDate(time), zone);
  const seconds = (time: Date): string => {
    const at = instantOfDate(time);
    if (digits === undefined) return String(at.seconds);
    return `${at.seconds}.${String(at.nanoseconds).padStart(9, "0").slice(0, digits).padEnd(digits, "0")}`;
  };
  switch (letter) {
    case "a":
      return entry.mode.toString(8);
    case "A":
      return modeText(entry);
    case "b":
      return String(entry.blocks);
    case "B":
      return "512";
    case "d":
      return String(entry.dev);
    case "D":
      return entry.dev.toString(16);
    case "f":
      return (kindBits(entry) | entry.mode).toString(16);
    case "F":
      return kindOf(entry);
    case "g":
    case "u":
      return String(OWNER.id);
    case "G":
    case "U":
      return OWNER.name;
    case "h":
      return String(entry.nlink);
    case "i":
      return String(entry.ino);
    case "m":
      return "/";
    case "n":
      return operand;
    case "N":
      return quoteName(operand);
    case "o":
      return "4096";
    case "s":
      return String(entry.size);
    case "t":
    case "T":
    case "W":
      return "0";
    case "w":
      return "-";
    case "x":
      return shownTime(entry.atime);
    case "X":
      return seconds(entry.atime);
    case "y":
      return shownTime(entry.mtime);
    case "Y":
      return seconds(entry.mtime);
    case "z":
      return shownTime(entry.ctime);
    case "Z":
      return seconds(entry.ctime);
    case "C":
      return "?";
    default:
      return null;
  }
}

function kindOf(entry: Look): string {
  if (entry.isDevice) return "character special file";
  if (entry.isDirectory) return "directory";
  if (entry.isSymbolicLink) return "symbolic link";
  if (!entry.isFile) return "fifo";
  return entry.size === 0 ? "regular empty file" : "regular file";
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

/** Escapes of `--printf`; `find -printf` takes the same. */
export function unescapeFormat(format: string): string {
  return format.replace(/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|([\s\S]))/g, (whole, octal, hex, letter) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ESCAPES[letter as string] ?? whole;
  });
}
