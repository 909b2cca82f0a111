/** What a bc program says, as a tree. */

export type Place =
  | { readonly is: "variable"; readonly name: string }
  | { readonly is: "element"; readonly name: string; readonly index: Expression }
  | { readonly is: "special"; readonly name: "scale" | "ibase" | "obase" | "last" };

export type Argument = Expression | { readonly is: "array"; readonly name: string };

export type Expression =
  | { readonly is: "number"; readonly text: string }
  | { readonly is: "place"; readonly place: Place }
  | { readonly is: "assign"; readonly place: Place; readonly operator: string; readonly value: Expression }
  | { readonly is: "step"; readonly place: Place; readonly by: 1n | -1n; readonly isPrefix: boolean }
  | { readonly is: "negate" | "not" | "group"; readonly value: Expression }
  | {
      readonly is: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly is: "call"; readonly name: string; readonly args: readonly Argument[] }
  | {
      readonly is: "builtin";
      readonly name: "length" | "scale" | "sqrt" | "read";
      readonly value?: Expression;
    };

export type Statement =
  | { readonly is: "expression"; readonly value: Expression }
  | { readonly is: "string"; readonly text: string }
  | {
      readonly is: "print";
      readonly items: readonly (Expression | { readonly is: "text"; readonly text: string })[];
    }
  | { readonly is: "block"; readonly body: readonly Statement[] }
  | {
      readonly is: "if";
      readonly test: Expression;
      readonly then: Statement;
      readonly otherwise: Statement | null;
    }
  | { readonly is: "while"; readonly test: Expression; readonly body: Statement }
  | {
      readonly is: "for";
      readonly start: Expression | null;
      readonly test: Expression | null;
      readonly step: Expression | null;
      readonly body: Statement;
    }
  | { readonly is: "break" | "continue" | "halt" }
  | { readonly is: "limits" }
  | { readonly is: "return"; readonly value: Expression | null };

export interface Parameter {
  readonly name: string;
  readonly isArray: boolean;
  /** Of the caller's array, not of a copy. */
  readonly isReference: boolean;
}

export interface FunctionDefinition {
  readonly name: string;
  readonly isVoid: boolean;
  readonly parameters: readonly Parameter[];
  readonly locals: readonly Parameter[];
  readonly body: readonly Statement[];
}

/** One line or block, which is read whole before any of it runs. */
export type Item =
  | { readonly is: "statements"; readonly body: readonly Statement[] }
  | { readonly is: "define"; readonly definition: FunctionDefinition }
  | { readonly is: "quit" }
  | { readonly is: "end" };
