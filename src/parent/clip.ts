const MAX_CHARACTERS = 2_000;

/** Words of the worker that go into an error or an ending: it may send megabytes of them. */
export function clip(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}
