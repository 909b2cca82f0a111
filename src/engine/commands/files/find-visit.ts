/** One entry on the way of `find`, and what the whole call shares. */
import type { CommandContext } from "just-bash";
import type { Instant } from "./format-time.ts";
import { type Look, look } from "./look.ts";
import type { Report } from "./report.ts";
import type { TimeZone } from "./time-zone.ts";

/** What one call of `find` shares. */
export interface FindCall {
  readonly ctx: CommandContext;
  readonly report: Report;
  readonly zone: TimeZone;
  readonly now: Instant;
  /** Which links are followed: none, those named as operands, all. */
  follow: "never" | "operands" | "always";
  minDepth: number;
  maxDepth: number;
  depthFirst: boolean;
  hasQuit: boolean;
  /** Runs when the walk is over: batches of `-exec +`, files of `-fprint`. */
  readonly atEnd: (() => Promise<void>)[];
}

export class Visit {
  readonly call: FindCall;
  /** As `find` prints it. */
  readonly shown: string;
  readonly path: string;
  /** The operand that the walk began at. */
  readonly start: string;
  readonly depth: number;
  /** `-prune`: do not go below. */
  isPruned = false;
  #look: Promise<Look> | undefined;

  constructor(call: FindCall, shown: string, path: string, start: string, depth: number) {
    this.call = call;
    this.shown = shown;
    this.path = path;
    this.start = start;
    this.depth = depth;
  }

  /** Whether a link here counts as what it leads to. */
  get follows(): boolean {
    return this.call.follow === "always" || (this.call.follow === "operands" && this.depth === 0);
  }

  look(): Promise<Look> {
    this.#look ??= this.#see();
    return this.#look;
  }

  async #see(): Promise<Look> {
    const { fs } = this.call.ctx;
    if (!this.follows) return look(fs, this.path, false);
    // A link to nowhere stays a link.
    return look(fs, this.path, true).catch(() => look(fs, this.path, false));
  }

  get name(): string {
    return this.shown.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "");
  }
}

/** A test or an action: whether it holds. */
export type FindStep = (visit: Visit) => boolean | Promise<boolean>;

/** Wrong usage; the message is for the user. */
export class FindError extends Error {}
