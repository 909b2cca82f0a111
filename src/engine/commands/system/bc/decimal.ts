/** Decimal numbers of any length, as `bc` and `dc` calculate: digits beyond the scale are cut, never rounded. */

/** `units` / 10^`scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
export const ONE: Decimal = { units: 1n, scale: 0 };

const powers: bigint[] = [1n];

export function powerOfTen(exponent: number): bigint {
  if (exponent > 2_000) return 10n ** BigInt(exponent);
  for (let at = powers.length; at <= exponent; at++) powers.push((powers[at - 1] ?? 1n) * 10n);
  return powers[exponent] ?? 1n;
}

export function fromInteger(value: bigint | number): Decimal {
  return { units: BigInt(value), scale: 0 };
}

/** The same value with another number of digits behind the point; what is too much is cut. */
export function rescale({ units, scale }: Decimal, to: number): Decimal {
  if (to === scale) return { units, scale };
  return to > scale
    ? { units: units * powerOfTen(to - scale), scale: to }
    : { units: units / powerOfTen(scale - to), scale: to };
}

export function isZero({ units }: Decimal): boolean {
  return units === 0n;
}

export function negate({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: rescale(a, scale).units + rescale(b, scale).units, scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, negate(b));
}

export function compare(a: Decimal, b: Decimal): number {
  const { units } = subtract(a, b);
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}

export function multiply(a: Decimal, b: Decimal, scale: number): Decimal {
  const full = a.scale + b.scale;
  return rescale(
    { units: a.units * b.units, scale: full },
    Math.min(full, Math.max(scale, a.scale, b.scale)),
  );
}

/** `b` must not be zero. */
export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  const shift = scale + b.scale - a.scale;
  const units =
    shift >= 0 ? (a.units * powerOfTen(shift)) / b.units : a.units / (b.units * powerOfTen(-shift));
  return { units, scale };
}

/** What `divide` leaves over. */
export function remainder(a: Decimal, b: Decimal, scale: number): Decimal {
  const quotient = divide(a, b, scale);
  const full = Math.max(a.scale, b.scale + scale);
  return rescale(subtract(a, { units: quotient.units * b.units, scale: quotient.scale + b.scale }), full);
}

/** A power with a whole exponent; zero to a negative one must not be asked for. */
export function raise(base: Decimal, exponent: bigint, scale: number): Decimal {
  if (exponent === 0n) return ONE;
  const size = exponent < 0n ? -exponent : exponent;
  const full: Decimal = { units: base.units ** size, scale: base.scale * Number(size) };
  if (exponent < 0n) return divide(ONE, full, scale);
  return rescale(full, Math.min(full.scale, Math.max(scale, base.scale)));
}

/** Of a number that is not negative. */
export function squareRoot(value: Decimal, scale: number): Decimal {
  const digits = Math.max(scale, value.scale);
  return { units: integerRoot(rescale(value, digits * 2).units), scale: digits };
}

function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** All digits, those in front of the point without leading zeros; `length()` of bc. */
export function digitCount({ units, scale }: Decimal): number {
  const size = units < 0n ? -units : units;
  return Math.max(size.toString().length, scale, 1);
}

/** `-.50`: nothing in front of the point where that would be a zero. */
function toDecimalText({ units, scale }: Decimal): string {
  if (units === 0n) return "0";
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(scale, "0");
  const whole = digits.slice(0, digits.length - scale);
  return sign + (scale === 0 ? whole : `${whole}.${digits.slice(digits.length - scale)}`);
}

const LETTERS = "0123456789ABCDEF";

/** In any base from 2; above 16 each digit is a decimal number of its own. */
export function toText(value: Decimal, base: number): string {
  if (base === 10 || isZero(value)) return toDecimalText(value);
  const width = String(base - 1).length;
  const digit = (number: number, isFirst: boolean): string =>
    base <= 16 ? (LETTERS[number] ?? "") : `${isFirst ? "" : " "}${String(number).padStart(width, "0")}`;
  const size: Decimal = { units: value.units < 0n ? -value.units : value.units, scale: value.scale };
  const unit = powerOfTen(size.scale);
  let whole = size.units / unit;
  let rest = size.units % unit;
  const digits: number[] = [];
  for (; whole > 0n; whole /= BigInt(base)) digits.unshift(Number(whole % BigInt(base)));
  let text = (value.units < 0n ? "-" : "") + digits.map((number) => digit(number, false)).join("");
  if (size.scale === 0) return text;
  text += ".";
  // As many digits as it takes for the base to have the digits that the scale has in decimal.
  for (let reached = 1n, isFirst = true; reached.toString().length <= size.scale; reached *= BigInt(base)) {
    rest *= BigInt(base);
    text += digit(Number(rest / unit), isFirst);
    rest %= unit;
    isFirst = false;
  }
  return text;
}

/** A constant in a base from 2 to 16: digits that the base does not have count as its highest. */
export function fromText(text: string, base: number): Decimal {
  const [whole = "", part = ""] = text.split(".");
  const cut = (whole + part).length > 1;
  const digitValue = (letter: string): bigint => {
    const number = LETTERS.indexOf(letter);
    return BigInt(cut && number >= base ? base - 1 : number);
  };
  if (base === 10 && !/[A-F]/.test(text)) return { units: BigInt(whole + part || "0"), scale: part.length };
  let units = 0n;
  for (const letter of whole) units = units * BigInt(base) + digitValue(letter);
  let numerator = 0n;
  for (const letter of part) numerator = numerator * BigInt(base) + digitValue(letter);
  const fraction = divide(
    fromInteger(numerator),
    fromInteger(BigInt(base) ** BigInt(part.length)),
    part.length,
  );
  return add({ units, scale: 0 }, fraction);
}
