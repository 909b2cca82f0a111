/**
 * `{1..9}` → its words. The engine's own stops at 10,000 of them without a word, and counts the sign of a number
 * out of its width.
 */

/** `startText` and `endText` are the ends as written: a leading zero in one pads all. */
export function numberRange(
  start: number,
  end: number,
  step: number | undefined,
  startText = "",
  endText = "",
): string[] {
  const by = Math.abs(step ?? 1) || 1;
  const padded = /^-?0\d/.test(startText) || /^-?0\d/.test(endText);
  const width = padded ? Math.max(startText.length, endText.length) : 0;
  const words: string[] = [];
  if (start <= end) for (let at = start; at <= end; at += by) words.push(pad(at, width));
  else for (let at = start; at >= end; at -= by) words.push(pad(at, width));
  return words;
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
