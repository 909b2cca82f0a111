/** Tool calls of a worker that was taken over: never another tool, never more than allowed, never after the end. */
import { expect, test } from "vitest";
import { expectGone, openHostile, watchHost } from "./host.ts";
import { counting, expectToolsCapped } from "./many-calls.ts";

watchHost();

test("tools that do not exist are refused, and the command goes on", async () => {
  const { ran, tools } = counting();
  const hostile = await openHostile(
    (liar) => {
      const names = ["__proto__", "constructor", "orders", "orders.find.call", "", "x".repeat(3_000_000)];
      const heard: unknown[] = [];
      liar.hello();
      liar.on("exec", ({ id }) => {
        liar.on("failure", (failure) => {
          heard.push((failure as unknown as { error: { code: string } }).error.code);
          if (heard.length < names.length) return;
          liar.output(id, heard.join(" "));
          liar.answer(id, liar.exited());
        });
        for (const name of names) liar.send(liar.toolCall(id, name));
      });
    },
    [],
    { tools },
  );
  expect(await hostile.sandbox.exec("true")).toMatchObject({
    exitCode: 0,
    stdout: new Array(6).fill("TOOL_FAILED").join(" "),
  });
  expect(ran()).toBe(0);
  for (const event of hostile.events) expect(JSON.stringify(event).length).toBeLessThan(10_000);
  await expectGone(hostile);
});

test("calls after the end, before the start or for another's command run no tool", async () => {
  const { ran, tools } = counting();
  const hostile = await openHostile(
    (liar) => {
      let ended = 0;
      const heard: string[] = [];
      liar.hello();
      liar.on("failure", (failure) => {
        heard.push((failure as unknown as { error: { code: string } }).error.code);
      });
      liar.on("exec", ({ id }) => {
        if (ended === 0) {
          ended = id;
          liar.answer(id, liar.exited());
          liar.send(liar.toolCall(id, "orders.find"));
          return;
        }
        liar.on("failure", (failure) => {
          heard.push((failure as unknown as { error: { code: string } }).error.code);
          if (heard.length < 5) return;
          liar.output(id, heard.join(" "));
          liar.answer(id, liar.exited());
        });
        for (const other of [ended, 1, id + 1, 0]) liar.send(liar.toolCall(other, "orders.find"));
      });
    },
    [],
    { tools },
  );
  expect(await hostile.sandbox.exec("true")).toMatchObject({ exitCode: 0 });
  expect(await hostile.sandbox.exec("true")).toMatchObject({
    exitCode: 0,
    stdout: new Array(5).fill("TOOL_REFUSED").join(" "),
  });
  expect(ran()).toBe(0);
  await expectGone(hostile);
});

test("10,000 calls run as many tools as one command may call", { timeout: 60_000 }, () =>
  expectToolsCapped(10_000),
);

test("calls that are cancelled while no tool is free do not pile up in the host", async () => {
  let waiting = 0;
  const hostile = await openHostile(
    (liar) => {
      liar.hello();
      const input = Buffer.from(JSON.stringify("x".repeat(10_000)));
      liar.on("exec", ({ id }) => {
        // Each leaves its input with the host, if a cancel is taken for an end.
        for (let made = 1; made <= 1_500; made += 1) {
          const call = liar.toolCall(id, "never.ends", input.length);
          liar.send(call, liar.chunk(made, "request-body", input), { kind: "cancel", id: made });
        }
      });
    },
    [],
    {
      tools: {
        "never.ends": {
          execute: () => {
            waiting += 1;
            return new Promise(() => undefined);
          },
        },
      },
    },
  );
  const { ending } = await hostile.sandbox.exec("true");
  expect(ending).toMatchObject({ kind: "unknown", why: expect.stringMatching(/1024 requests are open/) });
  expect(waiting).toBe(64);
  await expectGone(hostile);
});

test("an input larger than any tool takes ends the sandbox before it is collected", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    liar.on("exec", ({ id }) => liar.send(liar.toolCall(id, "orders.find", 100_000_000)));
  }, []);
  const { ending } = await hostile.sandbox.exec("true");
  expect(ending).toMatchObject({ kind: "unknown", why: expect.stringMatching(/body of 100000000 bytes/) });
  await expectGone(hostile);
});
