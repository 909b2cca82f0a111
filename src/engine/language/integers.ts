/** Integers of `[` and `test`: decimal, of 64 bits, compared exactly. */

/** Reads an operand; `null`: it is no integer. */
export function testInteger(text: string): bigint | null {
  const digits = text.trim();
  return /^[-+]?[0-9]+$/.test(digits) ? BigInt(digits.replace(/^\+/, "")) : null;
}
