/**
 * Paths as they cross the wire: as the inside of a JSON string, since a name that is not UTF-8 has lone surrogates,
 * which no text of the wire can hold.
 */

export function toWirePath(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}

/** `undefined` for what is no path that was made so. */
export function fromWirePath(text: string): string | undefined {
  try {
    const path: unknown = JSON.parse(`"${text}"`);
    return typeof path === "string" && toWirePath(path) === text ? path : undefined;
  } catch {
    return undefined; // the caller says what is wrong with it
  }
}
