/** The command line of `sqlite3`: its options, and the files that its dot commands name. */
import { type CommandContext, decodeBytesToUtf8, type ExecResult } from "just-bash";

interface Call {
  readonly options: {
    readonly readonly: boolean;
    readonly bail: boolean;
    readonly echo: false;
    readonly cmd: null;
  };
  readonly database: string;
  /** A program for `build/shims/sqlite-shell.ts`. */
  readonly sql: string;
  readonly showVersion: boolean;
}

interface ShellResult {
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
}

const MODES = [
  "list",
  "csv",
  "json",
  "line",
  "column",
  "table",
  "markdown",
  "box",
  "tabs",
  "quote",
  "html",
  "ascii",
];
const SEPARATORS: Readonly<Record<string, string>> = { csv: ",", tabs: "\t", quote: ",", ascii: "\x1f" };
/** Options with a value that mean nothing here. */
const WITH_VALUE = ["mmap", "heap", "maxsize", "vfs", "pagecache", "lookaside", "zip", "A"];
const WITHOUT_MEANING = [
  "batch",
  "interactive",
  "memtrace",
  "multiplex",
  "nofollow",
  "safe",
  "stats",
  "unsafe-testing",
  "deserialize",
  "append",
];

const HELP = `Usage: sqlite3 [OPTIONS] [FILENAME [SQL]]
FILENAME is the name of an SQLite database. A new database is created
if the file does not previously exist.
OPTIONS include:
   -ascii -box -column -csv -html -json -line -list -markdown -quote -table -tabs
                        set output mode
   -bail                stop after hitting an error
   -batch               force batch I/O
   -cmd COMMAND         run "COMMAND" before reading stdin
   -echo                print inputs before execution
   -[no]header          turn headers on or off
   -help                show this message
   -init FILENAME       read/process named file
   -newline SEP         set output row separator. Default: '\\n'
   -nullvalue TEXT      set text string for NULL values. Default ''
   -readonly            open the database read-only
   -separator SEP       set output column separator. Default: '|'
   -version             show SQLite version
`;

/** What the engine's own reading of the arguments gives, or the result that ends the call. */
export async function sqliteCall(args: string[], ctx: CommandContext): Promise<Call | ExecResult> {
  const settings: Record<string, unknown> = {};
  const before: string[] = [];
  const operands: string[] = [];
  let [bail, echo, readOnly, showVersion] = [false, false, false, false];
  let init: string | undefined;
  const fail = (stderr: string): ExecResult => ({ stdout: "", stderr, exitCode: 1 });
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-") || arg === "-") {
      operands.push(arg);
      continue;
    }
    const name = arg.replace(/^--?/, "");
    const value = (): string | undefined => args[++at];
    if (MODES.includes(name)) {
      settings.mode = name;
      settings.column = SEPARATORS[name] ?? "|";
      if (name === "ascii") settings.row = "\x1e";
      if (name === "column") settings.headers ??= true;
    } else if (name === "header" || name === "headers") settings.headers = true;
    else if (name === "noheader" || name === "noheaders") settings.headers = false;
    else if (name === "bail") bail = true;
    else if (name === "echo") echo = true;
    else if (name === "readonly") readOnly = true;
    else if (name === "version") showVersion = true;
    else if (name === "help" || name === "?") return { stdout: HELP, stderr: "", exitCode: 0 };
    else if (["cmd", "separator", "newline", "nullvalue", "init"].includes(name)) {
      const given = value();
      if (given === undefined) return fail(`sqlite3: Error: missing argument to ${arg}\n`);
      if (name === "cmd") before.push(given);
      else if (name === "init") init = given;
      else
        settings[{ separator: "column", newline: "row", nullvalue: "nullValue" }[name] ?? name] =
          unescaped(given);
    } else if (WITH_VALUE.includes(name)) value();
    else if (!WITHOUT_MEANING.includes(name))
      return fail(`sqlite3: Error: unknown option: ${arg}\nUse -help for a list of options.\n`);
  }
  const [database = ":memory:", ...commands] = operands;
  const files: Record<string, string> = {};
  const input = commands.length > 0 ? null : decodeBytesToUtf8(ctx.stdin);
  const first = init === undefined ? [] : [`.read ${init}`];
  for (const text of [...first, ...before, ...commands, input ?? ""])
    await readNamedFiles(text, ctx, files, 0);
  const program = { settings, bail, echo, readOnly, before: [...first, ...before], commands, input, files };
  const options = { readonly: readOnly, bail, echo: false as const, cmd: null };
  return {
    options,
    database: database === "" ? ":memory:" : database,
    sql: JSON.stringify(program),
    showVersion,
  };
}

/** Writes what `.output` and `.once` collected; returns the text for standard error. */
export async function sqliteFiles(ctx: CommandContext, result: ShellResult): Promise<string> {
  let { stderr } = result;
  for (const [name, content] of Object.entries(result.files)) {
    if (name === "/dev/null") continue;
    try {
      await ctx.fs.writeFile(ctx.fs.resolvePath(ctx.cwd, name), content);
    } catch {
      stderr += `Error: cannot open "${name}"\n`;
    }
  }
  return stderr;
}

async function readNamedFiles(
  text: string,
  ctx: CommandContext,
  files: Record<string, string>,
  depth: number,
): Promise<void> {
  for (const [, command = "", rest = ""] of text.matchAll(
    /^\.(re(?:ad?)?|im(?:port|por|po|p)?)[ \t]+(.*)$/gm,
  )) {
    const names = [...rest.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
    for (const name of names) {
      if (name.startsWith("-") || Object.hasOwn(files, name)) continue;
      try {
        files[name] = await ctx.fs.readFile(ctx.fs.resolvePath(ctx.cwd, name));
      } catch {
        // The name of a table, or a file that is missing: the command says so where it stands.
        continue;
      }
      if (command.startsWith("re") && depth < 20)
        await readNamedFiles(files[name] ?? "", ctx, files, depth + 1);
    }
  }
}

function unescaped(text: string): string {
  return text.replace(/\\([tnr\\])/g, (_, sign: string) => ({ t: "\t", n: "\n", r: "\r" })[sign] ?? "\\");
}
