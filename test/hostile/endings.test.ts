/** Workers that keep the law and still do not do what they should: the ending is the true one, in bounded time. */
import { expect, test } from "vitest";
import { until } from "../helpers/processes.ts";
import { expectGone, openHostile, openProgram, watchHost } from "./host.ts";
import { type Scenario, toProgramOnce } from "./scenario.ts";

watchHost();

/** Enough for a good worker to start on a busy machine. */
const SHORT = { startTimeoutMs: 3_000, timeoutMs: 1_500 };

/** Does it when it is started first; the next command must find a good worker. */
const mishaps: [string, object, Scenario, { timeoutMs: number }?][] = [
  [
    "says nothing after its hello",
    { exitCode: 126, ending: { kind: "unknown", why: expect.stringContaining("within 3000 ms") } },
    (liar) => {
      liar.hello();
      liar.ignore("open", "isolation");
    },
    { timeoutMs: 20_000 },
  ],
  [
    "says nothing after the command",
    { exitCode: 124, ending: { kind: "killed", by: "deadline" } },
    (liar) => liar.hello(),
  ],
  [
    "answers with half a frame",
    { exitCode: 124, ending: { kind: "killed", by: "deadline" } },
    (liar) => {
      liar.hello();
      liar.ignore("isolation");
      liar.on("exec", ({ id }) => {
        const answer = liar.frame(liar.result(id, liar.exited()));
        liar.bytes(answer.subarray(0, answer.length - 1));
      });
    },
  ],
  [
    "exits with code 0 before its hello",
    { exitCode: 126, ending: { kind: "unknown", why: expect.stringContaining("exited (code 0)") } },
    (liar) => liar.exit(0),
  ],
  [
    "exits with code 0 inside a command, after some output",
    {
      exitCode: 126,
      stdout: "half",
      ending: { kind: "unknown", why: expect.stringContaining("exited (code 0)") },
    },
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        liar.output(id, "half");
        liar.exit(0);
      });
    },
  ],
  [
    "exits inside a frame",
    { exitCode: 126, stdout: "", ending: { kind: "unknown", why: expect.stringContaining("(code 3)") } },
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        liar.bytes(liar.frame(liar.result(id, liar.exited())).subarray(0, 20));
        liar.exit(3);
      });
    },
  ],
  [
    "closes its output and lives on",
    { exitCode: 126, ending: { kind: "unknown", why: expect.stringContaining("closed its output") } },
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.closeOutput());
    },
  ],
  [
    "cannot open the workspace, it says",
    { exitCode: 126, ending: { kind: "unknown", why: expect.stringContaining("no such thing") } },
    (liar) => {
      liar.hello();
      liar.on("open", ({ id }) =>
        liar.send({ kind: "failure", id, error: { code: "E", message: "no such thing" } }),
      );
    },
  ],
];

for (const [what, result, scenario, options = {}] of mishaps) {
  test(`a worker that ${what} gives the true ending, and the next command a new worker`, async () => {
    const hostile = await openProgram(toProgramOnce(scenario), { limits: SHORT });
    expect(await hostile.sandbox.exec("echo lost", options)).toMatchObject(result);
    expect(await hostile.sandbox.exec("echo fine", { timeoutMs: 20_000 })).toMatchObject({
      stdout: "fine\n",
      exitCode: 0,
      ending: { kind: "exited" },
    });
    expect(hostile.starts()).toBe(2);
    await expectGone(hostile);
  });
}

test("a frame that comes byte by byte is a frame", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    liar.on("exec", ({ id }) => {
      liar.output(id, "whole");
      for (const byte of liar.frame(liar.result(id, liar.exited({ exitCode: 3 })))) liar.bytes([byte]);
    });
  }, []);
  expect(await hostile.sandbox.exec("true")).toMatchObject({
    exitCode: 3,
    stdout: "whole",
    ending: { kind: "exited" },
  });
  await expectGone(hostile);
});

