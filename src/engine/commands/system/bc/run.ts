/** Runs items of a bc program. Longer than most files because all of it works on one state. */
import {
  add,
  compare,
  type Decimal,
  digitCount,
  divide,
  fromInteger,
  fromText,
  isZero,
  multiply,
  negate,
  ONE,
  powerOfTen,
  raise,
  remainder,
  squareRoot,
  subtract,
  toText,
  ZERO,
} from "./decimal.ts";
import { arcTangent, bessel, cosine, exponential, logarithm, sine } from "./functions.ts";
import type { Argument, Expression, FunctionDefinition, Parameter, Place, Statement } from "./syntax.ts";

/** What stops a line while it runs; the next one is run all the same. */
export class BcRuntimeError extends Error {}

/** Thrown by `halt` and when the command is to end. */
export class Halt extends Error {}

type Flow = "go on" | "break" | "continue" | "return";
type BcArray = Map<number, Decimal>;

/** How a program reaches the world. */
export interface Surroundings {
  print(text: string): void;
  warn(text: string): void;
  /** A line of the input for `read()`, null at its end. */
  readLine(): string | null;
  /** Whether the command is to end. */
  isLate(): boolean;
}

const TURNS_BETWEEN_LOOKS = 1_000;
const MAX_DEPTH = 3_000;
const MAX_BASE = 2 ** 31 - 1;
const MAX_INDEX = 16_777_215;
/** A power of more digits would fill the memory. */
const MAX_POWER_DIGITS = 50_000_000;
const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  q: '"',
  r: "\r",
  t: "\t",
  "\\": "\\",
};

const MATH: Readonly<Record<string, (scale: number, ...args: Decimal[]) => Decimal>> = {
  a: (scale, x = ZERO) => arcTangent(x, scale),
  c: (scale, x = ZERO) => cosine(x, scale),
  e: (scale, x = ZERO) => exponential(x, scale),
  j: (scale, n = ZERO, x = ZERO) => bessel(n, x, scale),
  l: (scale, x = ZERO) => logarithm(x, scale),
  s: (scale, x = ZERO) => sine(x, scale),
};

export class Machine {
  readonly #world: Surroundings;
  readonly #functions = new Map<string, FunctionDefinition>();
  readonly #hasMath: boolean;
  #variables = new Map<string, Decimal>();
  #arrays = new Map<string, BcArray>();
  #scale: number;
  #ibase = 10;
  #obase = 10;
  #last = ZERO;
  #returned = ZERO;
  #depth = 0;
  #turns = 0;

  constructor(world: Surroundings, hasMath: boolean) {
    this.#world = world;
    this.#hasMath = hasMath;
    this.#scale = hasMath ? 20 : 0;
  }

  define(definition: FunctionDefinition): void {
    this.#functions.set(definition.name, definition);
  }

  run(body: readonly Statement[]): void {
    for (const statement of body) this.#execute(statement);
  }

