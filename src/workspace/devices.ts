/** Devices: entries outside the mounts whose reads and writes are functions. */
import { Failure } from "./fs-error.ts";
import { randomBytes } from "./node-fs.ts";

/** What lies behind a device path. */
export interface Device {
  /** The whole content of one read. Absent: reads are empty. */
  read?(): Uint8Array | Promise<Uint8Array>;
  /** A part of the content of a device that has no end, for readers that say how much they want. */
  readPart?(length: number): Uint8Array;
  /** Gets each write in order, those of no bytes too. Absent: writing is refused with `EACCES`. */
  write?(bytes: Uint8Array): void | Promise<void>;
  /** Left out of listings, but reachable by name. @default false */
  readonly hidden?: boolean;
}

// The engine reads files whole, so an endless device has to end somewhere.
const ENDLESS_BYTES = 1 << 20;

const discard = () => undefined;
const randomPart = (length: number): Uint8Array => new Uint8Array(randomBytes(length));
const zeros = (length: number): Uint8Array => new Uint8Array(length);
const random: Device = {
  read: () => randomPart(ENDLESS_BYTES),
  readPart: randomPart,
  write: discard,
};
const noTerminal = () => {
  throw new Failure("ENXIO");
};

/** The devices every sandbox has. The standard streams are empty and closed until the engine puts its own there. */
export const builtInDevices: Readonly<Record<string, Device>> = {
  "/dev/null": { write: discard },
  "/dev/zero": { read: () => zeros(ENDLESS_BYTES), readPart: zeros, write: discard },
  "/dev/random": random,
  "/dev/urandom": random,
  "/dev/full": {
    read: () => zeros(ENDLESS_BYTES),
    readPart: zeros,
    write(bytes) {
      if (bytes.length > 0) throw new Failure("ENOSPC");
    },
  },
  "/dev/stdin": {},
  "/dev/stdout": { write: noTerminal },
  "/dev/stderr": { write: noTerminal },
  "/dev/tty": { read: noTerminal, write: noTerminal },
};