test("a worker that lets every command be lost is not started again and again", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    if (liar.turn > 1) {
      liar.on("open", ({ id }) => {
        // The command that follows meets a closed pipe, which looks as if it never arrived.
        liar.closeInput();
        liar.answer(id, { engine: "liar", defense: "none", stateRestored: true });
        setTimeout(() => liar.exit(0), 50);
      });
      return;
    }
    // Waits for the report on walls: with a second call open no command is sent again.
    let execId = 0;
    let asked = 0;
    const end = (): void => {
      if (execId === 0 || asked === 0) return;
      liar.closeInput();
      liar.answer(asked, {}, "[]");
      liar.answer(execId, liar.exited());
      setTimeout(() => liar.exit(0), 500);
    };
    liar.on("exec", ({ id }) => {
      execId = id;
      end();
    });
    liar.on("isolation", ({ id }) => {
      asked = id;
      end();
    });
  }, []);
  expect(await hostile.sandbox.exec("true")).toMatchObject({ exitCode: 0 });
  expect(await hostile.sandbox.exec("true")).toMatchObject({ exitCode: 126, ending: { kind: "unknown" } });
  expect(hostile.starts()).toBeLessThanOrEqual(3);
  await expectGone(hostile);
});

test("a worker that ignores the end of its input and TERM is gone after dispose", async () => {
  const hostile = await openHostile((liar) => {
    liar.stayForEver();
    liar.hello();
    liar.on("exec", ({ id }) => liar.answer(id, liar.exited()));
  }, []);
  expect(await hostile.sandbox.exec("true")).toMatchObject({ exitCode: 0 });
  expect(hostile.pids()).toHaveLength(1);
  await expectGone(hostile);
});

test("dispose does not wait for a worker that never says hello", async () => {
  const hostile = await openHostile((liar) => liar.stayForEver(), [], {
    limits: { startTimeoutMs: 25_000, timeoutMs: 25_000 },
  });
  const reading = hostile.sandbox.fs.readFile("/w/a");
  const outcome = reading.catch(({ code }: { code: string }) => code);
  await until(() => hostile.starts() === 1);
  await expectGone(hostile);
  expect(await outcome).toBe("SANDBOX_DISPOSED");
}, 10_000);

test("a process that the worker leaves in its group ends with the worker", async () => {
  const hostile = await openHostile((liar) => {
    liar.leaveBehind();
    liar.hello();
  }, []);
  const running = hostile.sandbox.exec("true", { timeoutMs: 1_500 });
  await until(() => hostile.pids().length === 2);
  const result = await running;
  expect(result).toMatchObject({ exitCode: 124, ending: { kind: "killed", by: "deadline" } });
  await expectGone(hostile);
});

test("frames on stderr are diagnostics and nothing else", async () => {
  let said = 0;
  const hostile = await openHostile(
    (liar) => {
      const lies = liar.frame(liar.chunk(2, "stdout", "x".repeat(1_000)));
      const flood = Buffer.concat(new Array<Uint8Array>(5_000).fill(lies));
      liar.say(liar.frame({ kind: "hello", version: 1, buildId: "other" }));
      liar.hello();
      liar.on("exec", ({ id }) => {
        liar.say(flood);
        liar.say(liar.frame(liar.result(id, liar.exited({ exitCode: 9 }))));
        liar.answer(id, liar.exited());
      });
    },
    [],
    {
      onDiagnostic: (text) => {
        said += text.length;
      },
    },
  );
  expect(await hostile.sandbox.exec("true")).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "",
    ending: { kind: "exited" },
  });
  expect(said).toBeGreaterThan(1_000_000);
  await expectGone(hostile);
});

test("megabytes of reason for a failure are cut", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    const much = "x".repeat(3_000_000);
    let turn = 0;
    liar.on("exec", ({ id }) => {
      turn += 1;
      if (turn === 1) liar.send({ kind: "failure", id, error: { code: "E", message: much, data: { much } } });
      else liar.answer(id, liar.exited({ ending: "failed", why: much }));
    });
  }, []);
  for (const _ of [1, 2]) {
    const { ending, exitCode, stderr } = await hostile.sandbox.exec("true");
    expect([exitCode, ending.kind]).toEqual([126, "unknown"]);
    expect((ending.kind === "unknown" ? ending.why : "").length).toBeLessThan(5_000);
    expect(stderr.length).toBeLessThan(5_000);
  }
  await expectGone(hostile);
});
