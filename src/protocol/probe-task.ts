/** What the parent asks a worker to try against its own walls: the JSON body of the request `isolation`. */
export interface ProbeTask {
  /** Whether its rung claims walls against an escaped guest; without, none is run into. */
  readonly claimed: boolean;
  /** Whether the workspace lets scripts reach any network. */
  readonly network: boolean;
  readonly parentPid: number;
  /** A file of the host that the parent can read and that lies outside all mounts; `null`: there is none. */
  readonly outsideFile: string | null;
  /** Where the parent listens on 127.0.0.1 while the worker tries; `null`: it could not. */
  readonly port: number | null;
  /** A directory, in the worker's view, that no tracked mount shows; `null`: there is none. */
  readonly scratch: string | null;
}
