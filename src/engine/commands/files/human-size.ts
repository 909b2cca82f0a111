/** Sizes for people, rounded up as GNU programs round them: 1.0K, 24K, 1.1M. */

/** `base` is 1024 for `-h` and 1000 for `--si`. */
export function humanSize(bytes: number, base: 1024 | 1000): string {
  const letters = base === 1024 ? ["", "K", "M", "G", "T", "P", "E"] : ["", "k", "M", "G", "T", "P", "E"];
  let power = 0;
  let value = bytes;
  while (value >= base && power < letters.length - 1) {
    value /= base;
    power++;
  }
  if (power === 0) return String(bytes);
  let shown = value < 10 ? (Math.ceil(value * 10 - 1e-9) / 10).toFixed(1) : String(Math.ceil(value - 1e-9));
  if (shown === "10.0") shown = "10";
  if (Number(shown) >= base && power < letters.length - 1) {
    shown = "1.0";
    power++;
  }
  return shown + letters[power];
}
