/**
 * A program of `awk` → closures over its runtime. What may have to wait (reading a file, running a command) is
 * compiled to functions that do; all else runs without a single promise, which is what makes it fast. Over 300 lines:
 * one case for each form of the language.
 */

import type { Regex } from "../regex/regex.ts";
import { AwkArray } from "./awk-array.ts";
import { compareElements, formatValues, orderOf, PLAIN_FUNCTIONS, typeName } from "./awk-functions.ts";
import { matchFields, splitByRegex, splitFields } from "./awk-records.ts";
import type { AwkRuntime } from "./awk-runtime.ts";
import { substitute, toGroups } from "./awk-substitute.ts";
import { AwkError, type AwkFunction, type AwkProgram, type Expression, type Statement } from "./awk-tree.ts";
import {
  charsBefore,
  compareText,
  Input,
  isTrue,
  lengthOf,
  numberOf,
  toNumber,
  type Value,
} from "./awk-values.ts";

/** Something to run: at once, or to wait for. */
export type Code<T> =
  | { readonly now: () => T; readonly later?: never }
  | { readonly later: () => Promise<T>; readonly now?: never };

/** How a statement ends. */
export const Flow = {
  next: 0,
  break: 1,
  continue: 2,
  nextRecord: 3,
  nextFile: 4,
  exit: 5,
  return: 6,
} as const;
export type Flow = (typeof Flow)[keyof typeof Flow];

/** Leaves functions for `next`, `nextfile` and `exit`. */
export class FlowSignal extends Error {
  readonly flow: Flow;
  constructor(flow: Flow) {
    super("flow");
    this.flow = flow;
  }
}

const MAX_DEPTH = 5_000;
const ARRAY_ARGUMENTS: Readonly<Record<string, readonly number[]>> = {
  split: [1, 3],
  patsplit: [1, 3],
  asort: [0, 1],
  asorti: [0, 1],
  match: [2],
  isarray: [],
};

type Cell = Value | AwkArray;

/** Where a value can be put; its parts are run first, and their values given to it. */
interface Target {
  readonly parts: readonly Code<Cell>[];
  get(values: readonly Cell[]): Value;
  set(values: readonly Cell[], value: Value): void;
}

interface FunctionCode {
  readonly source: AwkFunction;
  readonly isArray: readonly boolean[];
  readonly waits: boolean;
  code: Code<Flow> | undefined;
}

export async function runCode<T>(code: Code<T>): Promise<T> {
  return code.now === undefined ? code.later() : code.now();
}

function map<T, R>(code: Code<T>, make: (value: T) => R): Code<R> {
  const { now, later } = code;
  if (now !== undefined) return { now: () => make(now()) };
  return { later: async () => make(await later()) };
}

function map2<A, B, R>(left: Code<A>, right: Code<B>, make: (a: A, b: B) => R): Code<R> {
  if (left.now !== undefined && right.now !== undefined) {
    const [a, b] = [left.now, right.now];
    return { now: () => make(a(), b()) };
  }
  return { later: async () => make(await runCode(left), await runCode(right)) };
}

function mapAll<T, R>(codes: readonly Code<T>[], make: (values: T[]) => R): Code<R> {
  const now = codes.map((code) => code.now);
  if (now.every((one) => one !== undefined)) {
    return {
      now: () => {
        const values: T[] = [];
        for (const one of now) values.push(one());
        return make(values);
      },
    };
  }
  return {
    later: async () => {
      const values: T[] = [];
      for (const code of codes) values.push(await runCode(code));
      return make(values);
    },
  };
}

function mapAllLater<T, R>(codes: readonly Code<T>[], make: (values: T[]) => Promise<R>): Code<R> {
  return {
    later: async () => {
      const values: T[] = [];
      for (const code of codes) values.push(await runCode(code));
      return make(values);
    },
  };
}

export class AwkCompiler {
  readonly #runtime: AwkRuntime;
  readonly #functions = new Map<string, FunctionCode>();
  #locals: readonly string[] = [];
  #arrayLocals: readonly boolean[] = [];
  #depth = 0;

