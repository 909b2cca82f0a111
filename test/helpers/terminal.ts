/** The built command line on a real pseudo-terminal, which `script` of util-linux makes: no addon is needed. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Why there is no terminal to be had here, or `undefined`. */
export const NO_TERMINAL: string | undefined = /util-linux/.test(
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "",
)
  ? undefined
  : "no script of util-linux here";

/** A person at a terminal. */
export class TerminalRun {
  readonly #child: ChildProcess;
  readonly #ended: Promise<[number | null]>;
  #all = "";
  #seen = 0;
  #onOutput: () => void = () => undefined;

  /** @param words of the command line, without characters that a shell reads */
  constructor(words: readonly string[], cwd: string) {
    // Ctrl-C is for all in the foreground: a shell that waits in between would die of it afterwards.
    const command = ["exec", process.execPath, CLI, ...words].join(" ");
    const env = { ...process.env, TERM: "xterm", SHELL: "/bin/sh" };
    this.#child = spawn("script", ["-qfec", command, "/dev/null"], { cwd, env, stdio: "pipe" });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#all += chunk.toString();
      this.#onOutput();
    });
    this.#ended = once(this.#child, "close") as Promise<[number | null]>;
    onTestFinished(() => void this.#child.kill());
  }

  /** All that the terminal got, without the moves of the cursor that editing a line takes. */
  get screen(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's own language
    return this.#all.replace(/\u001b\[\d*[GJK]/g, "").replaceAll("\r", "");
  }

  /** Waits until this text comes, behind what was waited for before. Moves of the cursor count as text. */
  async sees(text: string): Promise<void> {
    for (;;) {
      const at = this.#all.indexOf(text, this.#seen);
      if (at !== -1) {
        this.#seen = at + text.length;
        return;
      }
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onOutput = resolve;
        }),
        this.#ended.then(() => {
          if (!this.#all.includes(text, this.#seen))
            throw new Error(`ended without ${JSON.stringify(text)}: ${JSON.stringify(this.#all)}`);
        }),
      ]);
    }
  }

  types(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** The exit code. */
  async ends(): Promise<number | null> {
    const [code] = await this.#ended;
    return code;
  }
}
