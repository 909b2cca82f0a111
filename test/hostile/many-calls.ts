/** Tool calls without number, of a worker that was taken over. */
import { expect } from "vitest";
import { expectGone, growthOf, openHostile } from "./host.ts";

/** Tools that count how often they ran. */
export function counting(): { ran: () => number; tools: Record<string, { execute(): Promise<number> }> } {
  let ran = 0;
  return {
    ran: () => ran,
    tools: {
      "orders.find": {
        execute: async () => {
          ran += 1;
          return ran;
        },
      },
    },
  };
}

/** A command that makes so many calls: a thousand run, and the host keeps nothing of the others. */
export async function expectToolsCapped(count: number): Promise<void> {
  const { ran, tools } = counting();
  const hostile = await openHostile(
    (liar, count) => {
      const window = 500;
      liar.hello();
      liar.on("exec", ({ id }) => {
        const seen = { result: 0, failure: 0 };
        let made = 0;
        let open = 0;
        const fill = (): void => {
          const calls: unknown[] = [];
          for (; open < window && made < count; open += 1, made += 1) {
            calls.push(liar.toolCall(id, "orders.find"));
          }
          liar.send(...calls);
        };
        const hear = (kind: "result" | "failure"): void => {
          seen[kind] += 1;
          open -= 1;
          if (open === 0 && made < count) fill();
          if (seen.result + seen.failure < count) return;
          liar.output(id, JSON.stringify(seen));
          liar.answer(id, liar.exited());
        };
        liar.on("result", () => hear("result"));
        liar.on("failure", () => hear("failure"));
        fill();
      });
    },
    [count],
    { tools, limits: { maxToolCalls: 1_000, timeoutMs: 50_000 } },
  );
  const growthMb = await growthOf(async () => {
    expect(await hostile.sandbox.exec("true")).toMatchObject({
      exitCode: 0,
      stdout: JSON.stringify({ result: 1_000, failure: count - 1_000 }),
    });
  });
  expect(ran()).toBe(1_000);
  expect(growthMb).toBeLessThan(200);
  await expectGone(hostile);
}
