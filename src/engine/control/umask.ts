/** `umask`: the mask is kept and shown, but files are made as the file system here makes them. */
import { failure, type InterpreterState, NOTHING, type Output } from "./interpreter.ts";

const USUAL = 0o022;
const SHIFTS: Readonly<Record<string, number>> = { u: 6, g: 3, o: 0 };
const BITS: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1 };

export function umaskBuiltin(state: InterpreterState, args: readonly string[]): Output {
  const letters = args.filter((arg) => /^-[pS]+$/.test(arg)).join("");
  const [mode] = args.filter((arg) => !/^-[pS]+$/.test(arg));
  const mask = state.umask ?? USUAL;
  if (mode === undefined) {
    const shown = letters.includes("S") ? symbolic(mask) : mask.toString(8).padStart(4, "0");
    const before = letters.includes("p") ? `umask ${letters.includes("S") ? "-S " : ""}` : "";
    return { ...NOTHING, stdout: `${before}${shown}\n` };
  }
  if (/^\d/.test(mode)) {
    if (!/^[0-7]{1,4}$/.test(mode)) return failure(state, 1, `umask: ${mode}: octal number out of range`);
    state.umask = Number.parseInt(mode, 8) & 0o777;
  } else {
    const next = applySymbolic(mask, mode);
    if (next === null) return failure(state, 1, `umask: \`${mode}': invalid symbolic mode operator`);
    state.umask = next;
  }
  const stdout = letters.includes("S") ? `${symbolic(state.umask)}\n` : "";
  if (state.umask === USUAL) return { ...NOTHING, stdout };
  const why = "umask: new files keep the modes 644 and 755 here; use chmod";
  return { ...failure(state, 0, why), stdout };
}

function symbolic(mask: number): string {
  const parts = Object.entries(SHIFTS).map(([who, shift]) => {
    const given = Object.entries(BITS).filter(([, bit]) => ((mask >> shift) & bit) === 0);
    return `${who}=${given.map(([letter]) => letter).join("")}`;
  });
  return parts.join(",");
}

function applySymbolic(mask: number, mode: string): number | null {
  let allowed = ~mask & 0o777;
  for (const clause of mode.split(",")) {
    const [, who = "", operator = "", letters = ""] = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause) ?? [];
    if (operator === "") return null;
    const bits = [...letters].reduce((sum, letter) => sum | (BITS[letter] ?? 0), 0);
    for (const [name, shift] of Object.entries(SHIFTS)) {
      if (who !== "" && !who.includes("a") && !who.includes(name)) continue;
      if (operator === "=") allowed &= ~(7 << shift);
      allowed = operator === "-" ? allowed & ~(bits << shift) : allowed | (bits << shift);
    }
  }
  return ~allowed & 0o777;
}