  constructor(program: AwkProgram, runtime: AwkRuntime) {
    this.#runtime = runtime;
    const waiting = findWaiting(program);
    const arrays = findArrayParameters(program);
    for (const [name, source] of program.functions)
      this.#functions.set(name, {
        source,
        isArray: arrays.get(name) ?? [],
        waits: waiting.has(name),
        code: undefined,
      });
    for (const one of this.#functions.values()) {
      this.#locals = one.source.parameters;
      this.#arrayLocals = one.isArray;
      one.code = this.statement(one.source.body);
    }
    this.#locals = [];
  }

  // Statements

  statement(node: Statement): Code<Flow> {
    switch (node.is) {
      case "block":
        return this.#sequence(node.body);
      case "expression":
        return map(this.expression(node.value), () => Flow.next);
      case "print":
      case "printf":
        return this.#print(node);
      case "if": {
        const test = this.test(node.test);
        const then = this.statement(node.then);
        const other = node.else === null ? { now: () => Flow.next } : this.statement(node.else);
        if (test.now !== undefined && then.now !== undefined && other.now !== undefined) {
          const [ask, yes, no] = [test.now, then.now, other.now];
          return { now: () => (ask() ? yes() : no()) };
        }
        return { later: async () => runCode((await runCode(test)) ? then : other) };
      }
      case "while":
        return this.#loop(null, this.test(node.test), null, this.statement(node.body), false);
      case "do":
        return this.#loop(null, this.test(node.test), null, this.statement(node.body), true);
      case "for":
        return this.#loop(
          node.first === null ? null : this.statement(node.first),
          node.test === null ? { now: () => true } : this.test(node.test),
          node.step === null ? null : this.statement(node.step),
          this.statement(node.body),
          false,
        );
      case "each":
        return this.#each(node);
      case "switch":
        return this.#switch(node);
      case "delete":
        return this.#delete(node);
      case "exit":
        return map<Value | null, Flow>(
          node.value === null ? { now: () => null } : this.expression(node.value),
          (value) => {
            if (value !== null) this.#runtime.exitCode = toNumber(value) & 0xff;
            return Flow.exit;
          },
        );
      case "return":
        return map(node.value === null ? { now: () => undefined } : this.expression(node.value), (value) => {
          this.#runtime.returned = value;
          return Flow.return;
        });
      case "break":
        return { now: () => Flow.break };
      case "continue":
        return { now: () => Flow.continue };
      case "next":
        return { now: () => Flow.nextRecord };
      case "nextfile":
        return { now: () => Flow.nextFile };
    }
  }

  #sequence(body: readonly Statement[]): Code<Flow> {
    const codes = body.map((one) => this.statement(one));
    const now = codes.map((code) => code.now);
    if (now.every((one) => one !== undefined)) {
      const [first] = now;
      if (now.length === 1 && first !== undefined) return { now: first };
      return {
        now: () => {
          for (const one of now) {
            const flow = one();
            if (flow !== Flow.next) return flow;
          }
          return Flow.next;
        },
      };
    }
    return {
      later: async () => {
        for (const code of codes) {
          const flow = await runCode(code);
          if (flow !== Flow.next) return flow;
        }
        return Flow.next;
      },
    };
  }

  #loop(
    first: Code<Flow> | null,
    test: Code<boolean>,
    step: Code<Flow> | null,
    body: Code<Flow>,
    runsFirst: boolean,
  ): Code<Flow> {
    const none: Code<Flow> = { now: () => Flow.next };
    const [begin, after] = [first ?? none, step ?? none];
    if (begin.now && test.now && after.now && body.now) {
      const [start, ask, move, run] = [begin.now, test.now, after.now, body.now];
      return {
        now: () => {
          start();
          for (let isFirst = runsFirst; isFirst || ask(); isFirst = false) {
            const flow = run();
            if (flow === Flow.break) break;
            if (flow > Flow.continue) return flow;
            move();
          }
          return Flow.next;
        },
      };
    }
    return {
      later: async () => {
        await runCode(begin);
        for (let isFirst = runsFirst; isFirst || (await runCode(test)); isFirst = false) {
          const flow = await runCode(body);
          if (flow === Flow.break) break;
          if (flow > Flow.continue) return flow;
          await runCode(after);
        }
        return Flow.next;
      },
    };
  }

  #each(node: Extract<Statement, { is: "each" }>): Code<Flow> {
    const array = this.array(node.array);
    const target = this.#target(node.target);
    const body = this.statement(node.body);
    const keys = map(array, (found) => this.#orderedKeys(found));
    if (keys.now !== undefined && body.now !== undefined) {
      const [list, run] = [keys.now, body.now];
      return {
        now: () => {
          for (const key of list()) {
            target.set([], new Input(key));
            const flow = run();
            if (flow === Flow.break) break;
            if (flow > Flow.continue) return flow;
          }
          return Flow.next;
        },
      };
    }
    return {
      later: async () => {
        for (const key of await runCode(keys)) {
          target.set([], new Input(key));
          const flow = await runCode(body);
          if (flow === Flow.break) break;
          if (flow > Flow.continue) return flow;
        }
        return Flow.next;
      },
    };
  }

  #orderedKeys(array: AwkArray): string[] {
    const order = this.#runtime.arrays.get("PROCINFO")?.get("sorted_in");
    if (order === undefined || order instanceof AwkArray) return array.keys();
    return this.#sortedEntries(array, this.#runtime.text(order)).map(([key]) => key);
  }

  #sortedEntries(array: AwkArray, how: string): [string, Value | AwkArray][] {
    const entries = array.keys().map((key): [string, Value | AwkArray] => [key, array.get(key)]);
    const order = orderOf(how, this.#runtime);
    if (order !== null) return entries.sort(order);
    const compare = this.#functions.get(how);
    if (compare === undefined) return entries;
    return entries.sort(([i, v], [j, w]) => {
      const values = [
        new Input(i),
        v instanceof AwkArray ? undefined : v,
        new Input(j),
        w instanceof AwkArray ? undefined : w,
      ];
      return toNumber(this.#callNow(compare, values, []));
    });
  }

  #switch(node: Extract<Statement, { is: "switch" }>): Code<Flow> {
    const value = this.expression(node.value);
    const tests = node.cases.map(({ value: of }): Code<(value: Value) => boolean> | null => {
      if (of === null) return null;
      if (of.is === "regex") {
        const regex = this.#literalRegex(of.source);
        return { now: () => (asked: Value) => regex().test(this.#runtime.text(asked)) };
      }
      return map(this.expression(of), (found) => (asked: Value) => this.#compare(asked, found) === 0);
    });
    const bodies = node.cases.map(({ body }) => this.#sequence(body));
    const run = async (): Promise<Flow> => {
      const asked = await runCode(value);
      let start = -1;
      for (const [at, test] of tests.entries()) {
        if (test !== null && (await runCode(test))(asked)) {
          start = at;
          break;
        }
      }
      if (start < 0) start = tests.indexOf(null);
      if (start < 0) return Flow.next;
      for (const body of bodies.slice(start)) {
        const flow = await runCode(body);
        if (flow === Flow.break) return Flow.next;
        if (flow !== Flow.next) return flow;
      }
      return Flow.next;
    };
    if (
      value.now === undefined ||
      !bodies.every(({ now }) => now) ||
      !tests.every((test) => test === null || test.now)
    )
      return { later: run };
    const ask = value.now;
    return {
      now: () => {
        const asked = ask();
        let start = tests.findIndex((test) => test?.now?.()(asked));
        if (start < 0) start = tests.indexOf(null);
        if (start < 0) return Flow.next;
        for (const body of bodies.slice(start)) {
          const flow = body.now?.() ?? Flow.next;
          if (flow === Flow.break) return Flow.next;
          if (flow !== Flow.next) return flow;
        }
        return Flow.next;
      },
    };
  }

  #delete(node: Extract<Statement, { is: "delete" }>): Code<Flow> {
    const array = this.array(node.array);
    if (node.subscripts === null)
      return map(array, (found) => {
        found.clear();
        return Flow.next;
      });
    return map2(array, this.#key(node.subscripts), (found, key) => {
      found.delete(key);
      return Flow.next;
    });
  }

  #print(node: Extract<Statement, { is: "print" | "printf" }>): Code<Flow> {
    const runtime = this.#runtime;
    const args = node.args.map((arg) => this.expression(arg));
    const toText = (values: Value[]): string => {
      if (node.is === "printf") return formatValues(runtime, values);
      if (values.length === 0) return runtime.record + runtime.fixed("ORS");
      if (values.length === 1) return runtime.shown(values[0]) + runtime.fixed("ORS");
      return values.map((value) => runtime.shown(value)).join(runtime.fixed("OFS")) + runtime.fixed("ORS");
    };
    if (node.redirect === null || node.target === null)
      return mapAll(args, (values) => {
        runtime.write(toText(values));
        return Flow.next;
      });
    const { redirect } = node;
    return mapAll([...args, this.expression(node.target)], (values) => {
      const target = runtime.text(values.pop());
      runtime.redirect(redirect, target, toText(values));
      return Flow.next;
    });
  }

  // Expressions

  test(node: Expression): Code<boolean> {
    return map(this.expression(node), isTrue);
  }

  expression(node: Expression): Code<Value> {
    const runtime = this.#runtime;
    switch (node.is) {
      case "number":
      case "string": {
        const { value } = node;
        return { now: () => value };
      }
      case "group":
        return this.expression(node.value);
      case "list":
        throw new AwkError("cmd. line:1: syntax error", 1);
      case "regex": {
        const regex = this.#literalRegex(node.source);
        return { now: () => (regex().test(runtime.record) ? 1 : 0) };
      }
      case "name":
      case "index":
      case "field": {
        const target = this.#target(node);
        return mapAll(target.parts, (values) => target.get(values));
      }
      case "assign":
        return this.#assign(node);
      case "step": {
        const target = this.#target(node.target);
        return mapAll(target.parts, (values) => {
          const before = toNumber(target.get(values));
          target.set(values, before + node.by);
          return node.isPrefix ? before + node.by : before;
        });
      }
      case "unary":
        return map(this.expression(node.value), (value) => {
          if (node.operator === "!") return isTrue(value) ? 0 : 1;
          return node.operator === "-" ? -toNumber(value) : toNumber(value);
        });
      case "binary":
        return map2(this.expression(node.left), this.expression(node.right), this.#operation(node.operator));
      case "and":
      case "or": {
        const [left, right] = [this.test(node.left), this.test(node.right)];
        const isAnd = node.is === "and";
        if (left.now && right.now) {
          const [a, b] = [left.now, right.now];
          return { now: isAnd ? () => (a() && b() ? 1 : 0) : () => (a() || b() ? 1 : 0) };
        }
        return {
          later: async () => {
            const first = await runCode(left);
            return (isAnd ? first && (await runCode(right)) : first || (await runCode(right))) ? 1 : 0;
          },
        };
      }
      case "condition": {
        const test = this.test(node.test);
        const [then, other] = [this.expression(node.then), this.expression(node.else)];
        if (test.now && then.now && other.now) {
          const [ask, yes, no] = [test.now, then.now, other.now];
          return { now: () => (ask() ? yes() : no()) };
        }
        return { later: async () => runCode((await runCode(test)) ? then : other) };
      }
      case "in":
        return map2(this.array(node.array), this.#key(node.subscripts), (array, key) =>
          array.has(key) ? 1 : 0,
        );
      case "match":
        return map2(this.expression(node.text), this.#regex(node.regex), (text, regex) =>
          regex.test(runtime.text(text)) !== node.isNegated ? 1 : 0,
        );
      case "call":
        return this.#call(node.name, node.args);
      case "builtin":
        return this.#builtin(node.name, node.args);
      case "getline":
        return this.#getline(node);
    }
  }

  #operation(operator: string): (left: Value, right: Value) => Value {
    const runtime = this.#runtime;
    switch (operator) {
      case " ":
        return (left, right) => runtime.text(left) + runtime.text(right);
      case "+":
        return (left, right) => toNumber(left) + toNumber(right);
      case "-":
        return (left, right) => toNumber(left) - toNumber(right);
      case "*":
        return (left, right) => toNumber(left) * toNumber(right);
      case "/":
        return (left, right) => divide(toNumber(left), toNumber(right));
      case "%":
        return (left, right) => remainder(toNumber(left), toNumber(right));
      case "^":
        return (left, right) => toNumber(left) ** toNumber(right);
      case "<":
        return (left, right) => (this.#compare(left, right) < 0 ? 1 : 0);
      case "<=":
        return (left, right) => (this.#compare(left, right) <= 0 ? 1 : 0);
      case ">":
        return (left, right) => (this.#compare(left, right) > 0 ? 1 : 0);
      case ">=":
        return (left, right) => (this.#compare(left, right) >= 0 ? 1 : 0);
      case "==":
        return (left, right) => (this.#compare(left, right) === 0 ? 1 : 0);
      default:
        return (left, right) => (this.#compare(left, right) !== 0 ? 1 : 0);
    }
  }

  #compare(left: Value, right: Value): number {
    const a = numberOf(left);
    if (a !== null) {
      const b = numberOf(right);
      if (b !== null) return a === b ? 0 : a < b ? -1 : 1;
    }
    return compareText(this.#runtime.text(left), this.#runtime.text(right));
  }

  #assign(node: Extract<Expression, { is: "assign" }>): Code<Value> {
    const target = this.#target(node.target);
    const { parts } = target;
    const value = this.expression(node.value);
    const operation = node.operator === "=" ? null : this.#operation(node.operator.slice(0, -1));
    if (parts.length === 0)
      return map(value, (found) => {
        const result = operation === null ? found : operation(target.get([]), found);
        target.set([], result);
        return result;
      });
    return mapAll<Cell, Value>([...parts, value], (values) => {
      const found = values.pop() as Value;
      const result = operation === null ? found : operation(target.get(values), found);
      target.set(values, result);
      return result;
    });
  }

  #target(node: Expression): Target {
    const runtime = this.#runtime;
    if (node.is === "group") return this.#target(node.value);
    if (node.is === "field")
      return {
        parts: [this.expression(node.number)],
        get: ([number]) => runtime.field(toNumber(number as Value)),
        set: ([number], value) => runtime.setField(toNumber(number as Value), value),
      };
    if (node.is === "index") {
      const key = this.#key(node.subscripts);
      const array = this.array(node.base);
      // The array of a name is at hand; that of an element has to be found, once, in front of the key.
      const isNamed = node.base.is === "name";
      const arrayOf = (values: readonly Cell[]): AwkArray =>
        (isNamed ? array.now?.() : values[0]) as AwkArray;
      return {
        parts: isNamed ? [key] : [array, key],
        get: (values) => {
          const found = arrayOf(values);
          const text = values[values.length - 1] as string;
          const value = found.get(text);
          if (value instanceof AwkArray)
            throw new AwkError("cmd. line:1: fatal: attempt to use array in a scalar context");
          // To look at an element makes it.
          if (value === undefined && !found.has(text)) found.set(text, undefined);
          return value;
        },
        set: (values, value) => arrayOf(values).set(values[values.length - 1] as string, value),
      };
    }
    if (node.is !== "name") throw new AwkError("cmd. line:1: syntax error", 1);
    const { name } = node;
    const local = this.#locals.indexOf(name);
    if (local >= 0)
      return {
        parts: [],
        get: () => {
          const value = runtime.frame[local];
          if (value instanceof AwkArray)
            throw new AwkError(`cmd. line:1: fatal: attempt to use array \`${name}' in a scalar context`);
          return value;
        },
        set: (_, value) => {
          runtime.frame[local] = value;
        },
      };
    if (/^(NF|NR|FNR|FS|FPAT|FIELDWIDTHS)$/.test(name))
      return {
        parts: [],
        get: () => runtime.getVariable(name),
        set: (_, value) => runtime.setVariable(name, value),
      };
    const slot = runtime.slotOf(name);
    const { globals } = runtime;
    return {
      parts: [],
      get: () => globals[slot],
      set: (_, value) => {
        globals[slot] = value;
      },
    };
  }
  array(node: Expression): Code<AwkArray> {
    const runtime = this.#runtime;
    if (node.is === "name") {
      const local = this.#locals.indexOf(node.name);
      if (local >= 0)
        return {
          now: () => {
            const found = runtime.frame[local];
            if (found instanceof AwkArray) return found;
            const made = new AwkArray();
            runtime.frame[local] = made;
            return made;
          },
        };
      const array = runtime.array(node.name);
      return { now: () => array };
    }
    if (node.is !== "index") throw new AwkError("cmd. line:1: syntax error", 1);
    return map2(this.array(node.base), this.#key(node.subscripts), (base, key) => {
      const found = base.get(key);
      if (found instanceof AwkArray) return found;
      const made = new AwkArray();
      base.set(key, made);
      return made;
    });
  }

  #key(subscripts: readonly Expression[]): Code<string> {
    const runtime = this.#runtime;
    const codes = subscripts.map((one) => this.expression(one));
    const [only] = codes;
    if (codes.length === 1 && only !== undefined) return map(only, (value) => runtime.text(value));
    return mapAll(codes, (values) =>
      values.map((value) => runtime.text(value)).join(runtime.fixed("SUBSEP")),
    );
  }

  #literalRegex(source: string): () => Regex {
    const runtime = this.#runtime;
    const exact = runtime.regex(source);
    return () => (runtime.ignoresCase ? runtime.regex(source) : exact);
  }

  #regex(node: Expression): Code<Regex> {
    if (node.is === "regex") return { now: this.#literalRegex(node.source) };
    return map(this.expression(node), (value) => this.#runtime.regex(this.#runtime.text(value)));
  }

  // Calls

  #call(name: string, args: readonly Expression[]): Code<Value> {
    const called = this.#functions.get(name);
    if (called === undefined) throw new AwkError(`cmd. line:1: fatal: function \`${name}' not defined`);
    if (args.length > called.source.parameters.length)
      throw new AwkError(
        `cmd. line:1: fatal: function \`${name}' called with more arguments than declared`,
        1,
      );
    const values: Code<Value>[] = [];
    const arrays: [number, Code<AwkArray>][] = [];
    for (const [at, arg] of args.entries()) {
      if (called.isArray[at] && (arg.is === "name" || arg.is === "index")) {
        arrays.push([at, this.array(arg)]);
        values.push({ now: () => undefined });
      } else values.push(this.expression(arg));
    }
    if (!called.waits && arrays.every(([, array]) => array.now)) {
      const code = mapAll(values, (found) =>
        this.#callNow(
          called,
          found,
          arrays.map(([at, array]) => [at, array.now?.() ?? new AwkArray()]),
        ),
      );
      if (code.now !== undefined) return code;
    }
    return mapAllLater(values, async (found) => {
      const given: [number, AwkArray][] = [];
      for (const [at, array] of arrays) given.push([at, await runCode(array)]);
      const frame = this.#enter(called, found, given);
      const kept = this.#runtime.frame;
      this.#runtime.frame = frame;
      const flow = called.code === undefined ? Flow.next : await runCode(called.code);
      return this.#leave(kept, flow);
    });
  }

  #enter(
    called: FunctionCode,
    values: Value[],
    arrays: readonly (readonly [number, AwkArray])[],
  ): (Value | AwkArray)[] {
    if (++this.#depth > MAX_DEPTH)
      throw new AwkError("cmd. line:1: fatal: functions call each other too deep");
    const frame: (Value | AwkArray)[] = [...values];
    frame.length = called.source.parameters.length;
    for (const [at, array] of arrays) frame[at] = array;
    this.#runtime.returned = undefined;
    return frame;
  }

  #leave(kept: (Value | AwkArray)[], flow: Flow): Value {
    this.#depth--;
    this.#runtime.frame = kept;
    if (flow !== Flow.next && flow !== Flow.return) throw new FlowSignal(flow);
    const { returned } = this.#runtime;
    this.#runtime.returned = undefined;
    return flow === Flow.return ? returned : undefined;
  }

  #callNow(called: FunctionCode, values: Value[], arrays: readonly (readonly [number, AwkArray])[]): Value {
    const frame = this.#enter(called, values, arrays);
    const kept = this.#runtime.frame;
    this.#runtime.frame = frame;
    return this.#leave(kept, called.code?.now?.() ?? Flow.next);
  }

  #getline(node: Extract<Expression, { is: "getline" }>): Code<Value> {
    const runtime = this.#runtime;
    const source = node.source === null ? [] : [this.expression(node.source)];
    const target = node.target === null ? null : this.#target(node.target);
    return mapAllLater<Cell, Value>([...source, ...(target?.parts ?? [])], async (values) => {
      let record: string | null | undefined;
      const name = node.source === null ? "" : runtime.text(values.shift() as Value);
      if (node.from === "input") record = await runtime.getlineInput();
      else if (node.from === "file") record = await runtime.getlineFile(name);
      else {
        record = await runtime.getlineCommand(name);
        if (record !== null) runtime.nr++;
      }
      if (record === undefined) return -1;
      if (record === null) return 0;
      if (target === null) runtime.setRecord(record);
      else target.set(values, new Input(record));
      return 1;
    });
  }

  #builtin(name: string, args: readonly Expression[]): Code<Value> {
    const runtime = this.#runtime;
    const plain = PLAIN_FUNCTIONS.get(name);
    if (plain !== undefined)
      return mapAll(
        args.map((arg) => this.expression(arg)),
        (values) => plain(runtime, values),
      );
    const [first, second, third, fourth] = args;
    const text = (node: Expression | undefined): Code<string> =>
      node === undefined
        ? { now: () => runtime.record }
        : map(this.expression(node), (value) => runtime.text(value));
    switch (name) {
      case "system":
        return mapAllLater(
          args.map((arg) => this.expression(arg)),
          ([command]) => runtime.system(runtime.text(command)),
        );
      case "close":
        return mapAllLater(
          args.map((arg) => this.expression(arg)),
          ([stream]) => runtime.close(runtime.text(stream)),
        );
      case "length": {
        if (first?.is === "name" && this.#isArray(first)) return map(this.array(first), ({ size }) => size);
        if (first?.is === "index")
          return map(this.#element(first), (found) =>
            found instanceof AwkArray ? found.size : lengthOf(runtime.text(found)),
          );
        return map(text(first), lengthOf);
      }
      case "isarray":
      case "typeof": {
        if (first === undefined) break;
        const isNamed = (first.is === "name" || first.is === "index") && this.#isArray(first);
        const kind: Code<string> = isNamed ? { now: () => "array" } : map(this.#element(first), typeName);
        return map(kind, (found) => (name === "isarray" ? (found === "array" ? 1 : 0) : found));
      }
      case "match":
        return this.#match(args);
      case "sub":
      case "gsub":
        return this.#sub(name === "gsub", args);
      case "gensub": {
        if (first === undefined || second === undefined || third === undefined) break;
        const parts = map2(text(second), text(third), (replacement, how) => ({ replacement, how }));
        return map2(
          map2(this.#regex(first), parts, (regex, rest) => ({ regex, ...rest })),
          text(fourth),
          (task, subject) => {
            const isGlobal = /^[gG]/.test(task.how);
            const number = isGlobal ? 1 : Math.max(1, Math.trunc(toNumber(task.how)));
            const replace = toGroups(task.replacement);
            return substitute(subject, task.regex, replace, isGlobal, number, true).text;
          },
        );
      }
      case "split":
      case "patsplit":
        return this.#split(name, args);
      case "asort":
      case "asorti":
        return this.#sort(name, args);
      default:
    }
    throw new AwkError(`cmd. line:1: fatal: 0 is invalid as number of arguments for ${name}`, 1);
  }

  /** A value, or the array that an element holds. */
  #element(node: Expression): Code<Cell> {
    if (node.is !== "index") {
      if (node.is === "name") {
        const local = this.#locals.indexOf(node.name);
        if (local >= 0) return { now: () => this.#runtime.frame[local] };
      }
      return this.expression(node);
    }
    return map2(this.array(node.base), this.#key(node.subscripts), (array, key) => array.get(key));
  }

  #isArray(node: Expression): boolean {
    if (node.is !== "name") return false;
    const local = this.#locals.indexOf(node.name);
    if (local >= 0) return this.#arrayLocals[local] ?? false;
    return this.#runtime.arrays.has(node.name);
  }

  #match(args: readonly Expression[]): Code<Value> {
    const runtime = this.#runtime;
    const [first, second, third] = args;
    if (first === undefined || second === undefined) throw new AwkError("cmd. line:1: syntax error", 1);
    const array: Code<AwkArray | null> = third === undefined ? { now: () => null } : this.array(third);
    const parts = map2(this.expression(first), this.#regex(second), (text, regex) => ({
      text: runtime.text(text),
      regex,
    }));
    return map2(parts, array, ({ text, regex }, groups) => {
      const found = regex.find(text, 0, groups !== null);
      groups?.clear();
      if (found === null) {
        runtime.setFixed("RSTART", 0);
        runtime.setFixed("RLENGTH", -1);
        return 0;
      }
      const start = charsBefore(text, found.start) + 1;
      runtime.setFixed("RSTART", start);
      runtime.setFixed("RLENGTH", lengthOf(text.slice(found.start, found.end)));
      if (groups !== null) {
        for (const [index, [from, to]] of [[found.start, found.end] as const, ...found.groups].entries()) {
          if (from < 0) continue;
          const part = text.slice(from, to);
          groups.set(String(index), new Input(part));
          groups.set(`${index}${runtime.fixed("SUBSEP")}start`, charsBefore(text, from) + 1);
          groups.set(`${index}${runtime.fixed("SUBSEP")}length`, lengthOf(part));
        }
      }
      return start;
    });
  }

  #sub(isGlobal: boolean, args: readonly Expression[]): Code<Value> {
    const runtime = this.#runtime;
    const [first, second, third] = args;
    if (first === undefined || second === undefined) throw new AwkError("cmd. line:1: syntax error", 1);
    const node: Expression = third ?? { is: "field", number: { is: "number", value: 0 } };
    const isTarget = ["name", "index", "field"].includes(node.is);
    const target = isTarget ? this.#target(node) : null;
    const task = map2(this.#regex(first), this.expression(second), (regex, replacement) => ({
      regex,
      replacement,
    }));
    const parts: readonly Code<Cell>[] = target === null ? [this.expression(node)] : target.parts;
    return map2(
      task,
      mapAll(parts, (values) => values),
      ({ regex, replacement }, values) => {
        const subject = runtime.text(target === null ? (values[0] as Value) : target.get(values));
        const replace = toMatchText(runtime.text(replacement));
        const { text, count } = substitute(subject, regex, replace, isGlobal, 1, false);
        if (count > 0) target?.set(values, text);
        return count;
      },
    );
  }

  #split(name: string, args: readonly Expression[]): Code<Value> {
    const runtime = this.#runtime;
    const [first, second, third, fourth] = args;
    if (first === undefined || second === undefined) throw new AwkError("cmd. line:1: syntax error", 1);
    const subject = map2(this.expression(first), this.array(second), (value, array) => ({
      text: runtime.text(value),
      array,
    }));
    const separator: Code<Regex | string> =
      third === undefined
        ? { now: () => runtime.fixed(name === "split" ? "FS" : "FPAT") }
        : third.is === "regex"
          ? { now: name === "split" ? this.#literalRegex(third.source) : () => third.source }
          : map(this.expression(third), (value) => runtime.text(value));
    const found = map2(subject, separator, (task, by) => ({ ...task, by }));
    const kept: Code<AwkArray | null> = fourth === undefined ? { now: () => null } : this.array(fourth);
    return map2(found, kept, ({ text, array, by }, separators) => {
      const between: string[] = [];
      let parts: string[];
      if (name === "patsplit") parts = matchFields(text, by as string, runtime.ignoresCase, between);
      else if (typeof by === "string") parts = splitFields(text, by, false, runtime.ignoresCase, between);
      else parts = splitByRegex(text, by, between);
      array.clear();
      for (const [at, part] of parts.entries()) array.set(String(at + 1), new Input(part));
      if (separators !== null) {
        separators.clear();
        const offset = name === "patsplit" || by === " " ? 0 : 1;
        for (const [at, part] of between.entries()) separators.set(String(at + offset), part);
      }
      return parts.length;
    });
  }

  #sort(name: string, args: readonly Expression[]): Code<Value> {
    const runtime = this.#runtime;
    const [first, second, third] = args;
    if (first === undefined) throw new AwkError("cmd. line:1: syntax error", 1);
    const into: Code<AwkArray | null> = second === undefined ? { now: () => null } : this.array(second);
    const arrays = map2(this.array(first), into, (from, to) => ({
      from,
      to: to ?? from,
    }));
    const how: Code<Value> = third === undefined ? { now: () => undefined } : this.expression(third);
    return map2(arrays, how, ({ from, to }, order) => {
      let entries = from.keys().map((key): [string, Value | AwkArray] => [key, from.get(key)]);
      if (order !== undefined) entries = this.#sortedEntries(from, runtime.text(order));
      else if (name === "asorti") entries.sort(([a], [b]) => compareText(a, b));
      else entries.sort(([, a], [, b]) => compareElements(a, b, "type", runtime));
      to.clear();
      for (const [at, [key, value]] of entries.entries())
        to.set(String(at + 1), name === "asorti" ? key : value);
      return entries.length;
    });
  }
}

