declare module "just-bash:parser" {
  import type { ScriptNode, WordNode } from "just-bash";

  interface Token {
    readonly start: number;
    readonly end: number;
  }

  /** The engine's own class, as the interpreter uses it. The build cuts it out of the engine's bundle. */
  export class Parser {
    _input: string;
    tokens: readonly Token[];
    pos: number;
    current(): Token;
    parse(script: string, options?: { maxHeredocSize?: number }): ScriptNode;
    parseWord(context?: number): WordNode;
    parseWordFromString(
      text: string,
      quoted: boolean,
      singleQuoted: boolean,
      isAssignment: boolean,
      hereDoc: boolean,
      noBraceExpansion: boolean,
    ): WordNode;
  }
}
