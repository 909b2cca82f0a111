/** `Intl` for QuickJS, which has none: one question as JSON, answered by Node's. Objects are kept by their options. */

const made = new Map<string, Record<string, (...args: unknown[]) => unknown>>();

type Question = [
  kind: string,
  locales: string | string[] | null,
  options: object | null,
  method: string,
  args: unknown[],
];

const KINDS = [
  "NumberFormat",
  "DateTimeFormat",
  "Collator",
  "PluralRules",
  "RelativeTimeFormat",
  "ListFormat",
];

export function intlAnswer(question: string): string {
  const [kind, locales, options, method, args] = JSON.parse(question) as Question;
  // The machine's own language says nothing about the script's.
  const language = locales ?? "en-US";
  const settings = (options ?? undefined) as never;
  if (kind === "Date") {
    const date = new Date(args[0] as number);
    const call = date[method as "toLocaleString"];
    return JSON.stringify(call.call(date, language, settings));
  }
  if (!KINDS.includes(kind)) throw new RangeError(`Intl.${kind} is not available`);
  const key = JSON.stringify([kind, locales, options]);
  let object = made.get(key);
  if (object === undefined) {
    const Kind = Intl[kind as "NumberFormat"];
    object = new Kind(language, settings) as unknown as Record<string, (...args: unknown[]) => unknown>;
    made.set(key, object);
  }
  return JSON.stringify(object[method]?.(...args) ?? null);
}
