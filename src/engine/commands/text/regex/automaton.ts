/**
 * A lazily built automaton: finds whether and where an expression matches in time that grows with the text alone,
 * and the longest match at a place, as POSIX asks. It knows nothing of groups, and nothing of back-references.
 */
import { isInClass, type Place, type RegexNode, type SetNode, WORD_SOURCE } from "./syntax-tree.ts";

const MAX_INSTRUCTIONS = 20_000;
/** States held before all are dropped and built anew: bounds the memory. */
const MAX_STATES = 4_000;

/** What stands on one side of a place. */
const EDGE = 0;
const LINE_FEED = 1;
const WORD = 2;
const OTHER = 3;

type Instruction =
  | { readonly is: "take"; readonly set: number; next: number }
  | { readonly is: "fork"; next: number; other: number }
  | { readonly is: "place"; readonly place: Place; next: number }
  | { readonly is: "match" };

interface State {
  readonly places: readonly number[];
  readonly before: number;
  /** By symbol: the state behind it; null is a dead end. */
  readonly next: (State | null | undefined)[];
  /** By symbol: whether a match ends in front of it. */
  readonly ends: boolean[];
}

export interface Automaton {
  /** Where the longest match that begins here ends, or -1. */
  longest(text: string, from: number): number;
  /** Where the first match to end ends, wherever it begins, or -1. */
  earliestEnd(text: string, from: number): number;
}

/** Null where the expression is too large, or needs back-references. */
export function buildAutomaton(node: RegexNode, isMultiline: boolean): Automaton | null {
  const program: Instruction[] = [];
  const sets: SetNode[] = [];
  const setNumbers = new Map<string, number>();
  if (!compile(node, program, sets, setNumbers)) return null;
  program.push({ is: "match" });
  return new LazyAutomaton(program, sets, isMultiline);
}

function compile(
  node: RegexNode,
  program: Instruction[],
  sets: SetNode[],
  setNumbers: Map<string, number>,
): boolean {
  const emit = (one: RegexNode): boolean => {
    if (program.length > MAX_INSTRUCTIONS) return false;
    switch (one.is) {
      case "set": {
        let set = setNumbers.get(one.key);
        if (set === undefined) {
          set = sets.push(one) - 1;
          setNumbers.set(one.key, set);
        }
        program.push({ is: "take", set, next: program.length + 1 });
        return true;
      }
      case "place":
        program.push({ is: "place", place: one.place, next: program.length + 1 });
        return true;
      case "group":
        return emit(one.body);
      case "sequence":
        return one.parts.every(emit);
      case "reference":
        return false;
      case "choice": {
        const jumps: { next: number }[] = [];
        const last = one.options.length - 1;
        for (const [number, option] of one.options.entries()) {
          const fork = { is: "fork" as const, next: program.length + 1, other: 0 };
          if (number < last) program.push(fork);
          if (!emit(option)) return false;
          if (number < last) {
            const jump = { is: "fork" as const, next: 0, other: -1 };
            program.push(jump);
            jumps.push(jump);
            fork.other = program.length;
          }
        }
        for (const jump of jumps) jump.next = program.length;
        return true;
      }
      case "repeat": {
        for (let count = 0; count < one.min; count++) if (!emit(one.body)) return false;
        if (one.max === Number.POSITIVE_INFINITY) {
          const start = program.length;
          const fork = { is: "fork" as const, next: start + 1, other: 0 };
          program.push(fork);
          if (!emit(one.body)) return false;
          program.push({ is: "fork", next: start, other: -1 });
          fork.other = program.length;
          return true;
        }
        const forks: { other: number }[] = [];
        for (let count = one.min; count < one.max; count++) {
          const fork = { is: "fork" as const, next: program.length + 1, other: 0 };
          program.push(fork);
          forks.push(fork);
          if (!emit(one.body)) return false;
        }
        for (const fork of forks) fork.other = program.length;
        return true;
      }
    }
  };
  return emit(node);
}

class LazyAutomaton implements Automaton {
  readonly #program: readonly Instruction[];
  readonly #sets: readonly SetNode[];
  readonly #isMultiline: boolean;
  /** Characters that no set tells apart share a symbol; 0 is the end of the text. */
  readonly #symbols = new Map<string, number>();
  readonly #kinds: number[] = [EDGE];
  readonly #takenBy: (readonly boolean[])[] = [[]];
  readonly #asciiSymbols = new Int32Array(128).fill(-1);
  readonly #otherSymbols = new Map<number, number>();
  #states = new Map<string, State>();
  /** By what stands in front: of matches that begin at the place, and of those that begin anywhere. */
  #starts: (State | undefined)[] = [];

  constructor(program: readonly Instruction[], sets: readonly SetNode[], isMultiline: boolean) {
    this.#program = program;
    this.#sets = sets;
    this.#isMultiline = isMultiline;
  }

