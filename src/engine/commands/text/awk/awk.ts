import { type Command, type CommandContext, defineCommand, type ExecResult } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../../gnu-options.ts";
import { Output, TextInput } from "../text-input.ts";
import { AwkRuntime } from "./awk-runtime.ts";
import { unescapeString } from "./awk-tokens.ts";
import { AwkError, type AwkProgram, type AwkRule } from "./awk-tree.ts";
import { Input } from "./awk-values.ts";
import { AwkCompiler, type Code, Flow, FlowSignal, runCode } from "./compile-awk.ts";
import { parseAwk } from "./parse-awk.ts";

const program = {
  name: "awk",
  options: {
    separator: { short: "F", long: "field-separator", value: "required" },
    assign: { short: "v", long: "assign", value: "required" },
    file: { short: "f", long: "file", value: "required" },
    source: { short: "e", long: "source", value: "required" },
    include: { short: "i", long: "include", value: "required" },
    posix: { short: "P", long: "posix" },
    sandbox: { short: "S", long: "sandbox" },
    interval: { short: "r", long: "re-interval" },
    bytes: { short: "b", long: "characters-as-bytes" },
    optimize: { short: "O", long: "optimize" },
    noOptimize: { short: "s", long: "no-optimize" },
    traditional: { short: "c", long: "traditional" },
    lint: { short: "t", long: "lint-old" },
  },
  help: `Usage: awk [POSIX or GNU style options] -f progfile [--] file ...
Usage: awk [POSIX or GNU style options] [--] 'program' file ...

	-f progfile		--file=progfile
	-F fs			--field-separator=fs
	-v var=val		--assign=var=val
	-e 'program-text'	--source='program-text'
	-i inplace		--include=inplace
`,
  compatibleWith: "GNU Awk 5.2",
  stopAtOperand: true,
  usageStatus: 2,
} satisfies GnuProgram<string>;

/**
 * `awk` as gawk is. The engine's own knows no pipes, no `getline` from commands, no `-f`, and takes a regular
 * expression or a program that it cannot read for another one.
 */
export const awk: Command = awkNamed("awk");
export const gawk: Command = awkNamed("gawk");

function awkNamed(name: string): Command {
  return defineCommand(name, async (args, ctx) => {
    if (args[0] === "--version" || args[0] === "-V")
      return { stdout: "GNU Awk 5.2.1, API 3.2\n", stderr: "", exitCode: 0 };
    const parsed = parseGnuOptions<keyof typeof program.options>(program, args);
    if (!parsed.ok) return parsed.result;
    const input = new TextInput(ctx);
    const operands = [...parsed.args.operands];
    const sources: string[] = [];
    let isInPlace = false;
    for (const { key, value = "" } of parsed.args.given) {
      if (key === "source") sources.push(value);
      else if (key === "include" && value === "inplace") isInPlace = true;
      else if (key === "include" || key === "file") {
        const read = await input.read(value);
        if ("why" in read)
          return fatal(`fatal: cannot open source file \`${value}' for reading: ${read.why}`, 2);
        sources.push(read.text);
      }
    }
    if (sources.length === 0) {
      const text = operands.shift();
      if (text === undefined) return { stdout: "", stderr: program.help, exitCode: 1 };
      sources.push(text);
    }
    let parsedProgram: AwkProgram;
    try {
      parsedProgram = parseAwk(sources.join("\n"));
    } catch (error) {
      if (error instanceof AwkError) return fatal(error.message, error.exitCode);
      throw error;
    }
    const output = new Output();
    const runtime = new AwkRuntime(ctx, input, output, isInPlace);
    setUp(runtime, ctx, name, operands);
    for (const { key, value = "" } of parsed.args.given) {
      if (key === "separator") runtime.setVariable("FS", unescapeString(value));
      else if (key === "assign") {
        const [, variable = "", text = ""] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(value) ?? [];
        if (variable === "") return fatal(`fatal: \`${value}' argument to \`-v' not in \`var=value' form`, 2);
        runtime.assign(variable, text);
      }
    }
    try {
      await run(parsedProgram, runtime);
      await runtime.finish();
      output.exitCode = runtime.exitCode;
    } catch (error) {
      const failure =
        error instanceof RangeError
          ? new AwkError("cmd. line:1: fatal: functions call each other too deep")
          : error;
      if (!(failure instanceof AwkError)) throw error;
      await runtime.finish().catch(() => undefined); // the first failure is the one to tell
      output.stderr += `awk: ${failure.message}\n`;
      output.exitCode = failure.exitCode;
    }
    return output.result();
  });
}

