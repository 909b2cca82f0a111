/** Functions of `awk` that take values and give one; those that need variables or run commands are the compiler's. */
import { AwkArray } from "./awk-array.ts";
import type { AwkRuntime } from "./awk-runtime.ts";
import { AwkError } from "./awk-tree.ts";
import { compareText, Input, lengthOf, numberOf, sliceChars, toNumber, type Value } from "./awk-values.ts";
import { formatText } from "./c-format.ts";

type PlainFunction = (runtime: AwkRuntime, args: readonly Value[]) => Value;

const number = (args: readonly Value[], at = 0): number => toNumber(args[at]);

export const PLAIN_FUNCTIONS: ReadonlyMap<string, PlainFunction> = new Map<string, PlainFunction>([
  ["sin", (_, args) => Math.sin(number(args))],
  ["cos", (_, args) => Math.cos(number(args))],
  ["atan2", (_, args) => Math.atan2(number(args), number(args, 1))],
  ["exp", (_, args) => Math.exp(number(args))],
  ["log", (_, args) => Math.log(number(args))],
  ["sqrt", (_, args) => Math.sqrt(number(args))],
  ["int", (_, args) => Math.trunc(number(args))],
  ["rand", (runtime) => runtime.random.next()],
  [
    "srand",
    (runtime, args) => runtime.random.seed(args.length > 0 ? number(args) : Math.floor(Date.now() / 1_000)),
  ],
  ["tolower", (runtime, args) => runtime.text(args[0]).toLowerCase()],
  ["toupper", (runtime, args) => runtime.text(args[0]).toUpperCase()],
  ["index", (runtime, args) => indexOf(runtime.text(args[0]), runtime.text(args[1]))],
  [
    "substr",
    (runtime, args) =>
      substr(runtime.text(args[0]), number(args, 1), args.length > 2 ? number(args, 2) : null),
  ],
  ["sprintf", (runtime, args) => formatValues(runtime, args)],
  ["systime", () => Math.floor(Date.now() / 1_000)],
  ["strftime", (runtime, args) => strftime(runtime, args)],
  ["mktime", (runtime, args) => mktime(runtime.text(args[0]))],
  ["and", (_, args) => bits(args, (a, b) => a & b)],
  ["or", (_, args) => bits(args, (a, b) => a | b)],
  ["xor", (_, args) => bits(args, (a, b) => a ^ b)],
  ["lshift", (_, args) => Number(BigInt.asUintN(64, toWhole(args[0]) << toWhole(args[1])))],
  ["rshift", (_, args) => Number(toWhole(args[0]) >> toWhole(args[1]))],
  ["compl", (_, args) => Number(BigInt.asUintN(53, ~toWhole(args[0])))],
  ["strtonum", (runtime, args) => strtonum(runtime, args[0])],
  ["mkbool", (_, args) => (number(args) !== 0 ? 1 : 0)],
  ["fflush", () => 0],
]);

