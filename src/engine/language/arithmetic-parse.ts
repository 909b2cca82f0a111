/** Expanded arithmetic → a tree. Precedence and quirks are bash's: unary binds tighter than `**`, `--5` is 5. */
import { CUT, closingEnd } from "./arithmetic-text.ts";

/** What can stand on the left of `=`. `subscript`: text, not yet expanded. */
export interface Place {
  readonly name: string;
  readonly subscript: string | null;
}

export type Expression =
  | { readonly is: "number"; readonly value: bigint }
  | { readonly is: "place"; readonly place: Place }
  | { readonly is: "step"; readonly place: Place; readonly by: bigint; readonly before: boolean }
  | { readonly is: "assign"; readonly place: Place; readonly operator: string; readonly value: Expression }
  | { readonly is: "unary"; readonly operator: string; readonly operand: Expression }
  | {
      readonly is: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      /** The rest of the text from the right operand on: bash names it when that is zero. */
      readonly rest: string;
    }
  | {
      readonly is: "choice";
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    };

/** An expression that bash refuses; the message is what bash says after the expression. */
export class ArithmeticFault extends Error {
  override name = "ArithmeticFault";
}

const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<=", ">=", "<", ">"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="]);
const OPERATORS =
  /<<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|<=|>=|==|!=|\+=|-=|\*=|\/=|%=|&=|\^=|\|=|[-+*/%<>=&|^!~?:,()]/y;
const DEEPEST = 1000;

