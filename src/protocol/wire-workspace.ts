/** The workspace as it crosses the wire. Stated here and not taken from `shared`: the wire's shapes are its own. */
import { type Check, flag, list, nullable, oneOf, shape, text } from "./check.ts";

/** One mount. */
export interface WireMount {
  path: string;
  backingPath: string;
  access: "rw" | "ro";
  /** Whether changes below it are told by `touch` before they are made. */
  watched: boolean;
  readOnlyPrefixes: string[];
}

/** What `curl` may reach. */
export interface WireNetwork {
  allowOnlyUrlPrefixes: string[];
  allowOnlyMethods: string[];
}

/** Mounts, starting directory and capabilities of one worker. */
export interface WireWorkspace {
  mounts: WireMount[];
  cwd: string;
  python: boolean;
  javascript: boolean;
  /** `null`: no network. */
  network: WireNetwork | null;
}

/** Checks a workspace. */
export const wireWorkspace: Check<WireWorkspace> = shape<WireWorkspace>({
  mounts: list(
    shape<WireMount>({
      path: text,
      backingPath: text,
      access: oneOf("rw", "ro"),
      watched: flag,
      readOnlyPrefixes: list(text),
    }),
  ),
  cwd: text,
  python: flag,
  javascript: flag,
  network: nullable(shape<WireNetwork>({ allowOnlyUrlPrefixes: list(text), allowOnlyMethods: list(text) })),
});
