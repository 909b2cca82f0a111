/** Names and numbers of signals as Linux has them. */
const NAMES =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS".split(
    " ",
  );
const REAL_TIME = [
  "RTMIN",
  ...Array.from({ length: 15 }, (_, at) => `RTMIN+${at + 1}`),
  ...Array.from({ length: 14 }, (_, at) => `RTMAX-${14 - at}`),
  "RTMAX",
];

/** Number → name without `SIG`; 32 and 33 belong to the C library. */
const BY_NUMBER = new Map<number, string>([
  ...NAMES.map((name, at) => [at + 1, name] as const),
  ...REAL_TIME.map((name, at) => [at + 34, name] as const),
]);
const BY_NAME = new Map([...BY_NUMBER].map(([number, name]) => [name, number]));

/** What is not sent to a process but trapped like a signal, in the order in which bash lists it. */
const PSEUDO = new Map([
  ["EXIT", 0],
  ["DEBUG", 65],
  ["ERR", 66],
  ["RETURN", 67],
]);

/** Signals that do nothing to a process that has no trap for them. */
const IGNORED = new Set(["CHLD", "CONT", "URG", "WINCH", "STOP", "TSTP", "TTIN", "TTOU"]);

/** `SIGTERM`, `term`, `15` → `TERM`; `null`: there is none. */
export function signalName(spec: string): string | null {
  if (/^\d+$/.test(spec)) {
    const number = Number(spec);
    return number === 0 ? "EXIT" : (BY_NUMBER.get(number) ?? null);
  }
  const name = spec.toUpperCase().replace(/^SIG(?!$)/, "");
  return BY_NAME.has(name) || PSEUDO.has(name) ? name : null;
}

/** Its number; that of `EXIT` and the like is bash's own. */
export function signalNumber(name: string): number {
  return BY_NAME.get(name) ?? PSEUDO.get(name) ?? 0;
}

export function isSentToProcess(name: string): boolean {
  return BY_NAME.has(name);
}

export function endsProcess(name: string): boolean {
  return !IGNORED.has(name);
}

/** `SIGTERM`, `EXIT`. */
export function shownName(name: string): string {
  return BY_NAME.has(name) ? `SIG${name}` : name;
}

/** What `trap -l` and `kill -l` print. */
export function signalTable(): string {
  const cells = [...BY_NUMBER].map(([number, name]) => `${String(number).padStart(2)}) SIG${name}`);
  const rows: string[] = [];
  for (let at = 0; at < cells.length; at += 5) rows.push(cells.slice(at, at + 5).join("\t"));
  return rows.map((row, at) => (at < rows.length - 1 ? `${row}\n` : `${row}\t\n`)).join("");
}
