/**
 * The order in which bash lists the keys of an associative array. It is no order that means anything, but it is
 * what a script that does not sort prints: 1024 buckets by FNV-1 of the bytes, the newest key of a bucket first.
 * (A table of more than 2048 keys would grow; from there on the order is ours.)
 */
const BUCKETS = 1024;
const encoder = new TextEncoder();

/** `keys` in the order in which they were set → as bash lists them. */
export function keysAsBashLists(keys: Iterable<string>): string[] {
  const placed = [...keys].map((key, index) => ({ key, index, bucket: bucketOf(key) }));
  placed.sort((a, b) => a.bucket - b.bucket || b.index - a.index);
  return placed.map(({ key }) => key);
}

function bucketOf(key: string): number {
  let hash = 2166136261;
  for (const byte of encoder.encode(key)) {
    hash = Math.imul(hash, 16777619);
    // `char` is signed there.
    hash ^= byte > 127 ? byte - 256 : byte;
  }
  return (hash >>> 0) % BUCKETS;
}
