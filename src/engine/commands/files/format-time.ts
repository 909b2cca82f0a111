/** `strftime` with GNU's flags, widths and nanoseconds, in the C locale. */
import type { TimeZone } from "./time-zone.ts";

/** An instant: whole seconds since 1970, and the rest. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** Parts of a format that stand for others. */
const COMPOUND: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%+4Y-%m-%d",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};
const PART = /%([-_0^#+]*)(\d*)(:{0,3})([EO]?)([A-Za-z%])/g;

/** Instant of a `Date`. */
export function instantOfDate(date: Date): Instant {
  const ms = date.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanoseconds: Math.round((ms - seconds * 1000) * 1e6) };
}

export function formatTime(format: string, instant: Instant, zone: TimeZone): string {
  const { offsetSeconds, name } = zone.at(instant.seconds);
  const wall = new Date((instant.seconds + offsetSeconds) * 1000);
  return format.replace(
    PART,
    (whole, flags: string, width: string, colons: string, _modifier, letter: string) => {
      if (colons !== "" && letter !== "z") return whole;
      const compound = COMPOUND[letter];
      if (compound !== undefined) {
        const text = formatTime(compound, instant, zone);
        return padded(flags.includes("^") ? text.toUpperCase() : text, flags, width, " ", 0);
      }
      const value = partOf(letter, wall, instant);
      if (typeof value === "object" && value !== null) return number(value, flags, width);
      if (letter === "N") return fraction(instant.nanoseconds, flags, width);
      if (letter === "z") return offset(offsetSeconds, colons.length, flags, width);
      if (letter === "Z")
        return padded(flags.includes("#") ? name.toLowerCase() : name, flags, width, " ", 0);
      if (value === null) return whole;
      const upper = flags.includes("^") || (flags.includes("#") && letter !== "p");
      const cased =
        flags.includes("#") && letter === "p" ? value.toLowerCase() : upper ? value.toUpperCase() : value;
      return padded(cased, flags, width, " ", 0);
    },
  );
}

interface NumberPart {
  readonly value: number;
  readonly digits: number;
  readonly pad: "0" | " ";
}

function partOf(letter: string, wall: Date, { seconds }: Instant): string | NumberPart | null {
  const year = wall.getUTCFullYear();
  const month = wall.getUTCMonth();
  const hour = wall.getUTCHours();
  const weekday = wall.getUTCDay();
  const two = (value: number, pad: "0" | " " = "0"): NumberPart => ({ value, digits: 2, pad });
  const plain = (value: number): NumberPart => ({ value, digits: 1, pad: "0" });
  const yearDay = Math.floor((Date.UTC(2000, month, wall.getUTCDate()) - Date.UTC(2000, 0, 1)) / 86_400_000);
  // Leap years have a day more from March on; 2000 is one.
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const dayOfYear = yearDay - (month > 1 && !isLeap ? 1 : 0);
  const iso = isoWeek(year, dayOfYear, weekday);
  switch (letter) {
    case "a":
      return (DAYS[weekday] ?? "").slice(0, 3);
    case "A":
      return DAYS[weekday] ?? "";
    case "b":
    case "h":
      return (MONTHS[month] ?? "").slice(0, 3);
    case "B":
      return MONTHS[month] ?? "";
    case "C":
      return two(Math.floor(year / 100));
    case "d":
      return two(wall.getUTCDate());
    case "e":
      return two(wall.getUTCDate(), " ");
    case "g":
      return two(((iso.year % 100) + 100) % 100);
    case "G":
      return { value: iso.year, digits: 4, pad: "0" };
    case "H":
      return two(hour);
    case "I":
      return two(hour % 12 === 0 ? 12 : hour % 12);
    case "j":
      return { value: dayOfYear + 1, digits: 3, pad: "0" };
    case "k":
      return two(hour, " ");
    case "l":
      return two(hour % 12 === 0 ? 12 : hour % 12, " ");
    case "m":
      return two(month + 1);
    case "M":
      return two(wall.getUTCMinutes());
    case "n":
      return "\n";
    case "p":
      return hour < 12 ? "AM" : "PM";
    case "P":
      return hour < 12 ? "am" : "pm";
    case "q":
      return plain(Math.floor(month / 3) + 1);
    case "s":
      return plain(seconds);
    case "S":
      return two(wall.getUTCSeconds());
    case "t":
      return "\t";
    case "u":
      return plain(weekday === 0 ? 7 : weekday);
    case "U":
      return two(Math.floor((dayOfYear + 7 - weekday) / 7));
    case "V":
      return two(iso.week);
    case "w":
      return plain(weekday);
    case "W":
      return two(Math.floor((dayOfYear + 7 - ((weekday + 6) % 7)) / 7));
    case "y":
      return two(((year % 100) + 100) % 100);
    case "Y":
      return { value: year, digits: 4, pad: "0" };
    case "%":
      return "%";
    default:
      return null;
  }
}

function isoWeek(year: number, dayOfYear: number, weekday: number): { year: number; week: number } {
  const monday = (weekday + 6) % 7;
  const week = Math.floor((dayOfYear - monday + 10) / 7);
  if (week < 1) return { year: year - 1, week: weeksIn(year - 1) };
  return week > weeksIn(year) ? { year: year + 1, week: 1 } : { year, week };
}

function weeksIn(year: number): number {
  const lastDay = new Date(Date.UTC(2000, 11, 31)).setUTCFullYear(year, 11, 31);
  const firstDay = new Date(Date.UTC(2000, 0, 1)).setUTCFullYear(year, 0, 1);
  return new Date(lastDay).getUTCDay() === 4 || new Date(firstDay).getUTCDay() === 4 ? 53 : 52;
}

function number({ value, digits, pad }: NumberPart, flags: string, width: string): string {
  const sign = value < 0 ? "-" : "";
  const text = String(Math.abs(value));
  const flag = [...flags].findLast((one) => "-_0+".includes(one));
  if (flag === "-") return sign + text;
  const filler = flag === "_" ? " " : flag === "0" || flag === "+" ? "0" : pad;
  const size = Math.max(width === "" ? digits : Number(width), 0) - sign.length;
  return filler === " "
    ? `${sign}${text}`.padStart(size + sign.length, " ")
    : sign + text.padStart(size, "0");
}

function fraction(nanoseconds: number, flags: string, width: string): string {
  const digits = String(nanoseconds).padStart(9, "0");
  const flag = [...flags].findLast((one) => "-_0".includes(one));
  const size = width === "" ? 9 : Number(width);
  const cut = digits.slice(0, size);
  if (flag === "-") return cut;
  return flag === "_" ? cut.replace(/0+$/, "").padEnd(size, " ") : cut.padEnd(size, "0");
}

function offset(seconds: number, colons: number, flags: string, width: string): string {
  const sign = seconds < 0 ? "-" : "+";
  const whole = Math.abs(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60].map(
    (part) => String(part).padStart(2, "0"),
  );
  const exact = rest !== "00" ? 3 : minutes !== "00" ? 2 : 1;
  const count = colons === 3 ? exact : colons === 2 ? 3 : 2;
  const text = [hours, minutes, rest].slice(0, count).join(colons === 0 ? "" : ":");
  const flag = [...flags].findLast((one) => "-_0".includes(one));
  const size = width === "" ? 0 : Number(width);
  if (flag === "-" || flag === "_") {
    const bare = `${sign}${text.replace(/^0(?=\d)/, "")}`;
    return flag === "-" ? bare : bare.padStart(Math.max(size, text.length + 1), " ");
  }
  return sign + text.padStart(size - 1, "0");
}

function padded(text: string, flags: string, width: string, pad: string, digits: number): string {
  const flag = [...flags].findLast((one) => "-_0".includes(one));
  return flag === "-" ? text : text.padStart(width === "" ? digits : Number(width), flag === "0" ? "0" : pad);
}