export function formatValues(runtime: AwkRuntime, args: readonly Value[]): string {
  const [format, ...values] = args;
  try {
    return formatText(runtime.text(format), (index) => {
      if (index >= values.length) return undefined;
      const value = values[index];
      return {
        number: () => toNumber(value),
        text: () => runtime.text(value),
        char: () => {
          const code = typeof value === "string" ? null : numberOf(value);
          if (code === null || value === undefined) return Array.from(runtime.text(value))[0] ?? "\0";
          const point = Math.trunc(code);
          return point >= 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
        },
      };
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AwkError(
      `cmd. line:1: fatal: ${error.message}\n\t\`${runtime.text(format).replace(/\n$/, "")}'`,
    );
  }
}

function indexOf(text: string, part: string): number {
  const at = text.indexOf(part);
  return at < 0 ? 0 : lengthOf(text.slice(0, at)) + 1;
}

/** As gawk 5.2.1: a start in front of the text is its start, and takes nothing off the length. */
function substr(text: string, start: number, length: number | null): string {
  const from = Math.max(Math.trunc(start), 1) - 1;
  if (length === null) return sliceChars(text, from, Number.POSITIVE_INFINITY);
  return length >= 1 ? sliceChars(text, from, from + Math.trunc(length)) : "";
}

function toWhole(value: Value): bigint {
  const whole = Math.trunc(toNumber(value));
  return Number.isFinite(whole) ? BigInt(whole) : 0n;
}

function bits(args: readonly Value[], join: (a: bigint, b: bigint) => bigint): number {
  return Number(args.map(toWhole).reduce(join));
}

function strtonum(runtime: AwkRuntime, value: Value): number {
  if (typeof value === "number") return value;
  const text = runtime.text(value).trim();
  if (/^0[xX][0-9a-fA-F]+/.test(text)) return Number.parseInt(text, 16);
  if (/^0[0-7]+/.test(text) && !/^0\d*[.eE89]/.test(text)) return Number.parseInt(text, 8);
  return toNumber(text);
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

function strftime(runtime: AwkRuntime, args: readonly Value[]): string {
  const format = args.length > 0 ? runtime.text(args[0]) : "%a %b %e %H:%M:%S %Z %Y";
  const seconds = args.length > 1 ? number(args, 1) : Math.floor(Date.now() / 1_000);
  const isUtc = args.length > 2 && number(args, 2) !== 0;
  return formatTime(format, seconds, isUtc ? "GMT" : "UTC");
}

/** The time in the sandbox, whose clock is UTC's, as `strftime` of C writes it. */
function formatTime(format: string, seconds: number, zone: string): string {
  const date = new Date(Math.trunc(seconds) * 1_000);
  const two = (value: number, fill = "0"): string => String(value).padStart(2, fill);
  const year = date.getUTCFullYear();
  const day = date.getUTCDay();
  const dayOfYear = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
  const hour = date.getUTCHours();
  const [isoYear, isoWeek] = isoWeekOf(date);
  const parts: Readonly<Record<string, () => string>> = {
    Y: () => String(year),
    C: () => two(Math.floor(year / 100)),
    y: () => two(year % 100),
    m: () => two(date.getUTCMonth() + 1),
    d: () => two(date.getUTCDate()),
    e: () => two(date.getUTCDate(), " "),
    H: () => two(hour),
    k: () => two(hour, " "),
    I: () => two(hour % 12 === 0 ? 12 : hour % 12),
    l: () => two(hour % 12 === 0 ? 12 : hour % 12, " "),
    M: () => two(date.getUTCMinutes()),
    S: () => two(date.getUTCSeconds()),
    p: () => (hour < 12 ? "AM" : "PM"),
    P: () => (hour < 12 ? "am" : "pm"),
    a: () => (DAYS[day] ?? "").slice(0, 3),
    A: () => DAYS[day] ?? "",
    b: () => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
    h: () => (MONTHS[date.getUTCMonth()] ?? "").slice(0, 3),
    B: () => MONTHS[date.getUTCMonth()] ?? "",
    j: () => String(dayOfYear + 1).padStart(3, "0"),
    u: () => String(day === 0 ? 7 : day),
    w: () => String(day),
    U: () => two(Math.floor((dayOfYear + 7 - day) / 7)),
    W: () => two(Math.floor((dayOfYear + 7 - ((day + 6) % 7)) / 7)),
    V: () => two(isoWeek),
    G: () => String(isoYear),
    g: () => two(isoYear % 100),
    s: () => String(Math.trunc(seconds)),
    z: () => "+0000",
    Z: () => zone,
    n: () => "\n",
    t: () => "\t",
    "%": () => "%",
    F: () => formatTime("%Y-%m-%d", seconds, zone),
    T: () => formatTime("%H:%M:%S", seconds, zone),
    R: () => formatTime("%H:%M", seconds, zone),
    D: () => formatTime("%m/%d/%y", seconds, zone),
    r: () => formatTime("%I:%M:%S %p", seconds, zone),
    c: () => formatTime("%a %b %e %H:%M:%S %Y", seconds, zone),
    x: () => formatTime("%m/%d/%y", seconds, zone),
    X: () => formatTime("%H:%M:%S", seconds, zone),
  };
  return format.replace(/%([-_0^]?)([EO]?)([a-zA-Z%])/g, (whole, flag: string, _, letter: string) => {
    const part = parts[letter]?.();
    if (part === undefined) return whole;
    if (flag === "-") return part.replace(/^[0 ]+(?=.)/, "");
    if (flag === "_") return part.replace(/^0+(?=.)/, (zeros) => " ".repeat(zeros.length));
    return flag === "^" ? part.toUpperCase() : part;
  });
}

function isoWeekOf(date: Date): [number, number] {
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
  const year = thursday.getUTCFullYear();
  return [year, Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 604_800_000) + 1];
}

function mktime(text: string): number {
  const parts = text.trim().split(/\s+/).map(Number);
  if (parts.length < 6 || parts.some(Number.isNaN)) return -1;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  return Math.floor(Date.UTC(year, month - 1, day, hour, minute, second) / 1_000);
}

/** Orders two elements as one of gawk's named orders has it; null where the name is none. */
export function orderOf(
  name: string,
  runtime: AwkRuntime,
): ((a: readonly [string, Value | AwkArray], b: readonly [string, Value | AwkArray]) => number) | null {
  const found = /^@(ind|val)_(str|num|type)_(asc|desc)$/.exec(name);
  if (found === null) return null;
  const [, side, kind, direction] = found;
  const sign = direction === "desc" ? -1 : 1;
  const byIndex = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
    compareText(a[0], b[0]);
  if (side === "ind") {
    if (kind === "num") return (a, b) => sign * (toNumber(a[0]) - toNumber(b[0]) || byIndex(a, b));
    return (a, b) => sign * byIndex(a, b);
  }
  return (a, b) => sign * (compareElements(a[1], b[1], kind ?? "type", runtime) || byIndex(a, b));
}

/** By value: numbers in front of strings, arrays last. */
export function compareElements(
  a: Value | AwkArray,
  b: Value | AwkArray,
  kind: string,
  runtime: AwkRuntime,
): number {
  if (a instanceof AwkArray || b instanceof AwkArray)
    return Number(a instanceof AwkArray) - Number(b instanceof AwkArray);
  if (kind === "str") return compareText(runtime.text(a), runtime.text(b));
  if (kind === "num") return toNumber(a) - toNumber(b) || compareText(runtime.text(a), runtime.text(b));
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== null && y !== null) return x - y;
  if (x !== null) return -1;
  if (y !== null) return 1;
  return compareText(runtime.text(a), runtime.text(b));
}

/** What a value is, in gawk's words. */
export function typeName(value: Value | AwkArray): string {
  if (value instanceof AwkArray) return "array";
  if (value === undefined) return "untyped";
  if (typeof value === "number") return "number";
  if (value instanceof Input) return value.number === null ? "string" : "strnum";
  return "string";
}
