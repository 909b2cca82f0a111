// What the demo writes to the terminal: plain lines, colour only where it is wanted, and one line of progress
// that a pipe never sees.
const colour = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb";
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint("1");
export const dim = paint("2");
export const red = paint("31");
export const green = paint("32");
export const cyan = paint("36");

let label = "";
let startedAt = 0;
let timer;
let shown = false;

function clear() {
  if (shown) process.stdout.write("\r\u001b[2K");
  shown = false;
}

function draw() {
  clear();
  process.stdout.write(dim(`   ... ${label} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`));
  shown = true;
}

/** Prints lines above the progress line. */
export function print(text = "") {
  clear();
  process.stdout.write(`${text}\n`);
}

/** Shows progress until `done` settles. Nothing without a terminal. */
export async function withProgress(text, done) {
  label = text;
  startedAt = performance.now();
  if (process.stdout.isTTY) timer = setInterval(draw, 100);
  try {
    return await done;
  } finally {
    clearInterval(timer);
    clear();
  }
}

/** Long text on one line. */
export function short(text, width = 88) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