  #execute(statement: Statement): Flow {
    switch (statement.is) {
      case "expression":
        this.#show(statement.value);
        return "go on";
      case "string":
        this.#world.print(statement.text);
        return "go on";
      case "print":
        for (const item of statement.items) {
          if (item.is === "text")
            this.#world.print(
              item.text.replace(/\\(.)/gs, (whole, letter: string) => ESCAPES[letter] ?? whole),
            );
          else this.#printNumber(this.#value(item));
        }
        return "go on";
      case "block":
        return this.#block(statement.body);
      case "if":
        if (!isZero(this.#value(statement.test))) return this.#execute(statement.then);
        return statement.otherwise === null ? "go on" : this.#execute(statement.otherwise);
      case "while":
        return this.#loop(statement.test, null, statement.body);
      case "for":
        if (statement.start !== null) this.#value(statement.start);
        return this.#loop(statement.test, statement.step, statement.body);
      case "return":
        this.#returned = statement.value === null ? ZERO : this.#value(statement.value);
        return "return";
      case "halt":
        throw new Halt();
      case "limits":
        this.#world.print(
          `BC_BASE_MAX     = ${MAX_BASE}\nBC_DIM_MAX      = ${MAX_INDEX + 1}\nBC_SCALE_MAX    = ${MAX_BASE}\nBC_STRING_MAX   = ${MAX_BASE}\n`,
        );
        return "go on";
      default:
        return statement.is;
    }
  }

  #block(body: readonly Statement[]): Flow {
    for (const statement of body) {
      const flow = this.#execute(statement);
      if (flow !== "go on") return flow;
    }
    return "go on";
  }

  #loop(test: Expression | null, step: Expression | null, body: Statement): Flow {
    while (test === null || !isZero(this.#value(test))) {
      this.#lookUp();
      const flow = this.#execute(body);
      if (flow === "break") break;
      if (flow === "return") return flow;
      if (step !== null) this.#value(step);
    }
    return "go on";
  }

  /** A long calculation asks from time to time whether it is still wanted. */
  #lookUp(): void {
    if (++this.#turns % TURNS_BETWEEN_LOOKS === 0 && this.#world.isLate()) throw new Halt();
  }

  /** Prints the value of an expression statement, but for assignments and calls of what gives no value. */
  #show(expression: Expression): void {
    const value = this.#value(expression);
    if (expression.is === "assign") return;
    if (expression.is === "call" && this.#functions.get(expression.name)?.isVoid) return;
    this.#printNumber(value);
    this.#world.print("\n");
  }

  #printNumber(value: Decimal): void {
    this.#last = value;
    this.#world.print(toText(value, this.#obase));
  }

  // ---- expressions

  #value(expression: Expression): Decimal {
    switch (expression.is) {
      case "number":
        return fromText(expression.text, this.#ibase);
      case "place":
        return this.#get(expression.place);
      case "group":
        return this.#value(expression.value);
      case "negate":
        return negate(this.#value(expression.value));
      case "not":
        return isZero(this.#value(expression.value)) ? ONE : ZERO;
      case "assign": {
        const place = this.#settle(expression.place);
        const before = expression.operator === "" ? ZERO : this.#get(place);
        const value = this.#value(expression.value);
        return this.#set(
          place,
          expression.operator === "" ? value : this.#binary(expression.operator, before, value),
        );
      }
      case "step": {
        const place = this.#settle(expression.place);
        const before = this.#get(place);
        const after = this.#set(place, add(before, fromInteger(expression.by)));
        return expression.isPrefix ? after : before;
      }
      case "binary": {
        const left = this.#value(expression.left);
        return this.#binary(expression.operator, left, this.#value(expression.right));
      }
      case "call":
        return this.#call(expression.name, expression.args);
      case "builtin":
        return this.#builtin(expression.name, expression.value);
    }
  }

  #binary(operator: string, left: Decimal, right: Decimal): Decimal {
    const truth = (is: boolean): Decimal => (is ? ONE : ZERO);
    switch (operator) {
      case "+":
        return add(left, right);
      case "-":
        return subtract(left, right);
      case "*":
        return multiply(left, right, this.#scale);
      case "/":
        if (isZero(right)) throw new BcRuntimeError("Divide by zero");
        return divide(left, right, this.#scale);
      case "%":
        if (isZero(right)) throw new BcRuntimeError("Modulo by zero");
        return remainder(left, right, this.#scale);
      case "^":
        return this.#power(left, right);
      case "==":
        return truth(compare(left, right) === 0);
      case "!=":
        return truth(compare(left, right) !== 0);
      case "<":
        return truth(compare(left, right) < 0);
      case "<=":
        return truth(compare(left, right) <= 0);
      case ">":
        return truth(compare(left, right) > 0);
      case ">=":
        return truth(compare(left, right) >= 0);
      case "&&":
        return truth(!isZero(left) && !isZero(right));
      default:
        return truth(!isZero(left) || !isZero(right));
    }
  }

  #power(base: Decimal, exponent: Decimal): Decimal {
    if (exponent.scale > 0) this.#world.warn("non-zero scale in exponent");
    const whole = exponent.units / powerOfTen(exponent.scale);
    if (isZero(base)) {
      if (whole < 0n) throw new BcRuntimeError("divide by zero");
      return whole === 0n ? ONE : ZERO;
    }
    const size = Number(whole < 0n ? -whole : whole);
    if (digitCount(base) > 1 || base.units > 1n || base.units < -1n) {
      if (size * digitCount(base) > MAX_POWER_DIGITS) throw new BcRuntimeError("exponent too large in raise");
    }
    return raise(base, whole, this.#scale);
  }

  #builtin(name: "length" | "scale" | "sqrt" | "read", operand: Expression | undefined): Decimal {
    if (name === "read" || operand === undefined) return this.#read();
    const value = this.#value(operand);
    if (name === "length") return fromInteger(digitCount(value));
    if (name === "scale") return fromInteger(value.scale);
    if (value.units < 0n) throw new BcRuntimeError("Square root of a negative number");
    return squareRoot(value, this.#scale);
  }

  #read(): Decimal {
    const line = this.#world.readLine();
    const [, sign = "", digits = ""] = /^\s*(-?)\s*([0-9A-F]*\.?[0-9A-F]*)/.exec(line ?? "") ?? [];
    if (!/[0-9A-F]/.test(digits)) return ZERO;
    const value = fromText(digits, this.#ibase);
    return sign === "-" ? negate(value) : value;
  }

  #call(name: string, args: readonly Argument[]): Decimal {
    const definition = this.#functions.get(name);
    if (definition === undefined) {
      const math = this.#hasMath ? MATH[name] : undefined;
      if (math === undefined) throw new BcRuntimeError(`Function ${name} not defined.`);
      if (args.length !== (name === "j" ? 2 : 1)) throw new BcRuntimeError("Parameter number mismatch");
      return math(this.#scale, ...args.map((arg) => (arg.is === "array" ? ZERO : this.#value(arg))));
    }
    const { parameters, locals, body } = definition;
    const isFitting = args.every((arg, index) => (arg.is === "array") === parameters[index]?.isArray);
    if (args.length !== parameters.length) throw new BcRuntimeError("Parameter number mismatch");
    if (!isFitting) throw new BcRuntimeError("Parameter type mismatch");
    if (++this.#depth > MAX_DEPTH) throw new BcRuntimeError("too many functions that call each other");
    this.#lookUp();
    const values = args.map((arg) => (arg.is === "array" ? this.#array(arg.name) : this.#value(arg)));
    const restore = [
      ...parameters.map((parameter, index) => this.#bind(parameter, values[index])),
      ...locals.map((local) => this.#bind(local, undefined)),
    ];
    this.#returned = ZERO;
    try {
      const flow = this.#block(body);
      return flow === "return" ? this.#returned : ZERO;
    } finally {
      this.#depth--;
      for (const undo of restore.reverse()) undo();
    }
  }

  /** Names of a function hide those outside while it runs, for what it calls too. */
  #bind({ name, isArray, isReference }: Parameter, value: Decimal | BcArray | undefined): () => void {
    if (isArray) {
      const before = this.#arrays.get(name);
      const given = value instanceof Map ? value : new Map<number, Decimal>();
      this.#arrays.set(name, isReference ? given : new Map(given));
      return () => (before === undefined ? this.#arrays.delete(name) : this.#arrays.set(name, before));
    }
    const before = this.#variables.get(name);
    this.#variables.set(name, value === undefined || value instanceof Map ? ZERO : value);
    return () => (before === undefined ? this.#variables.delete(name) : this.#variables.set(name, before));
  }

  // ---- places

  /** The same place with its index worked out, so that it is worked out once. */
  #settle(place: Place): Place {
    if (place.is !== "element") return place;
    const index = this.#value(place.index);
    return {
      is: "element",
      name: place.name,
      index: { is: "number", text: this.#toConstant(this.#index(index)) },
    };
  }

  /** The text of a number in the present input base. */
  #toConstant(index: number): string {
    return index.toString(this.#ibase).toUpperCase();
  }

  #index(value: Decimal): number {
    const index = value.units / powerOfTen(value.scale);
    if (index < 0n || index > MAX_INDEX) throw new BcRuntimeError("Array subscript out of bounds");
    return Number(index);
  }

  #array(name: string): BcArray {
    const array = this.#arrays.get(name) ?? new Map<number, Decimal>();
    this.#arrays.set(name, array);
    return array;
  }

  #get(place: Place): Decimal {
    if (place.is === "variable") return this.#variables.get(place.name) ?? ZERO;
    if (place.is === "element")
      return this.#array(place.name).get(this.#index(this.#value(place.index))) ?? ZERO;
    if (place.name === "last") return this.#last;
    return fromInteger(
      place.name === "scale" ? this.#scale : place.name === "ibase" ? this.#ibase : this.#obase,
    );
  }

  #set(place: Place, value: Decimal): Decimal {
    if (place.is === "variable") this.#variables.set(place.name, value);
    else if (place.is === "element")
      this.#array(place.name).set(this.#index(this.#value(place.index)), value);
    else if (place.name === "last") this.#last = value;
    else if (place.name === "scale") this.#scale = this.#bounded(value, "scale", 0, MAX_BASE);
    else if (place.name === "ibase") this.#ibase = this.#bounded(value, "ibase", 2, 16);
    else this.#obase = this.#bounded(value, "obase", 2, MAX_BASE);
    return value;
  }

  #bounded(value: Decimal, name: string, least: number, most: number): number {
    const whole = Number(value.units / powerOfTen(value.scale));
    if (whole >= least && whole <= most) return whole;
    const what = whole > most ? "too large" : "too small";
    const bound = whole > most ? most : least;
    this.#world.warn(
      name === "scale" && whole < 0 ? "negative scale, set to 0" : `${name} ${what}, set to ${bound}`,
    );
    return bound;
  }
}
