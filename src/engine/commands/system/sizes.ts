/** Sizes as coreutils take them: `10`, `4K`, `2MB`, `1GiB`. */

const POWERS = "KMGTPEZY";

/** Bytes, or null for what is no size. `letters` are the suffixes of one unit alone: `{ b: 512 }`. */
export function toBytes(text: string, letters: Readonly<Record<string, number>> = {}): number | null {
  const [, digits = "", suffix = ""] = /^(\d*)(\w*)$/.exec(text) ?? [];
  if (digits === "" && (suffix === "" || !/^[KMGTPEZYkm]/.test(suffix))) return null;
  const count = digits === "" ? 1 : Number(digits);
  if (suffix === "") return count;
  const single = letters[suffix];
  if (single !== undefined) return count * single;
  const [, letter = "", base] = /^([KMGTPEZYkm])(iB|B)?$/.exec(suffix) ?? [];
  const power = POWERS.indexOf(letter.toUpperCase()) + 1;
  return power === 0 ? null : count * (base === "B" ? 1000 : 1024) ** power;
}
