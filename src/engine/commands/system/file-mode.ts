/** Permissions as `chmod` takes them: `755`, `u=rwx,go=rx`, `a+X`. */

const WHO: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const EVERYBODY = 0o7777;
const UMASK = 0o022;

/** The mode that a change makes of another, or null for what is no mode. */
export function changeOfMode(text: string, before: number, isDirectory: boolean): number | null {
  if (/^[0-7]{1,5}$/.test(text)) {
    const mode = Number.parseInt(text, 8);
    return mode <= EVERYBODY ? mode : null;
  }
  let mode = before;
  for (const clause of text.split(",")) {
    const [, who = "", actions = ""] = /^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$/.exec(clause) ?? [];
    if (actions === "") return null;
    const places = who === "" ? EVERYBODY & ~UMASK : [...who].reduce((sum, one) => sum | (WHO[one] ?? 0), 0);
    for (const [, sign, letters = ""] of actions.matchAll(/([-+=])([rwxXstugo]*)/g)) {
      const bits = bitsOf(letters, mode, isDirectory) & places;
      if (sign === "+") mode |= bits;
      else if (sign === "-") mode &= ~bits;
      else mode = (mode & ~(who === "" ? EVERYBODY : places) & EVERYBODY) | bits;
    }
  }
  return mode;
}

function bitsOf(letters: string, mode: number, isDirectory: boolean): number {
  let bits = 0;
  for (const letter of letters) {
    if (letter === "r") bits |= 0o444;
    else if (letter === "w") bits |= 0o222;
    else if (letter === "x") bits |= 0o111;
    else if (letter === "X") bits |= isDirectory || (mode & 0o111) !== 0 ? 0o111 : 0;
    else if (letter === "s") bits |= 0o6000;
    else if (letter === "t") bits |= 0o1000;
    else bits |= ((mode >> (letter === "u" ? 6 : letter === "g" ? 3 : 0)) & 7) * 0o111;
  }
  return bits;
}
