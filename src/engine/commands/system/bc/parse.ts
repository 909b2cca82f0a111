/** Tokens → items. Longer than most files because a grammar is one thing. */
import type { Lexer, Token } from "./lex.ts";
import type {
  Argument,
  Expression,
  FunctionDefinition,
  Item,
  Parameter,
  Place,
  Statement,
} from "./syntax.ts";

/** What is wrong with the text of a program, with its line. */
export class BcSyntaxError extends Error {}

/** `quit` ends a program when it is read. */
class Quit extends Error {}

/** Binary operators from loosest to tightest. An assignment stands between relations and sums. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  [],
  ["==", "<=", ">=", "!=", "<", ">"],
  [],
  ["+", "-"],
  ["*", "/", "%"],
  ["^"],
];
const NOT_LEVEL = 2;
const ASSIGN_LEVEL = 4;
const POWER_LEVEL = 7;
const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);

export class Parser {
  readonly #lexer: Lexer;
  #token: Token;
  #loops = 0;
  #isInFunction = false;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
    this.#token = { is: "newline" };
  }

  /** Throws `BcSyntaxError`, after which the next item can be asked for. */
  next(): Item {
    try {
      return this.#item();
    } catch (error) {
      if (error instanceof Quit) return { is: "quit" };
      this.#loops = 0;
      this.#isInFunction = false;
      if (error instanceof BcSyntaxError) this.#skipLine();
      throw error;
    }
  }

  #item(): Item {
    this.#advance();
    this.#skipNewlines();
    if (this.#token.is === "end") return { is: "end" };
    if (this.#isKeyword("define")) return { is: "define", definition: this.#definition() };
    const body: Statement[] = [];
    for (;;) {
      if (!this.#isOperator(";") && !this.#isLineEnd()) body.push(this.#statement());
      if (this.#isOperator(";")) this.#advance();
      else if (this.#isLineEnd()) return { is: "statements", body };
      else this.#fail();
    }
  }

  // ---- statements

  #statement(): Statement {
    const token = this.#token;
    if (token.is === "string") {
      this.#advance();
      return { is: "string", text: token.text };
    }
    if (this.#takeOperator("{")) return { is: "block", body: this.#blockBody() };
    if (token.is === "keyword") {
      switch (token.text) {
        case "if":
          return this.#if();
        case "while": {
          this.#advance();
          const test = this.#parenthesised();
          return { is: "while", test, body: this.#loopBody() };
        }
        case "for":
          return this.#for();
        case "print":
          return this.#print();
        case "return":
          return this.#return();
        case "break":
        case "continue":
          this.#advance();
          if (this.#loops === 0)
            throw this.#error(
              token.text === "break" ? "Break outside a for/while" : "Continue outside a for",
            );
          return { is: token.text };
        case "halt":
          this.#advance();
          return { is: "halt" };
        case "limits":
          this.#advance();
          return { is: "limits" };
        case "warranty":
          this.#advance();
          return { is: "block", body: [] };
        case "quit":
          throw new Quit();
      }
    }
    return { is: "expression", value: this.#expression(0) };
  }

  /** Behind `{`. */
  #blockBody(): Statement[] {
    const body: Statement[] = [];
    for (;;) {
      this.#skipSeparators();
      if (this.#takeOperator("}")) return body;
      if (this.#token.is === "end") this.#fail();
      body.push(this.#statement());
      if (!this.#isOperator("}") && !this.#isOperator(";") && !this.#isLineEnd()) this.#fail();
    }
  }

  #if(): Statement {
    this.#advance();
    const test = this.#parenthesised();
    this.#skipNewlines();
    const then = this.#statement();
    // On the same line: an `else` further down is an error of syntax in bc.
    if (!this.#isKeyword("else")) return { is: "if", test, then, otherwise: null };
    this.#advance();
    this.#skipNewlines();
    return { is: "if", test, then, otherwise: this.#statement() };
  }

  #for(): Statement {
    this.#advance();
    this.#expect("(");
    const part = (end: string): Expression | null => {
      const value = this.#isOperator(end) ? null : this.#expression(0);
      this.#expect(end);
      return value;
    };
    const start = part(";");
    const test = part(";");
    const step = part(")");
    return { is: "for", start, test, step, body: this.#loopBody() };
  }

  #loopBody(): Statement {
    this.#skipNewlines();
    this.#loops++;
    const body = this.#statement();
    this.#loops--;
    return body;
  }

  #print(): Statement {
    this.#advance();
    const items: (Expression | { is: "text"; text: string })[] = [];
    do {
      if (this.#token.is === "string") {
        items.push({ is: "text", text: this.#token.text });
        this.#advance();
      } else items.push(this.#expression(0));
    } while (this.#takeOperator(","));
    return { is: "print", items };
  }

  #return(): Statement {
    this.#advance();
    if (!this.#isInFunction) throw this.#error("Return outside of a function.");
    const isBare = this.#isLineEnd() || this.#isOperator(";") || this.#isOperator("}");
    return { is: "return", value: isBare ? null : this.#expression(0) };
  }

  #definition(): FunctionDefinition {
    this.#advance();
    const isVoid = this.#isKeyword("void");
    if (isVoid) this.#advance();
    const name = this.#name();
    this.#expect("(");
    const parameters = this.#isOperator(")") ? [] : this.#parameters();
    this.#expect(")");
    this.#skipNewlines();
    this.#expect("{");
    this.#skipSeparators();
    let locals: Parameter[] = [];
    if (this.#isKeyword("auto")) {
      this.#advance();
      locals = this.#parameters();
      if (!this.#isLineEnd() && !this.#isOperator(";")) this.#fail();
    }
    this.#isInFunction = true;
    const body = this.#blockBody();
    this.#isInFunction = false;
    return { name, isVoid, parameters, locals, body };
  }

  #parameters(): Parameter[] {
    const parameters: Parameter[] = [];
    do {
      const isReference = this.#takeOperator("*");
      const name = this.#name();
      const isArray = this.#takeOperator("[");
      if (isArray) this.#expect("]");
      parameters.push({ name, isArray, isReference });
    } while (this.#takeOperator(","));
    return parameters;
  }

  // ---- expressions

  #expression(level: number): Expression {
    if (level <= NOT_LEVEL && this.#takeOperator("!"))
      return this.#rest({ is: "not", value: this.#expression(NOT_LEVEL + 1) }, level);
    return this.#rest(this.#operand(), level);
  }

  #rest(first: Expression, from: number): Expression {
    let left = first;
    for (;;) {
      const token = this.#token;
      if (token.is !== "operator") return left;
      const level = LEVELS.findIndex((operators) => operators.includes(token.text));
      if (level < from) return left;
      this.#advance();
      const right = this.#expression(level === POWER_LEVEL ? level : level + 1);
      left = { is: "binary", operator: token.text, left, right };
    }
  }

  #operand(): Expression {
    if (this.#takeOperator("-")) return { is: "negate", value: this.#operand() };
    if (this.#takeOperator("!")) return { is: "not", value: this.#expression(NOT_LEVEL + 1) };
    for (const operator of ["++", "--"]) {
      if (!this.#takeOperator(operator)) continue;
      const named = this.#operand();
      if (named.is !== "place") this.#fail();
      return { is: "step", place: named.place, by: operator === "++" ? 1n : -1n, isPrefix: true };
    }
    const value = this.#primary();
    if (value.is !== "place") return value;
    for (const operator of ["++", "--"]) {
      if (this.#takeOperator(operator))
        return { is: "step", place: value.place, by: operator === "++" ? 1n : -1n, isPrefix: false };
    }
    const token = this.#token;
    if (token.is !== "operator" || !ASSIGNMENTS.has(token.text)) return value;
    this.#advance();
    return {
      is: "assign",
      place: value.place,
      operator: token.text.slice(0, -1),
      value: this.#expression(ASSIGN_LEVEL),
    };
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.is === "number") {
      this.#advance();
      return { is: "number", text: token.text };
    }
    if (this.#takeOperator("(")) {
      const value = this.#expression(0);
      this.#expect(")");
      return { is: "group", value };
    }
    if (token.is === "name") return this.#named();
    if (token.is === "keyword") {
      switch (token.text) {
        case "length":
        case "sqrt":
          this.#advance();
          return { is: "builtin", name: token.text, value: this.#parenthesised() };
        case "read":
          this.#advance();
          this.#expect("(");
          this.#expect(")");
          return { is: "builtin", name: "read" };
        case "scale":
          this.#advance();
          if (this.#isOperator("(")) return { is: "builtin", name: "scale", value: this.#parenthesised() };
          return { is: "place", place: { is: "special", name: "scale" } };
        case "ibase":
        case "obase":
        case "last":
          this.#advance();
          return { is: "place", place: { is: "special", name: token.text } };
      }
    }
    return this.#fail();
  }

  #named(): Expression {
    const name = this.#name();
    if (this.#takeOperator("(")) {
      const args: Argument[] = [];
      if (!this.#isOperator(")")) {
        do args.push(this.#argument());
        while (this.#takeOperator(","));
      }
      this.#expect(")");
      return { is: "call", name, args };
    }
    const place: Place = this.#takeOperator("[")
      ? { is: "element", name, index: this.#expression(0) }
      : { is: "variable", name };
    if (place.is === "element") this.#expect("]");
    return { is: "place", place };
  }

  /** `a[]` is the array itself. */
  #argument(): Argument {
    if (this.#token.is !== "name") return this.#expression(0);
    const name = this.#name();
    if (!this.#takeOperator("[")) return this.#afterName({ is: "variable", name }, name);
    if (this.#takeOperator("]")) return { is: "array", name };
    const index = this.#expression(0);
    this.#expect("]");
    return this.#afterName({ is: "element", name, index }, name);
  }

  /** The rest of an argument whose name has been read. */
  #afterName(place: Place, name: string): Expression {
    if (place.is === "variable" && this.#takeOperator("(")) {
      const args: Argument[] = [];
      if (!this.#isOperator(")")) {
        do args.push(this.#argument());
        while (this.#takeOperator(","));
      }
      this.#expect(")");
      return this.#rest({ is: "call", name, args }, 0);
    }
    for (const operator of ["++", "--"]) {
      if (this.#takeOperator(operator))
        return this.#rest({ is: "step", place, by: operator === "++" ? 1n : -1n, isPrefix: false }, 0);
    }
    const token = this.#token;
    if (token.is === "operator" && ASSIGNMENTS.has(token.text)) {
      this.#advance();
      return this.#rest(
        { is: "assign", place, operator: token.text.slice(0, -1), value: this.#expression(ASSIGN_LEVEL) },
        0,
      );
    }
    return this.#rest({ is: "place", place }, 0);
  }

  // ---- tokens

  #parenthesised(): Expression {
    this.#expect("(");
    const value = this.#expression(0);
    this.#expect(")");
    return value;
  }

  #name(): string {
    const token = this.#token;
    if (token.is !== "name") return this.#fail();
    this.#advance();
    return token.text;
  }

  #skipNewlines(): void {
    while (this.#token.is === "newline") this.#advance();
  }

  #skipSeparators(): void {
    while (this.#token.is === "newline" || this.#isOperator(";")) this.#advance();
  }

  #isLineEnd(): boolean {
    return this.#token.is === "newline" || this.#token.is === "end";
  }

  #isKeyword(text: string): boolean {
    return this.#token.is === "keyword" && this.#token.text === text;
  }

  #isOperator(text: string): boolean {
    return this.#token.is === "operator" && this.#token.text === text;
  }

  #takeOperator(text: string): boolean {
    if (!this.#isOperator(text)) return false;
    this.#advance();
    return true;
  }

  #expect(text: string): void {
    if (!this.#takeOperator(text)) this.#fail();
  }

  #advance(): void {
    const token = this.#lexer.next();
    if (token.is === "illegal") throw this.#error(`illegal character: ${token.text}`);
    this.#token = token;
  }

  #skipLine(): void {
    while (!this.#isLineEnd()) {
      const token = this.#lexer.next();
      if (token.is !== "illegal") this.#token = token;
    }
  }

  #error(why: string): BcSyntaxError {
    return new BcSyntaxError(`${this.#lexer.line}: ${why}`);
  }

  #fail(): never {
    throw this.#error("syntax error");
  }
}
