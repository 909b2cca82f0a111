/** Programs of `awk` as data. */

export type Expression =
  | { readonly is: "number"; readonly value: number }
  | { readonly is: "string"; readonly value: string }
  | { readonly is: "regex"; readonly source: string }
  | { readonly is: "name"; readonly name: string }
  | { readonly is: "index"; readonly base: Expression; readonly subscripts: readonly Expression[] }
  | { readonly is: "field"; readonly number: Expression }
  | {
      readonly is: "assign";
      readonly operator: string;
      readonly target: Expression;
      readonly value: Expression;
    }
  | { readonly is: "step"; readonly isPrefix: boolean; readonly by: 1 | -1; readonly target: Expression }
  | { readonly is: "unary"; readonly operator: "-" | "+" | "!"; readonly value: Expression }
  | {
      readonly is: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly is: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly is: "condition";
      readonly test: Expression;
      readonly then: Expression;
      readonly else: Expression;
    }
  | { readonly is: "in"; readonly subscripts: readonly Expression[]; readonly array: Expression }
  | {
      readonly is: "match";
      readonly isNegated: boolean;
      readonly text: Expression;
      readonly regex: Expression;
    }
  | { readonly is: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly is: "builtin"; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly is: "getline";
      readonly from: "input" | "file" | "command";
      readonly source: Expression | null;
      readonly target: Expression | null;
    }
  | { readonly is: "group"; readonly value: Expression }
  /** `(a, b)`: of `print` and `in` only. */
  | { readonly is: "list"; readonly items: readonly Expression[] };

export type Statement =
  | { readonly is: "block"; readonly body: readonly Statement[] }
  | { readonly is: "expression"; readonly value: Expression }
  | {
      readonly is: "print" | "printf";
      readonly args: readonly Expression[];
      readonly redirect: ">" | ">>" | "|" | null;
      readonly target: Expression | null;
    }
  | {
      readonly is: "if";
      readonly test: Expression;
      readonly then: Statement;
      readonly else: Statement | null;
    }
  | { readonly is: "while"; readonly test: Expression; readonly body: Statement }
  | { readonly is: "do"; readonly test: Expression; readonly body: Statement }
  | {
      readonly is: "for";
      readonly first: Statement | null;
      readonly test: Expression | null;
      readonly step: Statement | null;
      readonly body: Statement;
    }
  | { readonly is: "each"; readonly target: Expression; readonly array: Expression; readonly body: Statement }
  | { readonly is: "switch"; readonly value: Expression; readonly cases: readonly SwitchCase[] }
  | { readonly is: "delete"; readonly array: Expression; readonly subscripts: readonly Expression[] | null }
  | { readonly is: "exit" | "return"; readonly value: Expression | null }
  | { readonly is: "break" | "continue" | "next" | "nextfile" };

export interface SwitchCase {
  /** Null is `default`. */
  readonly value: Expression | null;
  readonly body: readonly Statement[];
}

export interface AwkFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Statement;
}

export interface AwkRule {
  readonly kind: "BEGIN" | "END" | "BEGINFILE" | "ENDFILE" | "record";
  readonly pattern: Expression | null;
  /** The end of a range. */
  readonly patternEnd: Expression | null;
  /** Null prints the record. */
  readonly body: Statement | null;
}

export interface AwkProgram {
  readonly rules: readonly AwkRule[];
  readonly functions: ReadonlyMap<string, AwkFunction>;
}

/** Ends the program with a message; a program that cannot be read ends with 1, others with 2. */
export class AwkError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