/** Reads `text`; `subscripts` are those that were cut out of it. Throws an `ArithmeticFault`. */
export function parseArithmetic(text: string, subscripts: readonly string[]): Expression {
  let at = 0;
  let depth = 0;
  let operator: string | null = null;
  let operatorEnd = 0;

  function skipBlanks(): void {
    for (;;) {
      const char = text[at];
      if (char === " " || char === "\t" || char === "\n" || char === "\r") at++;
      else if (char === "\\" && text[at + 1] === "\n") at += 2;
      else break;
    }
  }

  /** Looks at the operator that comes next. */
  function peek(): string | null {
    skipBlanks();
    OPERATORS.lastIndex = at;
    operator = OPERATORS.exec(text)?.[0] ?? null;
    operatorEnd = at + (operator?.length ?? 0);
    return operator;
  }

  function take(wanted: string): boolean {
    if (peek() !== wanted) return false;
    at = operatorEnd;
    return true;
  }

  function refuse(message: string, from = at): never {
    throw new ArithmeticFault(`${message} (error token is "${text.slice(from)}")`);
  }

  function commas(): Expression {
    if (++depth > DEEPEST) refuse("expression recursion level exceeded");
    let left = assignment();
    while (take(",")) left = binary(",", left, assignment, at);
    depth--;
    return left;
  }

  function binary(sign: string, left: Expression, read: () => Expression, from: number): Expression {
    const right = read();
    return { is: "binary", operator: sign, left, right, rest: text.slice(from).trimStart() };
  }

  function assignment(): Expression {
    const left = choice();
    const sign = peek();
    if (sign === null || !ASSIGNMENTS.has(sign)) return left;
    if (left.is !== "place") refuse("attempted assignment to non-variable");
    at = operatorEnd;
    return { is: "assign", place: left.place, operator: sign.slice(0, -1), value: assignment() };
  }

  function choice(): Expression {
    const condition = level(0);
    if (!take("?")) return condition;
    skipBlanks();
    if (text[at] === ":" || at >= text.length) refuse("expression expected");
    const yes = commas();
    if (!take(":")) refuse("`:' expected for conditional expression");
    skipBlanks();
    if (at >= text.length) refuse("expression expected");
    return { is: "choice", condition, yes, no: choice() };
  }

  function level(index: number): Expression {
    const signs = LEVELS[index];
    if (signs === undefined) return power();
    let left = level(index + 1);
    for (;;) {
      const sign = peek();
      if (sign === null || !signs.includes(sign)) return left;
      at = operatorEnd;
      left = binary(sign, left, () => level(index + 1), at);
    }
  }

  function power(): Expression {
    const base = unary();
    if (!take("**")) return base;
    return binary("**", base, power, at);
  }

  function unary(): Expression {
    const sign = peek();
    if (sign === "++" || sign === "--") {
      const from = at;
      at = operatorEnd;
      skipBlanks();
      if (/[A-Za-z_]/.test(text[at] ?? "")) {
        const target = operand();
        if (target.is === "place")
          return { is: "step", place: target.place, by: sign === "++" ? 1n : -1n, before: true };
        refuse("syntax error: operand expected");
      }
      // `--5` is `- -5`.
      at = from + 1;
      return { is: "unary", operator: sign[0] ?? "", operand: nested(unary) };
    }
    if (sign === "-" || sign === "+" || sign === "!" || sign === "~") {
      at = operatorEnd;
      return { is: "unary", operator: sign, operand: nested(unary) };
    }
    return operand();
  }

  function nested(read: () => Expression): Expression {
    if (++depth > DEEPEST) refuse("expression recursion level exceeded");
    const found = read();
    depth--;
    return found;
  }

  function operand(): Expression {
    skipBlanks();
    const char = text[at] ?? "";
    if (char === "(") {
      at++;
      const inner = commas();
      if (!take(")")) refuse("missing `)'");
      return inner;
    }
    if (/[0-9]/.test(char)) return number();
    if (!/[A-Za-z_]/.test(char)) refuse("syntax error: operand expected");
    const place = readPlace();
    const sign = peek();
    if (sign !== "++" && sign !== "--") return { is: "place", place };
    // `a++b` is `a + +b`.
    if (/^\s*[A-Za-z_0-9(]/.test(text.slice(operatorEnd))) return { is: "place", place };
    at = operatorEnd;
    return { is: "step", place, by: sign === "++" ? 1n : -1n, before: false };
  }

  function readPlace(): Place {
    const name = /\w+/y;
    name.lastIndex = at;
    const found = name.exec(text)?.[0] ?? "";
    at += found.length;
    if (text[at] !== "[") return { name: found, subscript: null };
    const end = closingEnd(text, at);
    if (end === -1) refuse("bad array subscript", at - found.length);
    const inner = text.slice(at + 1, end - 1);
    at = end;
    const subscript = inner.startsWith(CUT) ? (subscripts[Number(inner.slice(1))] ?? "") : inner;
    return { name: found, subscript };
  }

  function number(): Expression {
    const word = /[0-9][\w#@]*/y;
    word.lastIndex = at;
    const from = at;
    const digits = word.exec(text)?.[0] ?? "";
    const value = toInteger(digits);
    if (typeof value === "string") refuse(value, from);
    at += digits.length;
    return { is: "number", value };
  }

  skipBlanks();
  if (at >= text.length) return { is: "number", value: 0n };
  const tree = commas();
  skipBlanks();
  if (at < text.length)
    refuse(
      /^[\w$'"`\\([{]/.test(text.slice(at))
        ? "syntax error in expression"
        : "syntax error: invalid arithmetic operator",
    );
  return tree;
}

/** `12`, `017`, `0xff`, `2#101`; what is wrong with it as text. */
export function toInteger(digits: string): bigint | string {
  const [, base, rest = ""] = /^([0-9]+)#(.*)$/.exec(digits) ?? [];
  if (base !== undefined) {
    const radix = Number(base);
    if (radix < 2 || radix > 64) return "invalid arithmetic base";
    if (rest === "") return "invalid integer constant";
    return inBase(rest, radix);
  }
  if (/^0[xX]/.test(digits)) return inBase(digits.slice(2), 16);
  if (digits.length > 1 && digits.startsWith("0")) return inBase(digits.slice(1), 8);
  return inBase(digits, 10);
}

function inBase(digits: string, radix: number): bigint | string {
  if (radix === 10 && /^[0-9]+$/.test(digits)) return BigInt.asIntN(64, BigInt(digits));
  let value = 0n;
  for (const digit of digits) {
    const worth = digitValue(digit, radix);
    if (worth === null) return "invalid integer constant";
    if (worth >= radix) return "value too great for base";
    value = BigInt.asIntN(64, value * BigInt(radix) + BigInt(worth));
  }
  return value;
}

function digitValue(digit: string, radix: number): number | null {
  if (digit >= "0" && digit <= "9") return Number(digit);
  if (digit >= "a" && digit <= "z") return digit.charCodeAt(0) - 87;
  if (digit >= "A" && digit <= "Z") return digit.charCodeAt(0) - (radix <= 36 ? 55 : 29);
  return digit === "@" ? 62 : digit === "_" ? 63 : null;
}
