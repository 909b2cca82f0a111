/** The report of `little-harness doctor` for people: a word, a subject, a fact per line. Pure. */
import type { NodeFacts } from "../parent/inspect-parts.ts";
import { type DoctorReport, RUNGS, type RungReport } from "./doctor-report.ts";

/** `ok`: it is there. `--`: it is not, and nothing promised that it would be. `FAIL`: broken. */
type Word = "ok" | "--" | "FAIL";

type Line = readonly [word: Word, subject: string, fact: string];

/** All lines, the last one saying what is broken, each ending in a newline. */
export function doctorText(report: DoctorReport, broken: readonly string[]): string {
  const { system, temp, memory, auto } = report;
  const lines: Line[] = [
    ["ok", "system", `${system.platform} ${system.arch}, kernel ${system.kernel}`],
    ...nodeLines(report),
    ...workerLines(report),
    bubblewrapLine(report),
    temp.writable
      ? ["ok", "temp", `${temp.path} can be written${free(temp.freeBytes)}`]
      : ["FAIL", "temp", `${temp.path}: ${temp.reason}`],
    [memory.watched ? "ok" : "--", "memory", memory.reason],
    ...report.rungs.flatMap((rung) => rungLines(rung, report)),
    ...wallLines(report.rungs),
    autoLine(auto, broken),
  ];
  const width = Math.max(...lines.map(([, subject]) => subject.length));
  const text = lines.map(
    ([word, subject, fact]) => `${word.padEnd(4)}  ${subject.padEnd(width)}  ${toOneLine(fact)}`,
  );
  const last =
    broken.length === 0
      ? "nothing is broken"
      : `broken (${broken.length}): ${broken.map((line) => toOneLine(line)).join("; ")}`;
  return `${[...text, last].join("\n")}\n`;
}

function nodeLines({ node }: DoctorReport): Line[] {
  const lines: Line[] = [nodeLine("node", node.host)];
  if (node.worker.path !== node.host.path) lines.push(nodeLine("worker's node", node.worker));
  if (node.worker.version === null) return lines;
  for (const { what, since, here } of node.worker.differences)
    if (!here) lines.push(["--", "worker's node", `without ${what} (since ${since.join(", ")})`]);
  return lines;
}

function nodeLine(subject: string, { path, version, problem }: NodeFacts): Line {
  const named = version === null ? path : `${version} (${path})`;
  return problem === null ? ["ok", subject, named] : ["FAIL", subject, `${named}: ${problem}`];
}

function workerLines({ worker, rungs }: DoctorReport): Line[] {
  if (worker.problem !== null) return [["FAIL", "worker", `${worker.path ?? ""} ${worker.problem}`.trim()]];
  const build = worker.buildId === null ? "build not told" : `build ${worker.buildId}, as the library`;
  const lines: Line[] = [["ok", "worker", `${worker.path} (by: ${worker.foundBy}), ${build}`]];
  const started = rungs.find(({ state }) => state === "started");
  if (started !== undefined)
    lines.push(["ok", "engine", `${started.engine}, defense-in-depth: ${started.defense}`]);
  return lines;
}

function bubblewrapLine({ bubblewrap }: DoctorReport): Line {
  const { path, version, works, reason } = bubblewrap;
  const named = path === null ? "" : `${version ?? "unknown version"} (${path})`;
  if (works) return ["ok", "bubblewrap", named];
  return ["--", "bubblewrap", [named, reason ?? ""].filter((part) => part !== "").join(": ")];
}

function rungLines(rung: RungReport, { demanded, rungs }: DoctorReport): Line[] {
  const { name, state, reason, walls, languages } = rung;
  if (state === "unavailable")
    return [[name === demanded || name === "process" ? "FAIL" : "--", name, `not available: ${reason}`]];
  if (state === "failed") return [["FAIL", name, reason ?? "it did not start"]];
  if (state === "not-tried") return [["--", name, `not tried: ${reason}`]];
  const count = (wanted: string): number => walls.filter((wall) => wall.state === wanted).length;
  const running = languages.filter(({ runs }) => runs).map(({ name: language }) => language);
  const times = `first result ${rung.firstResultMs} ms, walls probed in ${rung.probeMs} ms`;
  const states = `${count("holds")} hold, ${count("open")} open, ${count("not-claimed")} not claimed`;
  return [
    [count("open") === 0 ? "ok" : "FAIL", name, `${times}: ${states}`],
    ...layerLines(rung, rungs),
    ...(running.length === 0 ? [] : [["ok", name, `runs ${running.join(", ")}`] as const]),
    ...languages
      .filter(({ runs }) => !runs)
      .map((language): Line => ["FAIL", name, `${language.name} does not run: ${language.reason}`]),
  ];
}

/** What is on, and what is off although it is no rung of its own and on in none. */
function layerLines({ name, layers }: RungReport, all: readonly RungReport[]): Line[] {
  const on = layers.filter((layer) => layer.on).map((layer) => layer.name);
  const elsewhere = all.flatMap((rung) => rung.layers.filter((layer) => layer.on)).map((layer) => layer.name);
  const known: readonly string[] = [...RUNGS, ...elsewhere];
  const off = layers.filter((layer) => !layer.on && !known.includes(layer.name));
  return [
    ...(on.length === 0 ? [] : [["ok", name, `layers: ${on.join(", ")}`] as const]),
    ...off.map((layer): Line => ["--", name, `without ${layer.name}: ${layer.reason}`]),
  ];
}

/** One line per wall: what it is on each rung that started. */
function wallLines(rungs: readonly RungReport[]): Line[] {
  const started = rungs.filter(({ state }) => state === "started");
  const names = [...new Set(started.flatMap(({ walls }) => walls.map(({ name }) => name)))];
  return names.map((name): Line => {
    const found = started.flatMap(({ name: rung, walls }) =>
      walls.filter((wall) => wall.name === name).map((wall) => ({ rung, ...wall })),
    );
    const has = (state: string): boolean => found.some((wall) => wall.state === state);
    const word = has("open") ? "FAIL" : has("holds") ? "ok" : "--";
    const states = found.map(({ rung, state, reason }) =>
      state === "open" ? `${rung} OPEN (${reason})` : `${rung} ${state}`,
    );
    return [word, "wall", `${name}: ${states.join(", ")}`];
  });
}

function autoLine(auto: DoctorReport["auto"], broken: readonly string[]): Line {
  if (auto.rung !== null)
    return ["ok", "auto", `takes ${auto.rung}${auto.reason === null ? "" : `; ${auto.reason}`}`];
  return [broken.some((line) => line.startsWith("auto:")) ? "FAIL" : "--", "auto", auto.reason ?? ""];
}

function free(bytes: number | null): string {
  return bytes === null ? "" : `, ${(bytes / 1024 ** 3).toFixed(1)} GiB free`;
}

// Reasons quote what other programs said: nothing of that may move the cursor of a terminal.
function toOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
}
