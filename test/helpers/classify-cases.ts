/**
 * The scripts of `test/fixtures/classify`: each begins with a line `#> TIER [COMMAND …] [run-time] | what it is`.
 * `run-time`: the script does run a command that needs tier 1, and nothing but running it tells.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../build/paths.ts";

export interface ClassifyCase {
  readonly name: string;
  readonly tier: number;
  readonly commands: readonly string[];
  readonly isRunTime: boolean;
  readonly script: string;
}

const folder = join(root, "test/fixtures/classify");

export const classifyCases: readonly ClassifyCase[] = readdirSync(folder)
  .sort()
  .flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split(/^#> /m)
      .slice(1)
      .map((text) => toCase(file.replace(/\.sh$/, ""), text)),
  );

function toCase(file: string, text: string): ClassifyCase {
  const end = text.indexOf("\n");
  const [, tier = "", words = "", title = ""] =
    /^([01])((?: [^|\s]+)*) \| (.+)$/.exec(text.slice(0, end)) ?? [];
  if (title === "") throw new Error(`${file}: no case begins like this: ${text.slice(0, end)}`);
  const commands = words.split(" ").filter((word) => word !== "" && word !== "run-time");
  return {
    name: `${file}: ${title}`,
    tier: Number(tier),
    commands,
    isRunTime: words.includes(" run-time"),
    script: text.slice(end + 1).trimEnd(),
  };
}
