/** Workers that send as much as they can: the host's memory stays bounded and its event loop goes round. */
import { expect, test } from "vitest";
import { openForTest } from "../helpers/open.ts";
import { expectGone, growthOf, openHostile, watchHost } from "./host.ts";
import type { Scenario } from "./scenario.ts";

watchHost();

const floods: [string, Scenario][] = [
  [
    "output in chunks as large as they may be",
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        const chunk = liar.frame(liar.chunk(id, "stdout", Buffer.alloc(4_000_000, 0x61)));
        liar.forEver(() => liar.bytes(chunk));
      });
    },
  ],
  [
    "output byte by byte",
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        const one = liar.frame(liar.chunk(id, "stdout", "a"));
        const many = Buffer.concat(new Array<Uint8Array>(5_000).fill(one));
        liar.forEver(() => liar.bytes(many));
      });
    },
  ],
  [
    "one byte of output in each 60 kB of noise",
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        liar.send(liar.toolCall(id, "none"));
        const noise = liar.frame({ kind: "cancel", id: 1 });
        const many = Buffer.concat(new Array<Uint8Array>(Math.floor(60_000 / noise.length)).fill(noise));
        const one = liar.frame(liar.chunk(id, "stdout", "a"));
        liar.forEver(() => liar.bytes(many, one));
      });
    },
  ],
  [
    "tool calls for a command that does not exist",
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.forEver(() => liar.send(liar.toolCall(999, "none"))));
    },
  ],
  [
    "stderr",
    (liar) => {
      liar.hello();
      const noise = Buffer.alloc(1_000_000, 0x61);
      liar.on("exec", () => liar.forEver(() => liar.say(noise)));
    },
  ],
];

for (const [what, scenario] of floods) {
  test(`a flood of ${what} ends by its deadline, and another sandbox works meanwhile`, async () => {
    const { sandbox: other } = await openForTest();
    await other.exec("x=1");
    const hostile = await openHostile(scenario, [], { limits: { maxOutputBytes: 1_000_000 } });
    let wasFlooded: () => void = () => undefined;
    const flooded = new Promise<void>((resolve) => {
      wasFlooded = resolve;
    });
    const growthMb = await growthOf(async () => {
      const running = hostile.sandbox.exec("true", { timeoutMs: 500, onStdout: wasFlooded });
      await Promise.race([flooded, running]);
      expect(await other.exec("echo $x")).toMatchObject({ stdout: "1\n", exitCode: 0 });
      const result = await running;
      // More calls at once than the wire allows is a breach: who is faster, the deadline or the worker, is open.
      if (result.ending.kind === "unknown")
        expect(result.ending.why).toMatch(/More than 1024 requests are open/);
      else expect(["deadline", "output"]).toContain(result.ending.kind === "killed" && result.ending.by);
      expect(result.stdoutBytes.length).toBeLessThan(1_001_000);
    });
    expect(growthMb).toBeLessThan(250);
    await expectGone(hostile);
  });
}

test("more output than a stream may carry ends the command as what it is", async () => {
  const hostile = await openHostile(
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        const chunk = liar.frame(liar.chunk(id, "stderr", Buffer.alloc(100_000, 0x61)));
        liar.forEver(() => liar.bytes(chunk));
      });
    },
    [],
    { limits: { maxStreamBytes: 5_000_000 } },
  );
  const result = await hostile.sandbox.exec("true");
  expect(result).toMatchObject({ exitCode: 137, ending: { kind: "killed", by: "output" } });
  expect(result.truncated.stderr?.totalBytes).toBeGreaterThan(5_000_000);
  await expectGone(hostile);
});

test("between commands nobody listens: a worker that floods then waits in its own write", async () => {
  const hostile = await openHostile((liar) => {
    let written = 0;
    let turn = 0;
    liar.hello();
    liar.on("exec", ({ id }) => {
      turn += 1;
      if (turn === 2) {
        liar.output(id, String(written));
        liar.answer(id, liar.exited());
        return;
      }
      liar.send(liar.toolCall(id, "none"));
      liar.answer(id, liar.exited());
      const noise = Buffer.concat(new Array<Uint8Array>(1_000).fill(liar.frame({ kind: "cancel", id: 1 })));
      liar.on("isolation", ({ id: asked }) => {
        liar.answer(asked, {}, "[]");
        liar.forEver(() => {
          if (turn > 1) return;
          liar.bytes(noise);
          written += noise.length;
        });
      });
    });
  }, []);
  await hostile.sandbox.exec("true");
  await hostile.sandbox.isolation();
  const { sandbox: other } = await openForTest();
  await other.exec("for ((i = 0; i < 2000; i++)); do :; done");
  const { stdout, exitCode } = await hostile.sandbox.exec("true");
  expect(exitCode).toBe(0);
  expect(Number(stdout)).toBeLessThan(4_000_000);
  await expectGone(hostile);
});

test("a shell's state of hundreds of megabytes is refused as it comes", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    liar.on("exec", ({ id }) => {
      const chunk = liar.frame(liar.chunk(id, "result-body", Buffer.alloc(4_000_000, 0x61)));
      for (let sent = 0; sent < 100; sent += 1) liar.bytes(chunk);
    });
  }, []);
  const growthMb = await growthOf(async () => {
    const { ending } = await hostile.sandbox.exec("true");
    expect(ending).toMatchObject({ kind: "unknown", why: expect.stringMatching(/more than \d+ bytes/) });
  });
  expect(growthMb).toBeLessThan(250);
  await expectGone(hostile);
});
