import { didYouMean, UsageError } from "./usage-error.ts";

/** The options of one command, as `parseArgs` takes them. */
export type OptionTable = Readonly<
  Record<
    string,
    { readonly type: "string" | "boolean"; readonly short?: string; readonly multiple?: boolean }
  >
>;

/** One option as it was written. */
interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** What `parseArgs` tells of each argument. */
export type ArgumentTokens = readonly (
  | ({ readonly kind: "option" } & OptionToken)
  | { readonly kind: "positional" | "option-terminator" }
)[];

/** @throws UsageError for an option that the table does not have, or that has a value too many or too few. */
export function checkOptions(table: OptionTable, { tokens }: { readonly tokens: ArgumentTokens }): void {
  for (const token of tokens) if (token.kind === "option") checkOption(table, token);
}

function checkOption(table: OptionTable, { name, rawName, value, inlineValue }: OptionToken): void {
  if (name === "version")
    throw new UsageError(`"--version" stands alone; did you mean "little-harness --version"?`);
  const known = Object.entries(table).find(([option]) => option === name)?.[1];
  if (known === undefined)
    throw new UsageError(`unknown option "${rawName}"${didYouMean(name, Object.keys(table), "--")}`);
  if (known.type === "boolean" && inlineValue === true) throw new UsageError(`${rawName} takes no value`);
  if (known.type === "string" && value === undefined) throw new UsageError(`${rawName} needs a value`);
}
