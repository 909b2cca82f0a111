import { runForReplay } from "./runs.ts";
import type { Answer } from "./scripted-model.ts";

/** Two steps with tools, then a text; every effect is counted. */
export function countedRun(tool: { readonly onUnknownOutcome?: "tell" | "repeat" | "fail" } = {}) {
  const effects: string[] = [];
  const keys: unknown[] = [];
  const pay = {
    ...tool,
    execute: ({ n }: { n: number }, options: { idempotencyKey?: string }) => {
      effects.push(`pay ${n}`);
      keys.push(options.idempotencyKey);
      return { paid: n };
    },
  };
  const answers: Answer[] = [
    {
      calls: [
        ["pay", { n: 1 }],
        ["pay", { n: 2 }],
      ],
    },
    { calls: [["pay", { n: 3 }]] },
    { text: "paid" },
  ];
  return { effects, keys, run: runForReplay(answers, { bash: false, tools: { pay } }) };
}
