/** `ulimit`: shows that the shell itself sets no limits; what bounds a script is told where the sandbox is opened. */
import { failure, type InterpreterState, NOTHING, type Output } from "./interpreter.ts";

/** Letter → what `ulimit -a` says of it, and its value. */
const LIMITS: Readonly<Record<string, readonly [text: string, unit: string, value: string]>> = {
  R: ["real-time non-blocking time", "microseconds, -R", "unlimited"],
  c: ["core file size", "blocks, -c", "0"],
  d: ["data seg size", "kbytes, -d", "unlimited"],
  e: ["scheduling priority", "-e", "0"],
  f: ["file size", "blocks, -f", "unlimited"],
  i: ["pending signals", "-i", "unlimited"],
  l: ["max locked memory", "kbytes, -l", "unlimited"],
  m: ["max memory size", "kbytes, -m", "unlimited"],
  n: ["open files", "-n", "1024"],
  p: ["pipe size", "512 bytes, -p", "8"],
  q: ["POSIX message queues", "bytes, -q", "819200"],
  r: ["real-time priority", "-r", "0"],
  s: ["stack size", "kbytes, -s", "8192"],
  t: ["cpu time", "seconds, -t", "unlimited"],
  u: ["max user processes", "-u", "unlimited"],
  v: ["virtual memory", "kbytes, -v", "unlimited"],
  x: ["file locks", "-x", "unlimited"],
};

export function ulimitBuiltin(state: InterpreterState, args: readonly string[]): Output {
  const letters = args
    .filter((arg) => /^-[a-zA-Z]+$/.test(arg))
    .join("")
    .replace(/[-HS]/g, "");
  const value = args.find((arg) => !arg.startsWith("-"));
  if (letters.includes("a")) {
    const rows = Object.values(LIMITS).map(([text, unit, shown]) => {
      return `${text.padEnd(28)}${`(${unit})`.padStart(20 - (text.length > 28 ? text.length - 28 : 0))} ${shown}\n`;
    });
    return { ...NOTHING, stdout: rows.join("") };
  }
  const letter = letters.at(-1) ?? "f";
  const limit = LIMITS[letter];
  if (limit === undefined) return failure(state, 2, `ulimit: -${letter}: invalid option`);
  if (value === undefined) return { ...NOTHING, stdout: `${limit[2]}\n` };
  if (!/^(\d+|unlimited|hard|soft)$/.test(value))
    return failure(state, 1, `ulimit: ${value}: invalid number`);
  if (value === limit[2] || value === "unlimited" || !/^\d+$/.test(value)) return NOTHING;
  return failure(state, 0, `ulimit: ${limit[0]}: the shell sets no limits here; the sandbox has its own`);
}
