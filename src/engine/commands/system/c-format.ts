/** Numbers as C's printf writes them. */

/** One conversion: `%-08.3x` without the letter's meaning for bytes. */
export interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | null;
  readonly letter: string;
}

/** `%d %i %u %o %x %X`. */
export function formatInteger(value: bigint, { flags, width, precision, letter }: Conversion): string {
  const isNegative = value < 0n;
  const radix = letter === "o" ? 8 : letter === "x" || letter === "X" ? 16 : 10;
  let digits = (isNegative ? -value : value).toString(radix);
  if (letter === "X") digits = digits.toUpperCase();
  if (precision !== null) digits = precision === 0 && value === 0n ? "" : digits.padStart(precision, "0");
  if (flags.includes("#") && value !== 0n) {
    if (radix === 16) digits = `0${letter}${digits}`;
    else if (radix === 8 && !digits.startsWith("0")) digits = `0${digits}`;
  }
  const sign = isNegative ? "-" : radix !== 10 ? "" : signOf(flags);
  return pad(sign, digits, flags, width, precision === null);
}

/** `%e %f %g` and their capitals. */
export function formatFloat(value: number, { flags, width, precision, letter }: Conversion): string {
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : signOf(flags);
  const isUpper = letter === letter.toUpperCase();
  if (!Number.isFinite(size)) {
    const word = Number.isNaN(size) ? "nan" : "inf";
    return pad(sign, isUpper ? word.toUpperCase() : word, flags, width, false);
  }
  const digits = precision ?? 6;
  const lower = letter.toLowerCase();
  let text =
    lower === "f"
      ? fixed(size, digits)
      : lower === "e"
        ? exponential(size, digits)
        : general(size, digits, flags.includes("#"));
  if (flags.includes("#") && digits === 0 && !text.includes(".")) text += ".";
  return pad(sign, isUpper ? text.toUpperCase() : text, flags, width, true);
}

/** Pads text as `%s` does. */
export function formatText(text: string, { flags, width, precision }: Conversion): string {
  const cut = precision === null ? text : text.slice(0, precision);
  return flags.includes("-") ? cut.padEnd(width) : cut.padStart(width);
}

function signOf(flags: string): string {
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function pad(sign: string, digits: string, flags: string, width: number, mayFillZeros: boolean): string {
  if (flags.includes("-")) return (sign + digits).padEnd(width);
  if (!flags.includes("0") || !mayFillZeros) return (sign + digits).padStart(width);
  const prefix = /^0[xX]/.exec(digits)?.[0] ?? "";
  return sign + prefix + digits.slice(prefix.length).padStart(width - sign.length - prefix.length, "0");
}

/** The exact decimal value of a double, rounded half to even: `toFixed` gives up above 1e21 and above 100 digits. */
function fixed(size: number, digits: number): string {
  if (size < 1e21 && digits <= 100) return size.toFixed(digits);
  const whole = BigInt(Math.floor(size)).toString();
  return digits === 0
    ? whole
    : `${whole}.${(size % 1).toFixed(Math.min(digits, 100)).slice(2).padEnd(digits, "0")}`;
}

function exponential(size: number, digits: number): string {
  return size.toExponential(Math.min(digits, 100)).replace(/e([+-])(\d)$/, "e$10$2");
}

function general(size: number, digits: number, keepZeros: boolean): string {
  const significant = digits === 0 ? 1 : digits;
  const exponent = size === 0 ? 0 : Number(size.toExponential(significant - 1).split("e")[1]);
  const text =
    exponent < -4 || exponent >= significant
      ? exponential(size, significant - 1)
      : fixed(size, significant - 1 - exponent);
  return keepZeros || !text.includes(".") ? text : text.replace(/\.?0+(?=e|$)/, "");
}
