/** `jq`: the real one, compiled to WebAssembly. Here it gets its arguments, its files and its environment. */

import { type Jq, type JqResult, loadJq } from "jq-wasm/inline";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { tellThrown } from "../../../shared/redact.ts";
import { textToBytes } from "../../byte-text.ts";
import { type JqCall, parseJqArguments } from "./jq-arguments.ts";
import { TextInput } from "./text-input.ts";

const HELP = `Usage:	jq [OPTIONS] FILTER [FILES...]
	jq [OPTIONS] -f FILE [FILES...]
	jq [OPTIONS] --args FILTER [ARGUMENTS...]

jq is a tool for processing JSON inputs, applying the given filter to
its JSON text inputs and producing the filter's results as JSON.

  -n, --null-input      use null as the single input value
  -R, --raw-input       read each line as a string instead of JSON
  -s, --slurp           read all inputs into an array
  -c, --compact-output  one line for each result
  -r, --raw-output      strings without quotes;  -j without line feeds too
      --raw-output0     like -r, with NUL after each
  -a, --ascii-output    only ASCII;  -S sort keys of objects
  -C, -M                color, no color (the default)
      --tab, --indent N indentation
  -e, --exit-status     exit status from the last result
  -f, --from-file FILE  read the filter from FILE
      --stream, --seq   as in the manual
      --arg NAME TEXT, --argjson NAME JSON, --slurpfile NAME FILE, --rawfile NAME FILE
      --args, --jsonargs   the rest are positional arguments
  -V, --version         print the version;  -h this help

Not available: -L and modules.
`;

let loading: Promise<Jq> | null = null;

export const jq: Command = defineCommand("jq", async (args, ctx) => {
  const call = parseJqArguments(args);
  const usage = (why: string): ExecResult => ({
    stdout: "",
    stderr: `jq: error: ${why}\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.org\n`,
    exitCode: 2,
  });
  if (typeof call === "string") return usage(call);
  if (call.wants === "help") return { stdout: HELP, stderr: "", exitCode: 0 };
  loading ??= loadJq();
  const program = await loading;
  if (call.wants === "version") return { stdout: `${program.version.trim()}\n`, stderr: "", exitCode: 0 };
  if (call.filter === null && call.filterFile === null) return usage("no filter was given");
  try {
    const result = await runJq(program, call, ctx);
    // Of an expression that takes it too long jq says nothing but that; those of the engine's own always end.
    const gaveUp = result.stderr.includes("retry-limit-in-match over");
    return (gaveUp ? await ctx.origCommand?.(args) : undefined) ?? result;
  } catch (error) {
    // What it holds after a trap is unknown: the next call gets a new one.
    loading = null;
    return {
      stdout: "",
      stderr: `jq: error: ${tellThrown(error)}\n`,
      exitCode: 5,
    };
  }
});

async function runJq(program: Jq, call: JqCall, ctx: CommandContext): Promise<ExecResult> {
  const input = new TextInput(ctx);
  const failed = (why: string): ExecResult => ({ stdout: "", stderr: `jq: error: ${why}\n`, exitCode: 2 });
  let filter = call.filter ?? "";
  if (call.filterFile !== null) {
    const read = await input.read(call.filterFile);
    if ("why" in read) return failed(`Could not open ${call.filterFile}: ${read.why}`);
    filter = read.text;
  }
  const flags = [...call.flags];
  const names: Record<string, unknown> = {};
  for (const { kind, name, value } of call.named) {
    if (name in names) continue;
    let json = value;
    if (kind === "slurpfile" || kind === "rawfile") {
      const read = await input.read(value);
      if ("why" in read)
        return failed(`Bad JSON in --${kind} ${name} ${value}: Could not open ${value}: ${read.why}`);
      const slurped = kind === "slurpfile" ? program.raw(read.text, ".", ["-c", "-s"]) : null;
      if (slurped !== null && slurped.exitCode !== 0)
        return failed(`Bad JSON in --${kind} ${name} ${value}: ${slurped.stderr.trim()}`);
      json = slurped === null ? read.text : slurped.stdout.trim();
    }
    const isText = kind === "arg" || kind === "rawfile";
    if (kind === "argjson" && program.raw(value, ".", []).exitCode !== 0) {
      return {
        stdout: "",
        stderr: `jq: Invalid JSON text passed to --argjson\nUse jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://jqlang.org\n`,
        exitCode: 2,
      };
    }
    flags.push(isText ? "--arg" : "--argjson", name, json);
    names[name] = isText ? json : JSON.parse(json);
  }
  filter = surround(filter, call, ctx, names, flags);

  // The name of a file is known to a filter only when it runs for each file on its own.
  const one =
    call.files.length <= 1 ||
    call.nullInput ||
    call.flags.includes("-s") ||
    !/\binput_filename\b/.test(filter);
  const texts: { name: string | null; text: string }[] = [];
  let missing = "";
  for (const file of call.files) {
    const read = await input.read(file);
    if ("why" in read) missing += `jq: error: Could not open ${file}: ${read.why}\n`;
    else texts.push({ name: file, text: read.text });
  }
  if (call.files.length === 0) texts.push({ name: null, text: input.stdin() });
  const runs = one
    ? [{ name: texts[0]?.name ?? null, text: texts.map(({ text }) => closed(text, call.raw)).join("") }]
    : texts;
  let [stdout, stderr, exitCode] = ["", "", 0];
  for (const { name, text } of runs) {
    const named =
      name !== null && /\binput_filename\b/.test(filter)
        ? `def input_filename: ${JSON.stringify(name)}; ${filter}`
        : filter;
    const result = asTold(program.raw(text, named, flags), name);
    stdout += result.stdout;
    stderr += result.stderr;
    exitCode = result.exitCode || exitCode;
  }
  return {
    stdout: textToBytes(stdout),
    stdoutKind: "bytes",
    stderr: stderr + missing,
    exitCode: missing !== "" && exitCode === 0 ? 2 : exitCode,
  };
}

/** Values of two files stay two, as long as lines are not what is read. */
function closed(text: string, raw: boolean): string {
  return raw || text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The filter with what jq would find in its own process: the environment and the positional arguments. */
function surround(
  filter: string,
  { positional }: JqCall,
  ctx: CommandContext,
  named: Readonly<Record<string, unknown>>,
  flags: string[],
): string {
  let surrounded = filter;
  if (/\$ARGS\b/.test(filter)) {
    const values = positional.map(({ text, isJson }) => (isJson ? JSON.parse(text) : text));
    flags.push("--argjson", "__arguments", JSON.stringify({ positional: values, named }));
    surrounded = `$__arguments as $ARGS | ${surrounded}`;
  }
  if (/\$ENV\b|\benv\b/.test(filter)) {
    flags.push("--argjson", "__environment", JSON.stringify(ctx.exportedEnv ?? {}));
    surrounded = `$__environment as $ENV | def env: $ENV; ${surrounded}`;
  }
  return surrounded;
}

/** With the input's own name in what jq says. */
function asTold({ stdout, stderr, exitCode }: JqResult, name: string | null): JqResult {
  const told = stderr.replaceAll("(at /dev/stdin:", `(at ${name ?? "<stdin>"}:`);
  return { stdout, stderr: told, exitCode };
}
