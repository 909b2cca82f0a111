/** `sandbox.fs` of a tiered sandbox: each call goes to the tier of the moment; while one hands over, calls wait. */
import type { SandboxFileSystem } from "../shared/file-system.ts";
import { FILE_CALLS } from "../shell/check-file-arguments.ts";

type Call = (...given: unknown[]) => Promise<unknown>;

export class FileGate {
  readonly files: SandboxFileSystem;
  readonly #underWay = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  /** @param current the files of the tier of the moment */
  constructor(current: () => SandboxFileSystem) {
    const through = (name: string): Call => {
      return async (...given) => {
        while (this.#closed !== undefined) await this.#closed;
        const files = current() as unknown as Record<string, Call>;
        const call = (async () => files[name]?.(...given))();
        this.#underWay.add(call);
        try {
          return await call;
        } finally {
          this.#underWay.delete(call);
        }
      };
    };
    this.files = Object.fromEntries(
      FILE_CALLS.map((name) => [name, through(name)]),
    ) as unknown as SandboxFileSystem;
  }

  /** Holds further calls back; resolves when none is under way. The function opens the gate again. */
  close(): { readonly quiet: Promise<void>; open(): void } {
    let open: () => void = () => undefined;
    this.#closed = new Promise((resolve) => {
      open = () => {
        this.#closed = undefined;
        resolve();
      };
    });
    const quiet = Promise.allSettled([...this.#underWay]).then(() => undefined);
    return { quiet, open };
  }
}
