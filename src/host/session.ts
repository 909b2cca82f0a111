/** A session of a local host: directories that its turns share. Plain data. */

/** One session on disk. Paths are the host's own, absolute. */
export interface LocalHarnessSession {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Where all that belongs to this session alone lies. */
  readonly directory: string;
  /** `/session` inside. */
  readonly sessionDir: string;
  /** `/artifacts` inside. */
  readonly artifactsDir: string;
  /** `/persistent` inside; shared by all sessions of the data directory. */
  readonly persistentDir: string;
  /** `/.agents` inside, where nothing can be written; shared by all sessions of the data directory. */
  readonly agentsDir: string;
  /** What `createSession` was given: plain JSON data. */
  readonly metadata: Readonly<Record<string, unknown>>;
}
