/**
 * Numbers as C's `printf` shows a `long double` of x86: 64 bits of mantissa, exact decimal digits, halves to
 * even. JavaScript's own formatting has 53 bits, and would show 1.005 and 2.5 otherwise than bash does.
 */

const MANTISSA_BITS = 64;
/** Powers of ten past these are zero or infinite in a `long double`. */
const MAX_EXPONENT = 4932;
const MIN_EXPONENT = -4950;

/** `numerator / 2 ** shift`. */
interface Exact {
  readonly numerator: bigint;
  readonly shift: number;
}

/** `text` (as `strtold` takes it) under the conversion `letter`; `precision` −1 is C's default. */
export function formatFloat(text: string, letter: string, precision: number, alternative: boolean): string {
  const isNegative = text.startsWith("-");
  const size = text.replace(/^[-+]/, "");
  const lower = letter.toLowerCase();
  const shown = magnitude(size, lower, precision < 0 ? 6 : precision, alternative);
  const signed = isNegative ? `-${shown}` : shown;
  return letter === lower ? signed : signed.toUpperCase();
}

function magnitude(size: string, letter: string, precision: number, alternative: boolean): string {
  if (/^inf/i.test(size)) return "inf";
  if (/^nan/i.test(size)) return "nan";
  const value = parse(size);
  if (value === "inf") return "inf";
  const point = (digits: string): string => (alternative && !digits.includes(".") ? `${digits}.` : digits);
  if (letter === "f") return point(fixed(value, precision));
  if (letter === "e") {
    const { digits, exponent } = scientific(value, precision);
    return point(withPoint(digits)) + exponentText(exponent);
  }
  if (letter === "a") return hexadecimal(value);
  const significant = precision === 0 ? 1 : precision;
  const { digits, exponent } = scientific(value, significant - 1);
  const isPlain = exponent >= -4 && exponent < significant;
  const body = isPlain ? fixed(value, significant - 1 - exponent) : withPoint(digits);
  const trimmed = alternative || !body.includes(".") ? point(body) : body.replace(/\.?0+$/, "");
  return isPlain ? trimmed : trimmed + exponentText(exponent);
}

function withPoint(digits: string): string {
  return digits.length === 1 ? digits : `${digits.charAt(0)}.${digits.slice(1)}`;
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** The nearest `long double`, exactly. */
function parse(size: string): Exact | "inf" {
  if (/^0x/i.test(size)) return { numerator: BigInt(size), shift: 0 };
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d*)\.?(\d*)(?:e([-+]?\d+))?/i.exec(size) ?? [];
  const digits = BigInt(`${whole}${fraction}` || "0");
  const scale = Number(exponent) - fraction.length;
  const magnitudeOf = digits.toString().length + scale;
  if (digits === 0n || magnitudeOf < MIN_EXPONENT) return { numerator: 0n, shift: 0 };
  if (magnitudeOf > MAX_EXPONENT + 1) return "inf";
  const numerator = scale >= 0 ? digits * 10n ** BigInt(scale) : digits;
  const denominator = scale >= 0 ? 1n : 10n ** BigInt(-scale);
  // Enough bits before the point that the division leaves a mantissa and a bit more.
  const shift = MANTISSA_BITS + bits(denominator) - bits(numerator);
  const quotient =
    shift >= 0
      ? divideToEven(numerator << BigInt(shift), denominator)
      : divideToEven(numerator, denominator << BigInt(-shift));
  const excess = bits(quotient) - MANTISSA_BITS;
  if (excess <= 0) return { numerator: quotient, shift };
  // One bit too many: rounded again from the exact fraction, not from the rounded one.
  const again = shift - excess;
  return {
    numerator:
      again >= 0
        ? divideToEven(numerator << BigInt(again), denominator)
        : divideToEven(numerator, denominator << BigInt(-again)),
    shift: again,
  };
}

function bits(value: bigint): number {
  return value.toString(2).length;
}

function divideToEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator - quotient * denominator) * 2n;
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient;
}

/** `value * 10 ** decimals`, rounded. */
function scaled({ numerator, shift }: Exact, decimals: number): bigint {
  const top = decimals >= 0 ? numerator * 10n ** BigInt(decimals) : numerator;
  const bottom = decimals >= 0 ? 1n : 10n ** BigInt(-decimals);
  return shift >= 0
    ? divideToEven(top, bottom << BigInt(shift))
    : divideToEven(top << BigInt(-shift), bottom);
}

function fixed(value: Exact, decimals: number): string {
  const digits = scaled(value, decimals)
    .toString()
    .padStart(decimals + 1, "0");
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** `decimals + 1` digits and the power of ten of the first. */
function scientific(value: Exact, decimals: number): { digits: string; exponent: number } {
  if (value.numerator === 0n) return { digits: "0".repeat(decimals + 1), exponent: 0 };
  // From the number of bits, a power of ten that is right or one too low.
  let exponent = Math.floor((bits(value.numerator) - 1 - value.shift) * Math.LOG10E * Math.LN2);
  for (;;) {
    const digits = scaled(value, decimals - exponent).toString();
    if (digits.length === decimals + 1) return { digits, exponent };
    exponent += digits.length > decimals + 1 ? 1 : -1;
  }
}

/** `%a`: the mantissa's 64 bits in front of a power of two, as glibc shows them. */
function hexadecimal({ numerator, shift }: Exact): string {
  if (numerator === 0n) return "0x0p+0";
  const missing = MANTISSA_BITS - bits(numerator);
  const digits = (missing >= 0 ? numerator << BigInt(missing) : numerator >> BigInt(-missing)).toString(16);
  const exponent = MANTISSA_BITS - 4 - missing - shift;
  const rest = digits.slice(1).replace(/0+$/, "");
  return `0x${digits.charAt(0)}${rest === "" ? "" : `.${rest}`}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}
