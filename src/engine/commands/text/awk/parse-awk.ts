/** The grammar of `awk`, with gawk's additions. Over 300 lines: one grammar, whose levels call each other. */
import { type Token, tokenize } from "./awk-tokens.ts";
import {
  AwkError,
  type AwkFunction,
  type AwkProgram,
  type AwkRule,
  type Expression,
  type Statement,
  type SwitchCase,
} from "./awk-tree.ts";

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);
const COMPARISONS = new Set(["<", "<=", "==", "!=", ">", ">="]);

/** @throws AwkError */
export function parseAwk(source: string): AwkProgram {
  return new Parser(tokenize(source), source).program();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #source: string;
  #at = 0;
  /** Inside `print` a bare `>` is where the output goes. */
  #noGreater = 0;
  #inFunction = false;

  constructor(tokens: readonly Token[], source: string) {
    this.#tokens = tokens;
    this.#source = source;
  }

  program(): AwkProgram {
    const rules: AwkRule[] = [];
    const functions = new Map<string, AwkFunction>();
    for (;;) {
      this.#skipEnds();
      if (this.#token.is === "end") break;
      if (this.#isKeyword("function")) {
        const made = this.#function();
        functions.set(made.name, made);
      } else rules.push(this.#rule());
    }
    return { rules, functions };
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { is: "end", text: "", line: 0 };
  }

  #error(): AwkError {
    const { line, is } = this.#token;
    const shown = this.#source.split("\n")[line - 1] ?? "";
    const what = is === "end" || is === "newline" ? "unexpected newline or end of string" : "syntax error";
    return new AwkError(`cmd. line:${line}: ${shown}\nawk: cmd. line:${line}: ^ ${what}`, 1);
  }

  #isMark(text: string): boolean {
    return this.#token.is === "mark" && this.#token.text === text;
  }
  #isKeyword(text: string): boolean {
    return this.#token.is === "keyword" && this.#token.text === text;
  }
  #takeMark(text: string): boolean {
    if (!this.#isMark(text)) return false;
    this.#at++;
    return true;
  }
  #expect(text: string): void {
    if (!this.#takeMark(text)) throw this.#error();
  }
  #skipNewlines(): void {
    while (this.#token.is === "newline") this.#at++;
  }
  #skipEnds(): void {
    while (this.#token.is === "newline" || this.#isMark(";")) this.#at++;
  }

  #function(): AwkFunction {
    this.#at++;
    const { text: name, is } = this.#token;
    if (is !== "call" && is !== "name") throw this.#error();
    this.#at++;
    this.#expect("(");
    const parameters: string[] = [];
    while (!this.#isMark(")")) {
      this.#skipNewlines();
      if (this.#token.is !== "name") throw this.#error();
      parameters.push(this.#token.text);
      this.#at++;
      this.#skipNewlines();
      if (!this.#takeMark(",")) break;
    }
    this.#expect(")");
    this.#skipNewlines();
    this.#inFunction = true;
    const body = this.#block();
    this.#inFunction = false;
    return { name, parameters, body };
  }

  #rule(): AwkRule {
    const { text } = this.#token;
    if (this.#token.is === "keyword" && /^(BEGIN|END|BEGINFILE|ENDFILE)$/.test(text)) {
      this.#at++;
      this.#skipNewlines();
      return { kind: text as AwkRule["kind"], pattern: null, patternEnd: null, body: this.#block() };
    }
    let pattern: Expression | null = null;
    let patternEnd: Expression | null = null;
    if (!this.#isMark("{")) {
      pattern = this.#expression();
      if (this.#takeMark(",")) {
        this.#skipNewlines();
        patternEnd = this.#expression();
      }
    }
    const body = this.#isMark("{") ? this.#block() : null;
    if (body === null && this.#token.is !== "newline" && this.#token.is !== "end" && !this.#isMark(";"))
      throw this.#error();
    return { kind: "record", pattern, patternEnd, body };
  }

  #block(): Statement {
    this.#expect("{");
    const body: Statement[] = [];
    for (;;) {
      this.#skipEnds();
      if (this.#takeMark("}")) return { is: "block", body };
      if (this.#token.is === "end") throw this.#error();
      body.push(this.#statement());
    }
  }

  /** The end of a simple statement; a closing brace is left. */
  #endOfStatement(): void {
    if (this.#token.is === "newline" || this.#isMark(";")) this.#at++;
    else if (!this.#isMark("}") && this.#token.is !== "end") throw this.#error();
  }

  #body(): Statement {
    this.#skipNewlines();
    if (this.#takeMark(";")) return { is: "block", body: [] };
    return this.#statement();
  }

  #statement(): Statement {
    if (this.#isMark("{")) return this.#block();
    if (this.#token.is === "keyword") {
      const made = this.#keywordStatement(this.#token.text);
      if (made !== null) return made;
    }
    const simple = this.#simpleStatement();
    this.#endOfStatement();
    return simple;
  }

  #keywordStatement(keyword: string): Statement | null {
    switch (keyword) {
      case "if": {
        this.#at++;
        const test = this.#parenthesized();
        const then = this.#body();
        const before = this.#at;
        this.#skipEnds();
        if (!this.#isKeyword("else")) {
          this.#at = before;
          return { is: "if", test, then, else: null };
        }
        this.#at++;
        return { is: "if", test, then, else: this.#body() };
      }
      case "while": {
        this.#at++;
        const test = this.#parenthesized();
        return { is: "while", test, body: this.#body() };
      }
      case "do": {
        this.#at++;
        const body = this.#body();
        this.#skipEnds();
        if (!this.#isKeyword("while")) throw this.#error();
        this.#at++;
        const test = this.#parenthesized();
        this.#endOfStatement();
        return { is: "do", test, body };
      }
      case "for":
        return this.#for();
      case "switch":
        return this.#switch();
      case "break":
      case "continue":
      case "next":
      case "nextfile":
        this.#at++;
        this.#endOfStatement();
        return { is: keyword };
      case "exit":
      case "return": {
        if (keyword === "return" && !this.#inFunction)
          throw new AwkError(`cmd. line:${this.#token.line}: \`return' used outside function context`, 1);
        this.#at++;
        const hasValue = this.#token.is !== "newline" && !this.#isMark(";") && !this.#isMark("}");
        const value = hasValue ? this.#expression() : null;
        this.#endOfStatement();
        return { is: keyword, value };
      }
      default:
        return null;
    }
  }

  #parenthesized(): Expression {
    this.#expect("(");
    const value = this.#free(() => this.#expression());
    this.#expect(")");
    return value;
  }

  /** Parses what stands in parentheses: there `>` and `in` mean what they always do. */
  #free<T>(parse: () => T): T {
    const kept = this.#noGreater;
    this.#noGreater = 0;
    this.#skipNewlines();
    const made = parse();
    this.#skipNewlines();
    this.#noGreater = kept;
    return made;
  }

  #for(): Statement {
    this.#at++;
    this.#expect("(");
    const [name, word, array] = [this.#token, this.#tokens[this.#at + 1], this.#tokens[this.#at + 2]];
    if (name.is === "name" && word?.text === "in" && word.is === "keyword" && array?.is === "name") {
      const before = this.#at;
      this.#at += 2;
      const base = this.#primary();
      if (this.#takeMark(")"))
        return { is: "each", target: { is: "name", name: name.text }, array: base, body: this.#body() };
      this.#at = before;
    }
    const first = this.#isMark(";") ? null : this.#simpleStatement();
    this.#expect(";");
    this.#skipNewlines();
    const test = this.#isMark(";") ? null : this.#expression();
    this.#expect(";");
    this.#skipNewlines();
    const step = this.#isMark(")") ? null : this.#simpleStatement();
    this.#expect(")");
    return { is: "for", first, test, step, body: this.#body() };
  }

  #switch(): Statement {
    this.#at++;
    const value = this.#parenthesized();
    this.#skipNewlines();
    this.#expect("{");
    const cases: SwitchCase[] = [];
    for (;;) {
      this.#skipEnds();
      if (this.#takeMark("}")) return { is: "switch", value, cases };
      let of: Expression | null = null;
      if (this.#isKeyword("case")) {
        this.#at++;
        of = this.#unary();
      } else if (this.#isKeyword("default")) this.#at++;
      else throw this.#error();
      this.#expect(":");
      const body: Statement[] = [];
      for (;;) {
        this.#skipEnds();
        if (this.#isKeyword("case") || this.#isKeyword("default") || this.#isMark("}")) break;
        body.push(this.#statement());
      }
      cases.push({ value: of, body });
    }
  }

  #simpleStatement(): Statement {
    if (this.#isKeyword("print") || this.#isKeyword("printf")) return this.#print();
    if (this.#isKeyword("delete")) {
      this.#at++;
      const target = this.#primary();
      if (target.is === "index") return { is: "delete", array: target.base, subscripts: target.subscripts };
      return { is: "delete", array: target, subscripts: null };
    }
    return { is: "expression", value: this.#expression() };
  }

  #print(): Statement {
    const is = this.#token.text as "print" | "printf";
    this.#at++;
    const args: Expression[] = [];
    const isEnd = (): boolean =>
      this.#token.is === "newline" ||
      this.#token.is === "end" ||
      [";", "}", ">", ">>", "|"].some((mark) => this.#isMark(mark));
    const before = this.#at;
    let isList = false;
    if (this.#takeMark("(")) {
      const items = this.#free(() => this.#expressions(")"));
      isList = this.#takeMark(")") && isEnd();
      if (isList) args.push(...items);
      else this.#at = before;
    }
    if (!isList && !isEnd()) {
      this.#noGreater++;
      args.push(this.#expression());
      while (this.#takeMark(",")) {
        this.#skipNewlines();
        args.push(this.#expression());
      }
      this.#noGreater--;
    }
    for (const redirect of [">", ">>", "|"] as const) {
      if (!this.#takeMark(redirect)) continue;
      this.#noGreater++;
      const target = this.#concatenation();
      this.#noGreater--;
      return { is, args, redirect, target };
    }
    return { is, args, redirect: null, target: null };
  }

  #expressions(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#isMark(end)) {
      items.push(this.#expression());
      this.#skipNewlines();
      if (!this.#takeMark(",")) break;
      this.#skipNewlines();
    }
    return items;
  }

  #expression(): Expression {
    const left = this.#condition();
    const { text } = this.#token;
    if (this.#token.is !== "mark" || !ASSIGNMENTS.has(text)) return left;
    // `!x = y` assigns first.
    if (left.is === "unary" && left.operator === "!" && isTarget(left.value)) {
      this.#at++;
      this.#skipNewlines();
      const value = this.#expression();
      return { ...left, value: { is: "assign", operator: text, target: left.value, value } };
    }
    if (!isTarget(left)) throw this.#error();
    this.#at++;
    this.#skipNewlines();
    return { is: "assign", operator: text, target: left, value: this.#expression() };
  }

  #condition(): Expression {
    const test = this.#or();
    if (!this.#takeMark("?")) return test;
    this.#skipNewlines();
    const then = this.#expression();
    this.#skipNewlines();
    this.#expect(":");
    this.#skipNewlines();
    return { is: "condition", test, then, else: this.#expression() };
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#takeMark("||")) {
      this.#skipNewlines();
      left = { is: "or", left, right: this.#and() };
    }
    return left;
  }

  #and(): Expression {
    let left = this.#in();
    while (this.#takeMark("&&")) {
      this.#skipNewlines();
      left = { is: "and", left, right: this.#in() };
    }
    return left;
  }

  #in(): Expression {
    let left = this.#matching();
    while (this.#isKeyword("in")) {
      this.#at++;
      const subscripts = left.is === "list" ? left.items : [left];
      left = { is: "in", subscripts, array: this.#primary() };
    }
    if (left.is === "list") throw this.#error();
    return left;
  }

  #matching(): Expression {
    let left = this.#comparison();
    for (;;) {
      const isNegated = this.#isMark("!~");
      if (!isNegated && !this.#isMark("~")) return left;
      this.#at++;
      left = { is: "match", isNegated, text: left, regex: this.#comparison() };
    }
  }

  #comparison(): Expression {
    let left = this.#concatenation();
    for (;;) {
      const { text } = this.#token;
      if (this.#isMark("|") && this.#tokens[this.#at + 1]?.text === "getline") {
        this.#at += 2;
        left = { is: "getline", from: "command", source: left, target: this.#optionalTarget() };
        continue;
      }
      if (this.#token.is !== "mark" || !COMPARISONS.has(text)) return left;
      if (text === ">" && this.#noGreater > 0) return left;
      this.#at++;
      left = { is: "binary", operator: text, left, right: this.#concatenation() };
    }
  }

  #concatenation(): Expression {
    let left = this.#sum();
    while (this.#startsOperand()) left = { is: "binary", operator: " ", left, right: this.#sum() };
    return left;
  }

  #startsOperand(): boolean {
    const { is, text } = this.#token;
    if (["number", "string", "name", "call", "builtin", "regex"].includes(is)) return true;
    if (is === "mark") return ["$", "(", "!", "++", "--"].includes(text);
    return false;
  }

  #sum(): Expression {
    let left = this.#product();
    while (this.#isMark("+") || this.#isMark("-")) {
      const operator = this.#token.text;
      this.#at++;
      left = { is: "binary", operator, left, right: this.#product() };
    }
    return left;
  }

  #product(): Expression {
    let left = this.#unary();
    while (this.#isMark("*") || this.#isMark("/") || this.#isMark("%")) {
      const operator = this.#token.text;
      this.#at++;
      left = { is: "binary", operator, left, right: this.#unary() };
    }
    return left;
  }

  #unary(): Expression {
    for (const operator of ["!", "-", "+"] as const)
      if (this.#takeMark(operator)) return { is: "unary", operator, value: this.#unary() };
    return this.#power();
  }

  #power(): Expression {
    const left = this.#postfix();
    if (!this.#takeMark("^")) return left;
    const sign = this.#isMark("-") || this.#isMark("+") || this.#isMark("!");
    const right = sign ? this.#unary() : this.#power();
    return { is: "binary", operator: "^", left, right };
  }

  #postfix(): Expression {
    for (const [mark, by] of [
      ["++", 1],
      ["--", -1],
    ] as const) {
      if (!this.#takeMark(mark)) continue;
      const target = this.#primary();
      if (!isTarget(target)) throw this.#error();
      return { is: "step", isPrefix: true, by, target };
    }
    const value = this.#primary();
    if (isTarget(value)) {
      if (this.#takeMark("++")) return { is: "step", isPrefix: false, by: 1, target: value };
      if (this.#takeMark("--")) return { is: "step", isPrefix: false, by: -1, target: value };
    }
    return value;
  }

  #primary(): Expression {
    const { is, text } = this.#token;
    this.#at++;
    switch (is) {
      case "number":
        return { is: "number", value: Number(text) };
      case "string":
        return { is: "string", value: text };
      case "regex":
        return { is: "regex", source: text };
      case "name":
        return this.#subscripted({ is: "name", name: text });
      case "call": {
        this.#expect("(");
        const args = this.#free(() => this.#expressions(")"));
        this.#expect(")");
        return { is: "call", name: text, args };
      }
      case "builtin": {
        if (!this.#takeMark("(")) {
          if (text === "length") return { is: "builtin", name: text, args: [] };
          this.#at--;
          throw this.#error();
        }
        const args = this.#free(() => this.#expressions(")"));
        this.#expect(")");
        return { is: "builtin", name: text, args };
      }
      case "keyword":
        if (text === "getline") {
          const target = this.#optionalTarget();
          if (!this.#takeMark("<")) return { is: "getline", from: "input", source: null, target };
          return { is: "getline", from: "file", source: this.#postfix(), target };
        }
        break;
      case "mark":
        if (text === "$") {
          if (this.#isMark("++") || this.#isMark("--")) return { is: "field", number: this.#postfix() };
          if (this.#isMark("-") || this.#isMark("+") || this.#isMark("!"))
            return { is: "field", number: this.#unary() };
          return { is: "field", number: this.#primary() };
        }
        if (text === "(") {
          const items = this.#free(() => this.#expressions(")"));
          this.#expect(")");
          const [only] = items;
          if (only === undefined) break;
          if (items.length > 1) return { is: "list", items };
          return { is: "group", value: only };
        }
        break;
      default:
    }
    this.#at--;
    throw this.#error();
  }

  #subscripted(base: Expression): Expression {
    let made = base;
    while (this.#takeMark("[")) {
      const subscripts = this.#free(() => this.#expressions("]"));
      this.#expect("]");
      made = { is: "index", base: made, subscripts };
    }
    return made;
  }

  /** The variable behind `getline`, if one stands there. */
  #optionalTarget(): Expression | null {
    const isField = this.#isMark("$");
    if (this.#token.is !== "name" && !isField) return null;
    return this.#primary();
  }
}

function isTarget(value: Expression): boolean {
  return value.is === "name" || value.is === "index" || value.is === "field";
}
