import { type Command, defineCommand } from "just-bash";
import { parseGnuOptions, usageError } from "../gnu-options.ts";
import { instantOfDate } from "./format-time.ts";
import { look, lookIfThere, pathOf } from "./look.ts";
import { parseDate } from "./parse-date.ts";
import { quoteName, quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";
import { nearestInstant, type TimeZone, timeZone } from "./time-zone.ts";

const PROGRAM = {
  name: "touch",
  help: `Usage: touch [OPTION]... FILE...
Update the access and modification times of each FILE to the current time.
A FILE argument that does not exist is created empty, unless -c or -h is supplied.

  -a                     change only the access time
  -c, --no-create        do not create any files
  -d, --date=STRING      parse STRING and use it instead of current time
  -h, --no-dereference   affect each symbolic link instead of any referenced file
  -m                     change only the modification time
  -r, --reference=FILE   use this file's times instead of current time
  -t STAMP               use [[CC]YY]MMDDhhmm[.ss] instead of current time
      --time=WORD        change the specified time: access, atime, use; modify, mtime
`,
  compatibleWith: "GNU coreutils 9.1",
  options: {
    access: { short: "a" },
    noCreate: { short: "c", long: "no-create" },
    date: { short: "d", long: "date", value: "required" },
    ignored: { short: "f" },
    noFollow: { short: "h", long: "no-dereference" },
    modified: { short: "m" },
    reference: { short: "r", long: "reference", value: "required" },
    stamp: { short: "t", value: "required" },
    time: { long: "time", value: "required" },
  },
} as const;

/** `touch` as coreutils has it. The engine's own takes few dates and no reference. */
export const touch: Command = defineCommand("touch", async (args, { fs, cwd, env }) => {
  const parsed = parseGnuOptions(PROGRAM, args);
  if (!parsed.ok) return parsed.result;
  const { operands, has, value } = parsed.args;
  const report = new Report("touch");
  const zone = timeZone(env.get("TZ"));
  const now = new Date();
  let times = { atime: now, mtime: now };
  const reference = value("reference");
  const date = value("date");
  const stamp = value("stamp");
  if (stamp !== undefined && (date !== undefined || reference !== undefined)) {
    return usageError(PROGRAM, "cannot specify times from more than one source");
  }
  if (reference !== undefined) {
    try {
      times = await look(fs, pathOf(fs, cwd, reference), !has("noFollow"));
    } catch (error) {
      report.failed(`failed to get attributes of ${quoteName(reference)}`, error);
      return report.result();
    }
  }
  const asDate = (seconds: number, nanoseconds = 0) => new Date(seconds * 1000 + nanoseconds / 1e6);
  if (date !== undefined) {
    const [atime, mtime] = [times.atime, times.mtime].map((base) =>
      parseDate(date, instantOfDate(base), zone),
    );
    if (!atime || !mtime) {
      report.fail(`invalid date format ${quoteValue(date)}`);
      return report.result();
    }
    times = {
      atime: asDate(atime.seconds, atime.nanoseconds),
      mtime: asDate(mtime.seconds, mtime.nanoseconds),
    };
  }
  if (stamp !== undefined) {
    const seconds = secondsOfStamp(stamp, zone, now);
    if (seconds === null) {
      report.fail(`invalid date format ${quoteValue(stamp)}`);
      return report.result();
    }
    times = { atime: asDate(seconds), mtime: asDate(seconds) };
  }
  if (operands.length === 0) return usageError(PROGRAM, "missing file operand");
  const word = value("time");
  const onlyAccess = has("access") || (word !== undefined && /^(a|u)/.test(word));
  const onlyModified = has("modified") || word?.startsWith("m") === true;
  for (const operand of operands) {
    if (operand === "-") continue;
    const path = pathOf(fs, cwd, operand);
    try {
      let entry = await lookIfThere(fs, path, true);
      // The times of a link itself stay: the file system has no call for them.
      if (has("noFollow") && (await lookIfThere(fs, path, false))?.isSymbolicLink) continue;
      if (entry === null) {
        if (has("noCreate") || has("noFollow")) continue;
        await fs.appendFile(path, "");
        entry = await look(fs, path, true);
      }
      const atime = onlyModified && !onlyAccess ? entry.atime : times.atime;
      const mtime = onlyAccess && !onlyModified ? entry.mtime : times.mtime;
      await fs.utimes(path, atime, mtime);
    } catch (error) {
      report.failed(`cannot touch ${quoteName(operand)}`, error);
    }
  }
  return report.result();
});

/** `[[CC]YY]MMDDhhmm[.ss]` on the clock of the zone. */
function secondsOfStamp(stamp: string, zone: TimeZone, now: Date): number | null {
  const match = /^(\d\d)?(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(stamp);
  if (match === null) return null;
  const [, first, second, month, day, hour, minute, seconds = "0"] = match;
  let year = now.getUTCFullYear();
  if (first !== undefined && second !== undefined) year = Number(first + second);
  else if (first !== undefined) year = Number(first) + (Number(first) < 69 ? 2000 : 1900);
  const wall = Date.UTC(year, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(seconds));
  const at = new Date(wall);
  const isReal =
    at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day) && Number(hour) < 24;
  return isReal && Number(minute) < 60 ? nearestInstant(zone, wall / 1000) : null;
}
