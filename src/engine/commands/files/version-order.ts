/** Names in the order of their versions, as `ls -v` has them (gnulib's `filevercmp`). */

/** Below zero when `a` comes first. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  for (const special of ["", ".", ".."]) {
    if (a === special) return -1;
    if (b === special) return 1;
  }
  const [hiddenA, hiddenB] = [a.startsWith("."), b.startsWith(".")];
  if (hiddenA !== hiddenB) return hiddenA ? -1 : 1;
  const bare = (name: string): string => name.replace(/(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/, "");
  return compareParts(bare(a), bare(b)) || compareParts(a, b) || (a < b ? -1 : 1);
}

function weight(char: string | undefined): number {
  if (char === undefined || /\d/.test(char)) return 0;
  if (char === "~") return -1;
  return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
}

function compareParts(a: string, b: string): number {
  let [atA, atB] = [0, 0];
  while (atA < a.length || atB < b.length) {
    while ((atA < a.length && !/\d/.test(a[atA] ?? "")) || (atB < b.length && !/\d/.test(b[atB] ?? ""))) {
      const difference = weight(a[atA]) - weight(b[atB]);
      if (difference !== 0) return difference;
      atA++;
      atB++;
    }
    const [numberA = ""] = /^\d*/.exec(a.slice(atA)) ?? [];
    const [numberB = ""] = /^\d*/.exec(b.slice(atB)) ?? [];
    const [plainA, plainB] = [numberA.replace(/^0+/, ""), numberB.replace(/^0+/, "")];
    if (plainA.length !== plainB.length) return plainA.length - plainB.length;
    if (plainA !== plainB) return plainA < plainB ? -1 : 1;
    atA += numberA.length;
    atB += numberB.length;
  }
  return 0;
}
