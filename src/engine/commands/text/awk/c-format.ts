/** Numbers and strings as `printf` of C writes them. */

/** `%.{digits}f`, rounded as C does: to the nearest, and from the middle to even. */
export function formatFloat(value: number, digits: number): string {
  if (Math.abs(value) < 1e15 && digits <= 15) {
    const scaled = Math.abs(value) * 10 ** digits;
    if (scaled - Math.floor(scaled) !== 0.5 || scaled > 2 ** 52) {
      const text = value.toFixed(digits);
      return Object.is(value, -0) && !text.startsWith("-") ? `-${text}` : text;
    }
  }
  return exactFixed(value, digits);
}

/** The exact decimal of a double, cut to so many digits. */
function exactFixed(value: number, digits: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponentBits = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = exponentBits === 0 ? fraction : fraction | (1n << 52n);
  const exponent = Math.max(exponentBits, 1) - 1075;
  let scaled = mantissa * 10n ** BigInt(digits);
  if (exponent >= 0) scaled <<= BigInt(exponent);
  else {
    const shift = BigInt(-exponent);
    const rest = scaled & ((1n << shift) - 1n);
    const half = 1n << (shift - 1n);
    scaled >>= shift;
    if (rest > half || (rest === half && (scaled & 1n) === 1n)) scaled += 1n;
  }
  const text = scaled.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return digits === 0 ? sign + whole : `${sign}${whole}.${text.slice(text.length - digits)}`;
}

function formatExponent(value: number, digits: number): string {
  return value.toExponential(Math.min(digits, 100)).replace(/e([-+])(\d)$/, "e$10$2");
}

/** `%.{precision}g`. */
export function formatGeneral(value: number, precision: number, keepsZeros: boolean): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const digits = precision === 0 ? 1 : precision;
  const exponent = Number(/e([-+]\d+)$/.exec(value.toExponential(digits - 1))?.[1] ?? 0);
  if (exponent < -4 || exponent >= digits) {
    const text = formatExponent(value, digits - 1);
    return keepsZeros ? text : text.replace(/\.?0*(?=e)/, (zeros) => (text.includes(".") ? "" : zeros));
  }
  const text = formatFloat(value, Math.max(0, digits - 1 - exponent));
  return keepsZeros || !text.includes(".") ? text : text.replace(/\.?0+$/, "");
}

/** Reads one argument as the directive needs it. */
export interface FormatArgument {
  number(): number;
  text(): string;
  /** `%c`: a number is a code point. */
  char(): string;
}

/** @throws RangeError where arguments are missing. */
export function formatText(format: string, argument: (index: number) => FormatArgument | undefined): string {
  let result = "";
  let next = 0;
  const take = (index: number): FormatArgument => {
    const found = argument(index);
    if (found === undefined) throw new RangeError("not enough arguments to satisfy format string");
    return found;
  };
  const directive = /%(?:(\d+)\$)?([-+ #0']*)(\*|\d*)(?:\.(\*|-?\d*))?(?:hh|h|ll|l|L|q|j|z|t)*([a-zA-Z%])/y;
  for (let at = 0; at < format.length; ) {
    const percent = format.indexOf("%", at);
    if (percent < 0) return result + format.slice(at);
    result += format.slice(at, percent);
    directive.lastIndex = percent;
    const found = directive.exec(format);
    if (found === null) {
      result += "%";
      at = percent + 1;
      continue;
    }
    at = percent + found[0].length;
    const [whole, place, flags = "", widthText = "", precisionText, letter = ""] = found;
    if (letter === "%") {
      result += "%";
      continue;
    }
    let width = widthText === "*" ? take(next++).number() : Number(widthText);
    let precision =
      precisionText === undefined
        ? -1
        : precisionText === "*"
          ? take(next++).number()
          : Number(precisionText);
    let isLeft = flags.includes("-");
    if (width < 0) {
      isLeft = true;
      width = -width;
    }
    if (!"diouxXeEfFgGaAcs".includes(letter)) {
      result += whole;
      continue;
    }
    const from = take(place === undefined ? next++ : Number(place) - 1);
    let body: string;
    let isNumber = true;
    if (letter === "s" || letter === "c") {
      body = letter === "s" ? from.text() : from.char();
      if (letter === "s" && precision >= 0) body = Array.from(body).slice(0, precision).join("");
      isNumber = false;
    } else {
      const value = from.number();
      if (!Number.isFinite(value)) {
        body = Number.isNaN(value) ? "-nan" : value > 0 ? "+inf" : "-inf";
        isNumber = false;
      } else if ("di".includes(letter)) {
        const whole = BigInt(Math.trunc(value));
        const digits = (whole < 0n ? -whole : whole).toString();
        body = signed(whole < 0n, digits.padStart(Math.max(precision, 0), "0"), flags);
        if (precision >= 0) isNumber = false;
      } else if ("ouxX".includes(letter)) {
        const radix = letter === "o" ? 8 : letter === "u" ? 10 : 16;
        // What is below zero shows its bits, but as a decimal stays what it is.
        const whole = BigInt(Math.trunc(value));
        const shown = radix === 10 ? whole : BigInt.asUintN(64, whole);
        body = shown.toString(radix).padStart(Math.max(precision, 0), "0");
        if (flags.includes("#") && value !== 0) body = (radix === 8 ? "0" : radix === 16 ? "0x" : "") + body;
        if (letter === "X") body = body.toUpperCase();
      } else {
        if (precision < 0) precision = 6;
        const size = Math.abs(value);
        const kind = letter.toLowerCase();
        const digits =
          kind === "f"
            ? formatFloat(size, precision)
            : kind === "e"
              ? formatExponent(size, precision)
              : formatGeneral(size, precision, flags.includes("#"));
        body = signed(value < 0 || Object.is(value, -0), digits, flags);
        if (letter !== kind) body = body.toUpperCase();
      }
    }
    const missing = width - Array.from(body).length;
    if (missing > 0) {
      if (isLeft) body += " ".repeat(missing);
      else if (flags.includes("0") && isNumber) {
        const sign = /^(?:[-+ ]|0[xX])?/.exec(body)?.[0] ?? "";
        body = sign + "0".repeat(missing) + body.slice(sign.length);
      } else body = " ".repeat(missing) + body;
    }
    result += body;
  }
  return result;
}

function signed(isNegative: boolean, digits: string, flags: string): string {
  if (isNegative) return `-${digits}`;
  return flags.includes("+") ? `+${digits}` : flags.includes(" ") ? ` ${digits}` : digits;
}
