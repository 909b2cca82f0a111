import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { answer } from "./answer.ts";

const program: GnuProgram<"terminal" | "lines" | "keep"> = {
  name: "tput",
  options: {
    terminal: { short: "T", value: "required" },
    lines: { short: "S" },
    keep: { short: "x" },
  },
  usageStatus: 2,
  compatibleWith: "ncurses 6.4",
  help: `Usage: tput [-T TERM] CAPABILITY [PARAMETER]...
Print what makes a terminal do something, or what it can do.

  -T TERM    the kind of terminal; otherwise $TERM says it
`,
};

const ESC = "\u001b";
const COLOURS_BRIGHT = 8;
const COLOURS_INDEXED = 16;

/** What terminals of the family of xterm take; `dumb` knows sizes and the bell alone. */
const STRINGS: Readonly<Record<string, string>> = {
  bold: "[1m",
  smso: "[7m",
  rmso: "[27m",
  rev: "[7m",
  smul: "[4m",
  rmul: "[24m",
  sitm: "[3m",
  ritm: "[23m",
  dim: "[2m",
  blink: "[5m",
  invis: "[8m",
  op: "[39;49m",
  sgr0: "(B\u001b[m",
  clear: "[H\u001b[2J\u001b[3J",
  el: "[K",
  el1: "[1K",
  ed: "[J",
  home: "[H",
  sc: "7",
  rc: "8",
  civis: "[?25l",
  cnorm: "[?12l\u001b[?25h",
  smcup: "[?1049h\u001b[22;0;0t",
  rmcup: "[?1049l\u001b[23;0;0t",
  cuu1: "[A",
};

/** `tput` for `dumb` and the family of xterm, whose 80 columns and 24 lines nobody has changed. */
export const tput: Command = defineCommand("tput", async (args, { exportedEnv }) => {
  const parsed = parseGnuOptions(
    { ...program, stopAtOperand: true },
    args[0] === "-V" ? ["--version"] : args,
  );
  if (!parsed.ok) return parsed.result;
  const { operands, value } = parsed.args;
  const terminal = value("terminal") ?? exportedEnv?.TERM;
  const fail = (why: string, exitCode: number) => answer("", `tput: ${why}\n`, exitCode);
  if (terminal === undefined || terminal === "") return fail("No value for $TERM and no -T specified", 2);
  const isDumb = terminal === "dumb";
  const [, depth] =
    /^(?:xterm|screen|tmux|rxvt|vt100|vt220|linux|ansi|alacritty|kitty)(?:-[a-z-]*(256)?[a-z-]*)?$/.exec(
      terminal,
    ) ?? [];
  const isKnown = /^(?:xterm|screen|tmux|rxvt|vt100|vt220|linux|ansi|alacritty|kitty)\b/.test(terminal);
  if (!isDumb && !isKnown) return fail(`unknown terminal "${terminal}"`, 3);
  const [name, ...parameters] = operands;
  if (name === undefined) return { ...answer(program.help), stdout: "", stderr: program.help, exitCode: 2 };
  const colours = isDumb || terminal.startsWith("vt") ? -1 : depth === undefined ? 8 : 256;
  if (name === "cols" || name === "co") return answer("80\n");
  if (name === "lines" || name === "li") return answer("24\n");
  if (name === "colors") return answer(`${colours}\n`);
  if (name === "longname") return answer(isDumb ? "80-column dumb tty" : `${terminal} terminal`);
  if (name === "bel") return answer("\u0007");
  if (name === "init" || name === "reset")
    return answer(isDumb ? "" : `${ESC}[!p${ESC}[?3;4l${ESC}[4l${ESC}>`);
  if (isDumb)
    return name in STRINGS || /^(setaf|setab|cup|cuu|cud|cuf|cub)$/.test(name)
      ? answer("", "", 1)
      : fail(`unknown terminfo capability '${name}'`, 4);
  const [first = 0, second = 0] = parameters.map(Number);
  if (name === "setaf" || name === "setab")
    return colours < 0 ? answer("", "", 1) : answer(colour(name === "setaf" ? 3 : 4, first, colours));
  if (name === "cup") return answer(`${ESC}[${first + 1};${second + 1}H`);
  const move = { cuu: "A", cud: "B", cuf: "C", cub: "D" }[name];
  if (move !== undefined) return answer(`${ESC}[${first}${move}`);
  if (name === "sgr0" && /^(?:screen|vt100|linux)/.test(terminal)) return answer(`${ESC}[m\u000f`);
  const text = STRINGS[name];
  return text === undefined ? fail(`unknown terminfo capability '${name}'`, 4) : answer(ESC + text);
});

function colour(ground: 3 | 4, index: number, colours: number): string {
  if (index < COLOURS_BRIGHT || colours === COLOURS_BRIGHT) return `${ESC}[${ground}${index}m`;
  if (index < COLOURS_INDEXED) return `${ESC}[${ground + 6}${index - COLOURS_BRIGHT}m`;
  return `${ESC}[${ground}8;5;${index}m`;
}
