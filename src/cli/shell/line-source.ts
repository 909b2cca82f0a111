/** Where the shell's lines come from: a terminal with a prompt, or a pipe. */

/** What was read. */
export type Reading =
  | { readonly is: "line"; readonly line: string }
  /** Ctrl-C at the prompt: what was typed so far counts as not typed. */
  | { readonly is: "interrupted" }
  | { readonly is: "ended" };

export interface LineSource {
  /** Asks for the next line. One call at a time. */
  next(prompt: string): Promise<Reading>;
  /** A command runs until `next` is called again: keys are the terminal's, so that Ctrl-C is a signal. */
  release(): void;
  close(): void;
}
