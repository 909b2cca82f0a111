/** A change of one path below a tracked mount, seen from the host. Plain data. */
export interface FileChange {
  readonly change: "created" | "modified" | "deleted";
  /** Absolute path inside the sandbox. */
  readonly path: string;
  readonly kind: "file" | "directory" | "symlink";
  /** Bytes; files that exist after the change only. */
  readonly size?: number;
  /** Lower-case hex digest of the content; files that exist after the change only, as far as they were read. */
  readonly sha256?: string;
  /** The tool call that made the change on the host; absent: the command's own doing. */
  readonly toolCallId?: string;
  /** Found when the journal was read: the host had died before it could be told. */
  readonly recovered?: true;
  /** Found on disk although the sandbox's own report left it out. */
  readonly unreported?: true;
}