function fatal(message: string, exitCode: number): ExecResult {
  return { stdout: "", stderr: `awk: ${message}\n`, exitCode };
}

function setUp(runtime: AwkRuntime, ctx: CommandContext, name: string, operands: readonly string[]): void {
  const argv = runtime.array("ARGV");
  for (const [at, text] of [name, ...operands].entries()) argv.set(String(at), new Input(text));
  runtime.setVariable("ARGC", operands.length + 1);
  const environment = runtime.array("ENVIRON");
  for (const [key, text] of Object.entries(ctx.exportedEnv ?? {})) environment.set(key, new Input(text));
  const info = runtime.array("PROCINFO");
  info.set("version", "5.2.1");
}

interface CompiledRule {
  readonly kind: AwkRule["kind"];
  readonly test: Code<boolean> | null;
  readonly end: Code<boolean> | null;
  readonly body: Code<Flow>;
  isOpen: boolean;
}

async function run(parsed: AwkProgram, runtime: AwkRuntime): Promise<void> {
  const compiler = new AwkCompiler(parsed, runtime);
  const rules = parsed.rules.map(
    ({ kind, pattern, patternEnd, body }): CompiledRule => ({
      kind,
      test: pattern === null ? null : compiler.test(pattern),
      end: patternEnd === null ? null : compiler.test(patternEnd),
      body: compiler.statement(body ?? { is: "print", args: [], redirect: null, target: null }),
      isOpen: false,
    }),
  );
  const ofKind = (kind: AwkRule["kind"]): CompiledRule[] => rules.filter((rule) => rule.kind === kind);
  const all = async (kind: AwkRule["kind"]): Promise<Flow> => {
    for (const rule of ofKind(kind)) {
      const flow = await guarded(rule.body);
      if (flow !== Flow.next) return flow;
    }
    return Flow.next;
  };
  const records = ofKind("record");
  const [atStart, atEnd] = [ofKind("BEGINFILE"), ofKind("ENDFILE")];
  const needsInput = records.length > 0 || ofKind("END").length > 0 || atStart.length > 0 || atEnd.length > 0;
  let isOver = (await all("BEGIN")) === Flow.exit;
  const isPlain = records.every(
    ({ test, end, body }) => body.now && (test === null || test.now) && (end === null || end.now),
  );
  while (!isOver && needsInput && (runtime.isReading || (await runtime.openNext()))) {
    let flow: Flow = atStart.length > 0 ? await all("BEGINFILE") : Flow.next;
    while (flow !== Flow.exit && flow !== Flow.nextFile) {
      const record = runtime.readRecord();
      if (record === null) break;
      runtime.setRecord(record);
      flow = isPlain ? perRecordNow(records) : await perRecord(records);
    }
    if (flow === Flow.nextFile) runtime.skipFile();
    if (flow !== Flow.exit && atEnd.length > 0) flow = await all("ENDFILE");
    await runtime.endFile();
    isOver = flow === Flow.exit;
  }
  await all("END");
}

function perRecordNow(rules: readonly CompiledRule[]): Flow {
  try {
    for (const rule of rules) {
      if (rule.end === null) {
        if (rule.test?.now !== undefined && !rule.test.now()) continue;
      } else {
        if (!rule.isOpen && !rule.test?.now?.()) continue;
        rule.isOpen = !rule.end.now?.();
      }
      const flow = rule.body.now?.() ?? Flow.next;
      if (flow >= Flow.nextRecord) return flow === Flow.nextRecord ? Flow.next : flow;
    }
  } catch (error) {
    if (!(error instanceof FlowSignal)) throw error;
    return error.flow === Flow.nextRecord ? Flow.next : error.flow;
  }
  return Flow.next;
}

async function perRecord(rules: readonly CompiledRule[]): Promise<Flow> {
  try {
    for (const rule of rules) {
      if (rule.end === null) {
        if (rule.test !== null && !(await runCode(rule.test))) continue;
      } else {
        if (!rule.isOpen && rule.test !== null && !(await runCode(rule.test))) continue;
        rule.isOpen = !(await runCode(rule.end));
      }
      const flow = await runCode(rule.body);
      if (flow >= Flow.nextRecord) return flow === Flow.nextRecord ? Flow.next : flow;
    }
  } catch (error) {
    if (!(error instanceof FlowSignal)) throw error;
    return error.flow === Flow.nextRecord ? Flow.next : error.flow;
  }
  return Flow.next;
}

async function guarded(body: Code<Flow>): Promise<Flow> {
  try {
    return await runCode(body);
  } catch (error) {
    if (error instanceof FlowSignal) return error.flow;
    throw error;
  }
}