/** The text that `sub` puts: `&` is the match, `\&` an ampersand. */
function toMatchText(replacement: string): (match: string) => string {
  if (!/[&\\]/.test(replacement)) return () => replacement;
  return (match) =>
    replacement.replace(/\\\\\\&|\\\\&|\\&|&/g, (found) => {
      if (found === "&") return match;
      if (found === "\\&") return "&";
      return found === "\\\\&" ? `\\${match}` : "\\&";
    });
}

function divide(left: number, right: number): number {
  if (right === 0) throw new AwkError("cmd. line:1: fatal: division by zero attempted");
  return left / right;
}

function remainder(left: number, right: number): number {
  if (right === 0) throw new AwkError("cmd. line:1: fatal: division by zero attempted in `%'");
  return left % right;
}

/** Every expression and statement in a tree. */
function* nodesOf(tree: unknown): Generator<{ is: string } & Record<string, unknown>> {
  if (typeof tree !== "object" || tree === null) return;
  if (Array.isArray(tree)) {
    for (const one of tree) yield* nodesOf(one);
    return;
  }
  if ("is" in tree && typeof tree.is === "string") yield tree as { is: string } & Record<string, unknown>;
  for (const one of Object.values(tree)) yield* nodesOf(one);
}

/** Functions that may have to wait. */
function findWaiting(program: AwkProgram): Set<string> {
  const waiting = new Set<string>();
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const [name, { body }] of program.functions) {
      if (waiting.has(name)) continue;
      for (const node of nodesOf(body)) {
        const waits =
          node.is === "getline" ||
          (node.is === "builtin" && (node.name === "system" || node.name === "close")) ||
          (node.is === "call" && waiting.has(String(node.name)));
        if (!waits) continue;
        waiting.add(name);
        isNew = true;
        break;
      }
    }
  }
  return waiting;
}

/** Which parameters are arrays: those that are used as one, or given on as one. */
function findArrayParameters(program: AwkProgram): Map<string, boolean[]> {
  const arrays = new Map<string, boolean[]>();
  for (const [name, { parameters }] of program.functions)
    arrays.set(
      name,
      parameters.map(() => false),
    );
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const [name, { parameters, body }] of program.functions) {
      const own = arrays.get(name) ?? [];
      const mark = (node: unknown): void => {
        const found = node as Expression | undefined;
        if (found?.is !== "name") return;
        const at = parameters.indexOf(found.name);
        if (at < 0 || own[at]) return;
        own[at] = true;
        isNew = true;
      };
      for (const node of nodesOf(body)) {
        if (node.is === "index") mark(node.base);
        else if (node.is === "in" || node.is === "each" || node.is === "delete") mark(node.array);
        else if (node.is === "builtin")
          for (const at of ARRAY_ARGUMENTS[String(node.name)] ?? []) mark((node.args as Expression[])[at]);
        else if (node.is === "call") {
          const called = arrays.get(String(node.name)) ?? [];
          for (const [at, isArray] of called.entries()) if (isArray) mark((node.args as Expression[])[at]);
        }
      }
    }
  }
  return arrays;
}
