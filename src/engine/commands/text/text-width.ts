/** How many columns of a terminal a text takes. */

const COMBINING = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** East Asian wide and fullwidth characters, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += COMBINING.test(char) || char < " " ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}
