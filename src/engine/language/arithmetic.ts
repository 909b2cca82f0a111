/**
 * `$((…))`, `((…))`, `let`, subscripts, `-i` variables: integers of 64 bits that wrap around, as in bash. The
 * engine's own counts with floating point numbers of 53 bits, cuts off at 2^53 without a word, shifts by 32
 * bits, and takes `c[$w]` for the sum of what `$w` names.
 */
import { ArithmeticFault, type Expression, type Place, parseArithmetic } from "./arithmetic-parse.ts";
import { cutSubscripts } from "./arithmetic-text.ts";

export { ArithmeticFault } from "./arithmetic-parse.ts";

/** What an expression needs of the shell. */
export interface ArithmeticShell {
  /** Expands text as in double quotes, where quotes mean nothing. */
  expand(text: string): Promise<string>;
  /** Expands the key of an associative array: quotes are removed. */
  expandKey(text: string): Promise<string>;
  isAssociative(name: string): boolean;
  /** The value of a variable, or of an element; throws where `set -u` says so. */
  read(name: string, key: string | bigint | null): Promise<string | undefined>;
  write(name: string, key: string | bigint | null, value: string): Promise<void> | void;
}

/** Variables that count by themselves, whatever was assigned to them. */
export const SPECIAL_INTEGERS: ReadonlySet<string> = new Set(
  "BASHPID EPOCHSECONDS EUID LINENO PPID RANDOM SECONDS SRANDOM UID".split(" "),
);

/** As in bash: so deep may variables name expressions that name variables. */
const DEEPEST = 1024;
const INTEGER = /^[ \t\n]*(-?(?:0|[1-9][0-9]*))[ \t\n]*$/;

interface Prepared {
  readonly text: string;
  readonly subscripts: readonly string[];
  readonly expands: boolean;
  /** The last text that was parsed, and what it gave. */
  last: { readonly text: string; readonly tree: Expression } | null;
}

/** Expressions stand in loops and in variables: each is cut up and parsed once. */
const prepared = new Map<string, Prepared>();
const PREPARED_AT_MOST = 2000;

/** The value of an expression; a `number` where that is exact, so that indexes stay plain numbers. */
export async function evaluateArithmetic(shell: ArithmeticShell, source: string): Promise<number | bigint> {
  const value = await evaluateText(shell, source, 0);
  const plain = Number(value);
  return Number.isSafeInteger(plain) ? plain : value;
}

async function evaluateText(shell: ArithmeticShell, source: string, depth: number): Promise<bigint> {
  if (depth > DEEPEST)
    throw new ArithmeticFault(`${source}: expression recursion level exceeded (error token is "${source}")`);
  const parts = prepare(source);
  const text = parts.expands ? await shell.expand(parts.text) : parts.text;
  try {
    if (parts.last?.text !== text) parts.last = { text, tree: parseArithmetic(text, parts.subscripts) };
  } catch (error) {
    throw named(error, text);
  }
  const { tree } = parts.last;
  return run(tree);

  async function run(node: Expression): Promise<bigint> {
    switch (node.is) {
      case "number":
        return node.value;
      case "place":
        return load(node.place.name, await keyOf(node.place));
      case "step": {
        const key = await keyOf(node.place);
        const before = await load(node.place.name, key);
        const now = wrap(before + node.by);
        await shell.write(node.place.name, key, String(now));
        return node.before ? now : before;
      }
      case "assign": {
        const key = await keyOf(node.place);
        const before = node.operator === "" ? 0n : await load(node.place.name, key);
        const value = await run(node.value);
        const now = node.operator === "" ? value : calculate(node.operator, before, value, "");
        await shell.write(node.place.name, key, String(now));
        return now;
      }
      case "unary":
        return sign(node.operator, await run(node.operand));
      case "choice":
        return (await run(node.condition)) !== 0n ? run(node.yes) : run(node.no);
      case "binary": {
        const left = await run(node.left);
        if (node.operator === "||") return left !== 0n || (await run(node.right)) !== 0n ? 1n : 0n;
        if (node.operator === "&&") return left !== 0n && (await run(node.right)) !== 0n ? 1n : 0n;
        return calculate(node.operator, left, await run(node.right), node.rest);
      }
    }
  }

  async function keyOf({ name, subscript }: Place): Promise<string | bigint | null> {
    if (subscript === null) return null;
    if (shell.isAssociative(name)) return shell.expandKey(subscript);
    return evaluateText(shell, subscript, depth + 1);
  }

  async function load(name: string, key: string | bigint | null): Promise<bigint> {
    const value = await shell.read(name, key);
    if (value === undefined || value === "") return 0n;
    const integer = INTEGER.exec(value)?.[1];
    return integer === undefined ? evaluateText(shell, value, depth + 1) : wrap(BigInt(integer));
  }

  function calculate(operator: string, left: bigint, right: bigint, rest: string): bigint {
    if ((operator === "/" || operator === "%") && right === 0n)
      throw new ArithmeticFault(`${text.trim()}: division by 0 (error token is "${rest}")`);
    if (operator === "**" && right < 0n)
      throw new ArithmeticFault(`${text.trim()}: exponent less than 0 (error token is "${rest}")`);
    return apply(operator, left, right);
  }
}

function prepare(source: string): Prepared {
  const known = prepared.get(source);
  if (known !== undefined) return known;
  if (prepared.size >= PREPARED_AT_MOST) prepared.clear();
  const fresh: Prepared = { ...cutSubscripts(source), last: null };
  prepared.set(source, fresh);
  return fresh;
}

function named(error: unknown, text: string): unknown {
  return error instanceof ArithmeticFault ? new ArithmeticFault(`${text.trim()}: ${error.message}`) : error;
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function sign(operator: string, value: bigint): bigint {
  if (operator === "-") return wrap(-value);
  if (operator === "!") return value === 0n ? 1n : 0n;
  return operator === "~" ? ~value : value;
}

function apply(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "+":
      return wrap(left + right);
    case "-":
      return wrap(left - right);
    case "*":
      return wrap(left * right);
    case "/":
      return wrap(left / right);
    case "%":
      return left % right;
    case "**":
      return power(left, right);
    // The processor takes the count modulo 64.
    case "<<":
      return wrap(left << (right & 63n));
    case ">>":
      return left >> (right & 63n);
    case "<":
      return left < right ? 1n : 0n;
    case "<=":
      return left <= right ? 1n : 0n;
    case ">":
      return left > right ? 1n : 0n;
    case ">=":
      return left >= right ? 1n : 0n;
    case "==":
      return left === right ? 1n : 0n;
    case "!=":
      return left !== right ? 1n : 0n;
    case "&":
      return left & right;
    case "^":
      return left ^ right;
    case "|":
      return left | right;
    default:
      return right;
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
}
