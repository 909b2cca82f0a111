/** A version of Node.js as numbers. */
export interface NodeVersion {
  readonly major: number;
  readonly minor: number;
}

/** `v22.14.0` → numbers; `null` when it is no version. */
export function parseNodeVersion(text: string): NodeVersion | null {
  const [, major, minor] = /^v?(\d+)\.(\d+)\.\d+/.exec(text.trim()) ?? [];
  return major === undefined || minor === undefined ? null : { major: Number(major), minor: Number(minor) };
}

/**
 * Whether a version has what came with the versions named: at most one per release line, `"22.14"`, the last of
 * them standing for all later lines.
 */
export function isSince({ major, minor }: NodeVersion, since: readonly string[]): boolean {
  const lines = since.map((version) => version.split(".").map(Number));
  const line = lines.find(([own]) => own === major);
  if (line !== undefined) return minor >= (line[1] ?? 0);
  return major > (lines.at(-1)?.[0] ?? Number.POSITIVE_INFINITY);
}
