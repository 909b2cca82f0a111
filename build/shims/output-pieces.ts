/** Output of a guest's thread on its way to the worker: it crosses in large pieces, and at the end. */

interface Bridge {
  execSync(operation: number, path: string, data: Uint8Array): { readonly success: boolean };
}

/** just-bash's numbers for the calls that carry output. */
const WRITE = { stdout: 100, stderr: 101 };
/** One crossing costs what copying some 100 KiB costs. */
const PIECE_BYTES = 1 << 20;
/** Below what the memory between the threads holds. */
const CROSSING_BYTES = 4 << 20;

export class OutputPieces {
  readonly #bridge: Bridge;
  readonly #waiting = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  readonly #sizes = { stdout: 0, stderr: 0 };

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  write(name: "stdout" | "stderr", bytes: Uint8Array): void {
    this.#waiting[name].push(bytes);
    this.#sizes[name] += bytes.length;
    if (this.#sizes[name] >= PIECE_BYTES) this.#send(name);
  }

  flush(): void {
    this.#send("stdout");
    this.#send("stderr");
  }

  #send(name: "stdout" | "stderr"): void {
    if (this.#sizes[name] === 0) return;
    const whole = Buffer.concat(this.#waiting[name]);
    this.#waiting[name] = [];
    this.#sizes[name] = 0;
    for (let at = 0; at < whole.length; at += CROSSING_BYTES)
      this.#bridge.execSync(WRITE[name], "", whole.subarray(at, at + CROSSING_BYTES));
  }
}
