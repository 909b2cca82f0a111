/** The files of one command, in a folder that the jail shows read-only: what bash reads, and the pipes it answers by. */
import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { runOnce } from "../../parent/isolation/run-once.ts";

const PIPES = ["out", "err", "report"] as const;

/** What bash reads for one command. */
export interface CommandTexts {
  readonly start: Uint8Array;
  readonly script: Uint8Array;
  readonly stdin: Uint8Array;
}

export interface CommandFolder {
  readonly number: number;
  /** On the host. */
  readonly path: string;
}

/** Hands out one folder per command; the next one is made while a command runs. */
export class CommandFolders {
  readonly #root: string;
  readonly #mkfifo: string;
  #number = 0;
  #next: Promise<CommandFolder> | null = null;

  constructor(root: string, mkfifo: string) {
    this.#root = root;
    this.#mkfifo = mkfifo;
  }

  /** Rejects when the disk takes nothing more. */
  async take(): Promise<CommandFolder> {
    const folder = await (this.#next ?? this.#make());
    this.#next = null;
    return folder;
  }

  /** Resolves when none is under way to be made. */
  async settle(): Promise<void> {
    await this.#next?.catch(() => undefined); // told by `prepare`
  }

  prepare(): void {
    this.#next ??= this.#make();
    this.#next.catch(() => {
      // Tried again, and told, by the command that needs it.
      this.#next = null;
    });
  }

  async #make(): Promise<CommandFolder> {
    const number = ++this.#number;
    const path = join(this.#root, String(number));
    await mkdir(path);
    const { ok, why } = await runOnce(
      this.#mkfifo,
      PIPES.map((name) => join(path, name)),
    );
    if (!ok) throw new Error(`the pipes of a command cannot be made: ${why}`);
    return { number, path };
  }
}

export async function writeTexts({ path }: CommandFolder, texts: CommandTexts): Promise<void> {
  await Promise.all(Object.entries(texts).map(([name, bytes]) => writeNew(join(path, name), bytes)));
}

export async function removeFolder({ path }: CommandFolder): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
