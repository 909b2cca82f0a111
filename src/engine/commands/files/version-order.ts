/** The order of `sort -V` and `ls -v`: gnulib's `filevercmp`, for byte strings. */

/** Negative, 0 or positive. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? -1 : 1;
  for (const special of [".", ".."]) {
    if (a === special || b === special) return a === special ? -1 : 1;
  }
  if (a.startsWith(".") !== b.startsWith(".")) return a.startsWith(".") ? -1 : 1;
  const [stemA, stemB] = [withoutSuffix(a), withoutSuffix(b)];
  return compareParts(stemA, stemB) || compareParts(a, b);
}

/** Without what looks like endings: `.tar.gz`. */
function withoutSuffix(name: string): string {
  return name.replace(/(?:\.[A-Za-z~][A-Za-z0-9~]*)+$/, (suffix, at: number) => (at === 0 ? suffix : ""));
}

function compareParts(a: string, b: string): number {
  let [atA, atB] = [0, 0];
  while (atA < a.length || atB < b.length) {
    while ((atA < a.length && !isDigit(a, atA)) || (atB < b.length && !isDigit(b, atB))) {
      const difference = rank(a, atA) - rank(b, atB);
      if (difference !== 0) return difference;
      atA++;
      atB++;
    }
    while (a.charAt(atA) === "0") atA++;
    while (b.charAt(atB) === "0") atB++;
    let first = 0;
    while (isDigit(a, atA) && isDigit(b, atB)) {
      first ||= a.charCodeAt(atA++) - b.charCodeAt(atB++);
      if (first !== 0) {
        // The difference is known: only the lengths count now.
        while (isDigit(a, atA) && isDigit(b, atB)) {
          atA++;
          atB++;
        }
      }
    }
    if (isDigit(a, atA)) return 1;
    if (isDigit(b, atB)) return -1;
    if (first !== 0) return first;
  }
  return 0;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function rank(text: string, at: number): number {
  if (at >= text.length) return -1;
  const code = text.charCodeAt(at);
  if (isDigit(text, at)) return 0;
  if (/[A-Za-z]/.test(text.charAt(at))) return code;
  return text.charAt(at) === "~" ? -2 : code + 256;
}
