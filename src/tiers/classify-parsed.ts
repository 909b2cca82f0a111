/** The classification of one script, whoever has loaded the parser. */
import type { ScriptParser } from "../engine/parse-script.ts";
import type { ClassificationReason, CommandClassification } from "./classification.ts";
import { type Found, ScriptWalk } from "./walk-script.ts";
import { isReadable, startWork } from "./work-budget.ts";

const MOST_REASONS = 100;

export function classifyParsed(script: string, parser: ScriptParser): CommandClassification {
  if (!isReadable(script)) return { tier: 0, commands: [], reasons: [] };
  startWork();
  const walk = new ScriptWalk(parser);
  try {
    walk.run(script);
  } catch {
    // It does not parse, is nested deeper than the stack, or costs too much: what was found before stands.
  }
  const found = [...walk.found].sort((a, b) => a.at - b.at);
  const commands = [...new Set(found.map(({ command }) => command))];
  return { tier: commands.length > 0 ? 1 : 0, commands, reasons: reasonsOf(found, script) };
}

function reasonsOf(found: readonly Found[], script: string): ClassificationReason[] {
  const reasons = new Map<string, ClassificationReason>();
  let line = 1;
  let lineStart = 0;
  for (const { command, why, at } of found) {
    const key = `${at} ${command}`;
    if (reasons.has(key)) continue;
    if (reasons.size >= MOST_REASONS) break;
    for (
      let next = script.indexOf("\n", lineStart);
      next !== -1 && next < at;
      next = script.indexOf("\n", lineStart)
    ) {
      line++;
      lineStart = next + 1;
    }
    reasons.set(key, { command, why, line, column: at - lineStart + 1, offset: at });
  }
  return [...reasons.values()];
}
