import { type Command, defineCommand } from "just-bash";
import { reasonOf } from "../reason.ts";
import { parseExpression } from "./find-parse.ts";
import { type FindCall, FindError, type FindStep, Visit } from "./find-visit.ts";
import { instantOfDate } from "./format-time.ts";
import { joinShown, type Look } from "./look.ts";
import { quoteValue } from "./quote-name.ts";
import { Report } from "./report.ts";
import { timeZone } from "./time-zone.ts";

const HELP = `Usage: find [-H] [-L] [-P] [path...] [expression]

default path is the current directory; default expression is -print
operators: ( EXPR )  ! EXPR  -not EXPR  EXPR1 -a EXPR2  EXPR1 EXPR2
           EXPR1 -o EXPR2  EXPR1 , EXPR2
options: -depth -maxdepth LEVELS -mindepth LEVELS -mount -daystart -follow -regextype TYPE
tests: -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty -executable
       -false -gid N -group NAME -ilname PATTERN -iname PATTERN -inum N -ipath PATTERN
       -iregex PATTERN -links N -lname PATTERN -mmin N -mtime N -name PATTERN -newer FILE
       -newerXY REFERENCE -path PATTERN -perm [-/]MODE -readable -regex PATTERN
       -samefile FILE -size N[bcwkMG] -true -type [bcdpfls] -uid N -user NAME
       -wholename PATTERN -writable -xtype [bcdpfls]
actions: -delete -print0 -printf FORMAT -fprintf FILE FORMAT -print -fprint0 FILE
       -fprint FILE -ls -fls FILE -prune -quit -exec COMMAND ; -exec COMMAND {} +
       -ok COMMAND ; -execdir COMMAND ; -execdir COMMAND {} + -okdir COMMAND ;
`;

/** `find` as findutils has it. The engine's own lacks a third of the tests and fills in `{}` only as a whole word. */
export const find: Command = defineCommand("find", async (args, ctx) => {
  if (args.includes("--help") || args.includes("-help")) return { stdout: HELP, stderr: "", exitCode: 0 };
  if (args.includes("--version") || args.includes("-version")) {
    return { stdout: "find (compatible with GNU findutils 4.9.0)\n", stderr: "", exitCode: 0 };
  }
  const report = new Report("find");
  const call: FindCall = {
    ctx,
    report,
    zone: timeZone(ctx.env.get("TZ")),
    now: instantOfDate(new Date()),
    follow: "never",
    minDepth: 0,
    maxDepth: Number.POSITIVE_INFINITY,
    depthFirst: false,
    hasQuit: false,
    atEnd: [],
  };
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-L") call.follow = "always";
    else if (arg === "-H") call.follow = "operands";
    else if (arg === "-P") call.follow = "never";
    else if (arg === "-D") at++;
    else if (!/^-O\d?$/.test(arg)) break;
  }
  if (args[at] === "--") at++;
  const starts: string[] = [];
  while (at < args.length && !/^-.|^[(!),]$/.test(args[at] ?? "")) starts.push(args[at++] ?? "");
  try {
    const step = await parseExpression(args.slice(at), call);
    for (const start of starts.length === 0 ? ["."] : starts) {
      if (call.hasQuit) break;
      const path = ctx.fs.resolvePath(ctx.cwd, start);
      const asked = start.endsWith("/") && path !== "/" ? `${path}/` : path;
      if (start === "") report.fail("‘’: No such file or directory");
      else await walk(new Visit(call, start, asked, start, 0), step, []);
    }
    for (const end of call.atEnd) await end();
  } catch (error) {
    if (!(error instanceof FindError)) throw error;
    report.fail(error.message);
  }
  return report.result();
});

async function walk(visit: Visit, step: FindStep, above: readonly Look[]): Promise<void> {
  const { call } = visit;
  const { report } = call;
  let entry: Look;
  try {
    entry = await visit.look();
  } catch (error) {
    report.failed(quoteValue(visit.shown), error);
    return;
  }
  const take = async (): Promise<void> => {
    if (visit.depth >= call.minDepth) await step(visit);
  };
  if (!entry.isDirectory) return take();
  if (above.some(({ ino, dev }) => ino === entry.ino && dev === entry.dev)) {
    report.fail(
      `File system loop detected; ${quoteValue(visit.shown)} is part of the same file system loop.`,
    );
    return;
  }
  if (!call.depthFirst) await take();
  if (call.hasQuit) return;
  if (visit.depth < call.maxDepth && !(visit.isPruned && !call.depthFirst))
    await below(visit, step, [...above, entry]);
  if (call.depthFirst && !call.hasQuit) await take();
}

async function below(visit: Visit, step: FindStep, above: readonly Look[]): Promise<void> {
  const { call } = visit;
  const { fs } = call.ctx;
  let names: string[];
  try {
    names = await fs.readdir(visit.path);
  } catch (error) {
    call.report.fail(`${quoteValue(visit.shown)}: ${reasonOf(error)}`);
    return;
  }
  for (const name of names) {
    if (call.hasQuit) return;
    const path = joinShown(visit.path, name);
    await walk(
      new Visit(call, joinShown(visit.shown, name), path, visit.start, visit.depth + 1),
      step,
      above,
    );
  }
}
