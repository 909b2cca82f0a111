/**
 * Sine, cosine, arc tangent, logarithm, exponential and Bessel functions of `bc -l`, cut to a scale. Calculated with
 * more digits than asked for, so that the digits shown are those of the true value.
 */
import {
  type Decimal,
  digitCount,
  divide,
  isZero,
  negate,
  ONE,
  powerOfTen,
  rescale,
  ZERO,
} from "./decimal.ts";

const GUARD_DIGITS = 12;

/** Fixed-point numbers: a value is `units` / `one`. */
interface Fixed {
  readonly one: bigint;
  readonly digits: number;
}

function fixedWith(digits: number): Fixed {
  return { one: powerOfTen(digits), digits };
}

function cut(units: bigint, { digits }: Fixed, scale: number): Decimal {
  return rescale({ units, scale: digits }, scale);
}

/** Digits in front of the point. */
function wholeDigits(value: Decimal): number {
  return Math.max(0, digitCount({ units: value.units, scale: 0 }) - value.scale);
}

export function exponential(x: Decimal, scale: number): Decimal {
  if (isZero(x)) return rescale(ONE, scale);
  if (x.units < 0n) {
    // That many digits of a number close to zero, and as many again in front of the point of its inverse.
    const inverse = exponential(negate(x), scale + 2 * GUARD_DIGITS);
    return divide(ONE, inverse, scale);
  }
  const grown = Math.ceil(Number(x.units / powerOfTen(x.scale)) * Math.LOG10E) + 1;
  const fixed = fixedWith(scale + GUARD_DIGITS + grown);
  // Halved until it is small, then squared as often.
  let halvings = wholeDigits(x) * 4 + 8;
  const start = rescale(x, fixed.digits).units >> BigInt(halvings);
  let term = fixed.one;
  let sum = fixed.one;
  for (let n = 1n; term !== 0n; n++) {
    term = (term * start) / fixed.one / n;
    sum += term;
  }
  for (; halvings > 0; halvings--) sum = (sum * sum) / fixed.one;
  return cut(sum, fixed, scale);
}

export function logarithm(x: Decimal, scale: number): Decimal {
  // bc's own answer where there is none.
  if (x.units <= 0n) return divide({ units: 1n - powerOfTen(scale), scale: 0 }, ONE, scale);
  const fixed = fixedWith(scale + GUARD_DIGITS + Math.max(wholeDigits(x), x.scale));
  let value = rescale(x, fixed.digits).units;
  let roots = 0;
  // Square roots until it is within a thousandth of one.
  while (value * 1000n > fixed.one * 1001n || value * 1001n < fixed.one * 1000n) {
    value = rootOf(value * fixed.one);
    roots++;
  }
  const ratio = ((value - fixed.one) * fixed.one) / (value + fixed.one);
  const square = (ratio * ratio) / fixed.one;
  let term = ratio;
  let sum = 0n;
  for (let n = 1n; term !== 0n; n += 2n) {
    sum += term / n;
    term = (term * square) / fixed.one;
  }
  return cut((sum * 2n) << BigInt(roots), fixed, scale);
}

export function sine(x: Decimal, scale: number): Decimal {
  return isZero(x) ? ZERO : circular(x, scale, 1n);
}

export function cosine(x: Decimal, scale: number): Decimal {
  return circular(x, scale, 0n);
}

/** `first` 0: cosine, 1: sine. */
function circular(x: Decimal, scale: number, first: bigint): Decimal {
  const fixed = fixedWith(Math.max(scale, x.scale) + GUARD_DIGITS + wholeDigits(x));
  const turn = pi(fixed) * 2n;
  const angle = rescale(x, fixed.digits).units % turn;
  const square = (angle * angle) / fixed.one;
  let term = first === 1n ? angle : fixed.one;
  let sum = 0n;
  for (let n = first; term !== 0n; n += 2n) {
    sum += term;
    term = -(term * square) / fixed.one / ((n + 1n) * (n + 2n));
  }
  return cut(sum, fixed, scale);
}

export function arcTangent(x: Decimal, scale: number): Decimal {
  if (isZero(x)) return ZERO;
  const fixed = fixedWith(Math.max(scale, x.scale) + GUARD_DIGITS + wholeDigits(x));
  let value = rescale(x, fixed.digits).units;
  if (value === fixed.one || value === -fixed.one)
    return cut((value < 0n ? -pi(fixed) : pi(fixed)) / 4n, fixed, scale);
  // Half the angle, four times.
  const HALVINGS = 4;
  for (let count = 0; count < HALVINGS; count++) {
    const root = rootOf(fixed.one * fixed.one + value * value);
    value = (value * fixed.one) / (fixed.one + root);
  }
  const square = (value * value) / fixed.one;
  let term = value;
  let sum = 0n;
  for (let n = 1n; term !== 0n; n += 2n) {
    sum += term / n;
    term = -(term * square) / fixed.one;
  }
  return cut(sum << BigInt(HALVINGS), fixed, scale);
}

/** Bessel function of a whole order. */
export function bessel(order: Decimal, x: Decimal, scale: number): Decimal {
  const whole = Number(order.units / powerOfTen(order.scale));
  const n = Math.abs(whole);
  const fixed = fixedWith(
    scale + GUARD_DIGITS + wholeDigits(x) * 2 + Math.ceil(Math.abs(Number(x.units / powerOfTen(x.scale)))),
  );
  const half = rescale(x, fixed.digits).units / 2n;
  let term = fixed.one;
  for (let k = 1; k <= n; k++) term = (term * half) / fixed.one / BigInt(k);
  const square = (half * half) / fixed.one;
  let sum = 0n;
  for (let k = 1n; term !== 0n; k++) {
    sum += term;
    term = -(term * square) / fixed.one / (k * (k + BigInt(n)));
  }
  return cut(whole < 0 && n % 2 === 1 ? -sum : sum, fixed, scale);
}

/** By Machin's formula. */
function pi({ one }: Fixed): bigint {
  return 4n * (4n * inverseArcTangent(5n, one) - inverseArcTangent(239n, one));
}

function inverseArcTangent(x: bigint, one: bigint): bigint {
  let term = one / x;
  let sum = 0n;
  for (let n = 1n, sign = 1n; term !== 0n; n += 2n, sign = -sign) {
    sum += (sign * term) / n;
    term /= x * x;
  }
  return sum;
}

function rootOf(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