  longest(text: string, from: number): number {
    let state: State | null = this.#start(text, from, false);
    let last = -1;
    for (let at = from; ; ) {
      const point = at < text.length ? (text.codePointAt(at) ?? 0) : -1;
      const symbol = point < 0 ? 0 : this.#symbolOf(point);
      let next: State | null | undefined = state.next[symbol];
      if (next === undefined) next = this.#step(state, symbol, false);
      if (state.ends[symbol]) last = at;
      if (next === null || point < 0) return last;
      state = next;
      at += point > 0xffff ? 2 : 1;
    }
  }

  earliestEnd(text: string, from: number): number {
    let state: State | null = this.#start(text, from, true);
    for (let at = from; ; ) {
      const point = at < text.length ? (text.codePointAt(at) ?? 0) : -1;
      const symbol = point < 0 ? 0 : this.#symbolOf(point);
      let next: State | null | undefined = state.next[symbol];
      if (next === undefined) next = this.#step(state, symbol, true);
      if (state.ends[symbol]) return at;
      if (next === null || point < 0) return -1;
      state = next;
      at += point > 0xffff ? 2 : 1;
    }
  }

  #start(text: string, from: number, isAnywhere: boolean): State {
    let before = EDGE;
    if (from > 0) {
      const unit = text.charCodeAt(from - 1);
      const isPair = unit >= 0xdc00 && unit <= 0xdfff && from > 1;
      const high = isPair ? text.charCodeAt(from - 2) : 0;
      const point = high >= 0xd800 && high <= 0xdbff ? (text.codePointAt(from - 2) ?? unit) : unit;
      before = this.#kinds[this.#symbolOf(point)] ?? OTHER;
    }
    const number = before * 2 + (isAnywhere ? 1 : 0);
    const known = this.#starts[number];
    if (known !== undefined) return known;
    const state = this.#stateOf([0], before, isAnywhere);
    this.#starts[number] = state;
    return state;
  }

  #symbolOf(point: number): number {
    const known = point < 128 ? (this.#asciiSymbols[point] ?? -1) : (this.#otherSymbols.get(point) ?? -1);
    if (known >= 0) return known;
    const isWord = point === 95 || isInClass(WORD_SOURCE, point);
    const kind = point === 10 ? LINE_FEED : isWord ? WORD : OTHER;
    const takenBy = this.#sets.map((set) => set.test(point));
    const key = `${kind}${takenBy.map(Number).join("")}`;
    let symbol = this.#symbols.get(key);
    if (symbol === undefined) {
      symbol = this.#kinds.push(kind) - 1;
      this.#takenBy.push(takenBy);
      this.#symbols.set(key, symbol);
    }
    if (point < 128) this.#asciiSymbols[point] = symbol;
    else this.#otherSymbols.set(point, symbol);
    return symbol;
  }

  #stateOf(places: number[], before: number, isAnywhere: boolean): State {
    places.sort((a, b) => a - b);
    const key = `${before}${isAnywhere ? "a" : "h"}${places.join(",")}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      if (this.#states.size >= MAX_STATES) {
        this.#states = new Map();
        this.#starts = [];
      }
      state = { places, before, next: [], ends: [] };
      this.#states.set(key, state);
    }
    return state;
  }

  #step(state: State, symbol: number, isAnywhere: boolean): State | null {
    const after = this.#kinds[symbol] ?? OTHER;
    const takenBy = this.#takenBy[symbol] ?? [];
    const seen = new Set<number>();
    const behind = new Set<number>();
    let ends = false;
    const stack = [...state.places];
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      const instruction = this.#program[place];
      if (instruction === undefined) continue;
      if (instruction.is === "match") ends = true;
      else if (instruction.is === "take") {
        if (takenBy[instruction.set]) behind.add(instruction.next);
      } else if (instruction.is === "fork") {
        stack.push(instruction.next);
        if (instruction.other >= 0) stack.push(instruction.other);
      } else if (this.#holds(instruction.place, state.before, after)) stack.push(instruction.next);
    }
    if (isAnywhere) behind.add(0);
    const next = behind.size === 0 || symbol === 0 ? null : this.#stateOf([...behind], after, isAnywhere);
    state.ends[symbol] = ends;
    state.next[symbol] = next;
    return next;
  }

  #holds(place: Place, before: number, after: number): boolean {
    switch (place) {
      case "line-start":
        return before === EDGE || (this.#isMultiline && before === LINE_FEED);
      case "line-end":
        return after === EDGE || (this.#isMultiline && after === LINE_FEED);
      case "text-start":
        return before === EDGE;
      case "text-end":
        return after === EDGE;
      case "word-edge":
        return (before === WORD) !== (after === WORD);
      case "no-word-edge":
        return (before === WORD) === (after === WORD);
      case "word-start":
        return before !== WORD && after === WORD;
      case "word-end":
        return before === WORD && after !== WORD;
      case "not-after-word":
        return before !== WORD;
      case "not-before-word":
        return after !== WORD;
    }
  }
}
