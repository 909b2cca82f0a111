/** Paths without number, named by a worker that was taken over. */
import { expect } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";
import { expectGone, growthOf, openHostile } from "./host.ts";

/** `count` is a multiple of 4,000. What is changed after them is told, and the host's memory is bounded. */
export async function expectPathsBounded(count: number): Promise<void> {
  const many = await openHostile(
    (liar, count) => {
      const fs = process.getBuiltinModule("node:fs");
      let sent = 0;
      let mount = "";
      let execId = 0;
      const next = (): void => {
        if (sent === count) {
          fs.writeFileSync(`${mount}/made`, "1");
          liar.answer(execId, liar.exited());
          return;
        }
        const paths = Array.from({ length: 4_000 }, () => `/w/n${sent++}`);
        liar.send({
          kind: "request",
          id: sent / 4_000,
          name: "touch",
          params: { execId, paths },
          bodyBytes: 0,
        });
      };
      liar.hello();
      liar.on("open", ({ id, params }) => {
        mount = (params.workspace as { mounts: { backingPath: string }[] }).mounts[0]?.backingPath ?? "";
        liar.answer(id, { engine: "e", defense: "d", stateRestored: true });
      });
      liar.on("exec", ({ id }) => {
        execId = id;
        next();
      });
      liar.on("result", next);
    },
    [count],
    { mounts: { "/w": tempDir() }, limits: { timeoutMs: 100_000 } },
  );
  const grown = await growthOf(async () => {
    const { changes } = await many.sandbox.exec("true");
    expect(changes).toMatchObject([{ change: "created", path: "/w/made" }]);
  });
  expect(grown).toBeLessThan(200);
  await expectGone(many);
}
