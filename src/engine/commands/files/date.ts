import { type Command, decodeBytesToUtf8, defineCommand } from "just-bash";
import { parseGnuOptions } from "../gnu-options.ts";
import { formatTime, type Instant, instantOfDate } from "./format-time.ts";
import { parseDate } from "./parse-date.ts";
import { quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";
import { type TimeZone, timeZone, utc } from "./time-zone.ts";

const HELP = `Usage: date [OPTION]... [+FORMAT]
Display date and time in the given FORMAT.

  -d, --date=STRING          display time described by STRING, not 'now'
  -f, --file=DATEFILE        like --date; once for each line of DATEFILE
  -I[FMT], --iso-8601[=FMT]  output date/time in ISO 8601 format.
                               FMT='date' (the default), 'hours', 'minutes',
                               'seconds', or 'ns'
  -R, --rfc-email            output date and time in RFC 5322 format
      --rfc-3339=FMT         output date/time in RFC 3339 format.
                               FMT='date', 'seconds', or 'ns'
  -r, --reference=FILE       display the last modification time of FILE
  -u, --utc, --universal     print Coordinated Universal Time (UTC)
      --help     display this help and exit
      --version  output version information and exit

The clock of the system cannot be set here.
`;

const PROGRAM = {
  name: "date",
  help: HELP,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    date: { short: "d", long: "date", value: "required" },
    file: { short: "f", long: "file", value: "required" },
    iso: { short: "I", long: "iso-8601", value: "optional" },
    email: { short: "R", long: "rfc-email" },
    rfc822: { long: "rfc-822" },
    rfc2822: { long: "rfc-2822" },
    rfc3339: { long: "rfc-3339", value: "required" },
    reference: { short: "r", long: "reference", value: "required" },
    set: { short: "s", long: "set", value: "required" },
    resolution: { long: "resolution" },
    debug: { long: "debug" },
    utc: { short: "u", long: "utc" },
    uct: { long: "uct" },
    universal: { long: "universal" },
  },
} as const;

const DEFAULT_FORMAT = "%a %b %e %H:%M:%S %Z %Y";
const EMAIL_FORMAT = "%a, %d %b %Y %H:%M:%S %z";
const ISO_FORMATS: Readonly<Record<string, string>> = {
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  date: "%Y-%m-%d",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
};
const RFC_3339_FORMATS: Readonly<Record<string, string>> = {
  date: "%Y-%m-%d",
  seconds: "%Y-%m-%d %H:%M:%S%:z",
  ns: "%Y-%m-%d %H:%M:%S.%N%:z",
};

/** `date` as coreutils has it. The engine's own knows no arithmetic, few formats, and takes zones for UTC. */
export const date: Command = defineCommand("date", async (args, { fs, cwd, env, stdin }) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { given, operands, has, value } = parsed.args;
  const report = new Report("date");
  const misuse = (why: string) => {
    report.fail(`${why}\nTry 'date --help' for more information.`);
    return report.result();
  };

  let format: string | undefined;
  for (const { key, value = "date" } of given) {
    let wanted: string | undefined;
    if (key === "iso" || key === "rfc3339") {
      const formats = key === "iso" ? ISO_FORMATS : RFC_3339_FORMATS;
      const name = Object.keys(formats).find((one) => value !== "" && one.startsWith(value));
      const option = key === "iso" ? "--iso-8601" : "--rfc-3339";
      if (name === undefined) {
        const valid = Object.keys(formats).map((one) => `\n  - ${quoteValue(one)}`);
        return misuse(
          `invalid argument ${quoteValue(value)} for ${quoteValue(option)}\nValid arguments are:${valid.join("")}`,
        );
      }
      wanted = formats[name];
    } else if (key === "email" || key === "rfc822" || key === "rfc2822") wanted = EMAIL_FORMAT;
    else if (key === "resolution") wanted = "%s.%N";
    if (wanted === undefined) continue;
    if (format !== undefined) return misuse("multiple output formats specified");
    format = wanted;
  }
  const [operand, extra] = operands;
  if (extra !== undefined) return misuse(`extra operand ${quoteValue(extra)}`);
  if (operand?.startsWith("+")) {
    if (format !== undefined) return misuse("multiple output formats specified");
    format = operand.slice(1);
  } else if (operand !== undefined && (has("date") || has("file") || has("reference"))) {
    return misuse(
      `the argument ${quoteValue(operand)} lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'`,
    );
  }
  if (operand !== undefined && !operand.startsWith("+") && !/^\d{8}(\d\d(\d\d)?)?(\.\d\d)?$/.test(operand)) {
    report.fail(`invalid date ${quoteValue(operand)}`);
    return report.result();
  }
  const sources = (["date", "file", "reference", "resolution"] as const).filter(has);
  if (sources.length > 1) return misuse("the options to specify dates for printing are mutually exclusive");

  const inUtc = has("utc") || has("uct") || has("universal");
  const zone: TimeZone = inUtc ? utc : timeZone(env.get("TZ"));
  const now = instantOfDate(new Date());
  const show = (instant: Instant) => report.print(`${formatTime(format ?? DEFAULT_FORMAT, instant, zone)}\n`);
  const showText = (text: string) => {
    const instant = parseDate(text, now, zone);
    if (instant === null) report.fail(`invalid date ${quoteValue(text)}`);
    else show(instant);
  };
  const file = value("file");
  const reference = value("reference");
  if (has("set") || (operand !== undefined && !operand.startsWith("+"))) {
    report.fail("cannot set date: Operation not permitted");
    const asked = value("set") ?? "now";
    const instant = parseDate(asked, now, zone);
    if (instant !== null) show(instant);
  } else if (has("resolution")) report.print("0.000000001\n");
  else if (file !== undefined) {
    try {
      const content = file === "-" ? decodeBytesToUtf8(stdin) : await fs.readFile(fs.resolvePath(cwd, file));
      for (const line of content.split("\n").slice(0, content.endsWith("\n") ? -1 : undefined))
        showText(line);
    } catch (error) {
      report.failed(file, error);
    }
  } else if (reference !== undefined) {
    try {
      show(instantOfDate((await fs.stat(fs.resolvePath(cwd, reference))).mtime));
    } catch (error) {
      report.failed(reference, error);
    }
  } else if (value("date") !== undefined) showText(value("date") ?? "");
  else show(now);
  return report.result();
});
