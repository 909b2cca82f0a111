/**
 * Bytes that no peer may send. Each ends its sandbox, with one reason for every later call, and nothing else. One
 * table after the other, hence the length.
 */
import { expect, test } from "vitest";
import { expectDead, openHostile, watchHost } from "./host.ts";
import type { Liar, Scenario } from "./scenario.ts";

watchHost();

const BROKEN = "PROTOCOL_BROKEN";

async function endsSandbox<A extends readonly unknown[]>(
  scenario: Scenario<A>,
  args: A,
  why: RegExp,
  code = BROKEN,
): Promise<void> {
  const hostile = await openHostile(scenario, args);
  const { exitCode, ending, stdout } = await hostile.sandbox.exec("true");
  expect([exitCode, ending.kind, stdout]).toEqual([126, "unknown", ""]);
  const told = ending.kind === "unknown" ? ending.why : "";
  expect(told).toMatch(why);
  expect(told.length).toBeLessThan(1_000);
  await expectDead(hostile, code, told);
}

const first: [string, RegExp, Scenario][] = [
  ["text", /frame of \d+ bytes is announced/, (liar) => liar.bytes("Debugger listening on ws://")],
  ["a length of 4 GB", /frame of 4294967295 bytes/, (liar) => liar.bytes([255, 255, 255, 255])],
  ["a length just above the cap", /frame of 4194305 bytes/, (liar) => liar.bytes([1, 0, 64, 0])],
  ["an empty frame", /a value cut short/, (liar) => liar.bytes([0, 0, 0, 0])],
  ["a frame that is no map", /expected one of hello/, (liar) => liar.send("hello")],
  ["an answer before the hello", /not a hello/, (liar) => liar.send(liar.result(1, {}))],
  [
    "two hellos",
    /second hello/,
    (liar) => {
      liar.hello();
      liar.hello();
    },
  ],
  ["a hello with a field more", /unknown field "more"/, (liar) => liar.hello({ more: 1 })],
  ["a hello whose version is text", /expected a whole number/, (liar) => liar.hello({ version: "1" })],
];

for (const [what, why, scenario] of first) {
  test(`${what} in place of the hello ends the sandbox`, () => endsSandbox(scenario, [], why));
}

const others: [string, RegExp, Record<string, unknown>][] = [
  ["version", /version 2,/, { version: 2 }],
  ["build", /build "other"/, { buildId: "other" }],
  ["build, 3 MB of it", /build "x{80}"/, { buildId: "x".repeat(3_000_000) }],
];

for (const [what, why, changes] of others) {
  test(`a hello of another ${what} is refused and says what to do`, async () => {
    const scenario = (liar: Liar, given: Record<string, unknown>): void => liar.hello(given);
    await endsSandbox(scenario, [changes], why, "WORKER_VERSION");
  });
}

/** Starts of values that the wire does not carry; each stands as the result of a command. */
const values: [string, number[]][] = [
  ["a fixext that msgpackr takes for a record's definition", [0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 1]],
  ["an ext of 4 GB", [0xc9, 255, 255, 255, 255, 1]],
  ["a 64-bit integer", [0xcf, 0, 0, 0, 0, 0, 0, 0, 1]],
  ["an array of 4 G values", [0xdd, 255, 255, 255, 255]],
  ["text of 4 GB", [0xdb, 255, 255, 255, 255]],
  ["a key twice", [0x82, 0xa1, 0x61, 1, 0xa1, 0x61, 2]],
  ["a second value in the frame", [0x80, 0x80]],
  ...["__proto__", "constructor"].map((key): [string, number[]] => [
    `the key ${key}`,
    [0x81, 0xa0 | key.length, ...Buffer.from(key), 0x81, 0xa8, ...Buffer.from("polluted"), 1],
  ]),
];

for (const [what, bytes] of values) {
  test(`${what} in an answer ends the sandbox and leaves no trace on the host's objects`, async () => {
    await endsSandbox(
      (liar, value: number[]) => {
        liar.hello();
        liar.on("exec", ({ id }) => liar.bytes(liar.resultOf(id, value)));
      },
      [bytes],
      /The wire carries plain data only/,
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((Object as { polluted?: unknown }).polluted).toBeUndefined();
  });
}

const answers: [string, RegExp, Scenario][] = [
  [
    "200,000 arrays in each other",
    /more than 32 levels/,
    (liar) => {
      liar.hello();
      const nested = Buffer.alloc(200_001, 0x91);
      liar.on("exec", ({ id }) => liar.bytes(liar.resultOf(id, nested)));
    },
  ],
  [
    "4 MB of empty maps",
    /more than 100000 values/,
    (liar) => {
      liar.hello();
      const maps = Buffer.alloc(4_000_000, 0x80);
      maps[0] = 0xdd;
      maps.writeUInt32BE(maps.length - 5, 1);
      liar.on("exec", ({ id }) => liar.bytes(liar.resultOf(id, maps)));
    },
  ],
  [
    "an answer nobody asked for",
    /result for request 77, which is not open/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send(liar.result(77, liar.exited())));
    },
  ],
  [
    "a failure nobody asked for",
    /failure for request 77/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send({ kind: "failure", id: 77, error: { code: "E", message: "m" } }));
    },
  ],
  [
    "output nobody asked for",
    /stdout for request 77/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.output(77, "lies"));
    },
  ],
  [
    "a body nobody asked for",
    /No request 77 waits for its body/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send(liar.chunk(77, "request-body", "lies")));
    },
  ],
  [
    "the answer of another request",
    /exec result: unknown field|exec result.exitCode/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.answer(id, { engine: "e", defense: "d", stateRestored: true }));
    },
  ],
  [
    "output of a request that is no command",
    /"isolation" \d+ has no stdout/,
    (liar) => {
      liar.hello();
      liar.on("isolation", ({ id }) => liar.output(id, "lies"));
    },
  ],
  [
    "an exit code that is text",
    /exitCode: expected a whole number/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.answer(id, liar.exited({ exitCode: "0" })));
    },
  ],
  [
    "an ending that does not exist",
    /expected one of exited, limit, failed/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.answer(id, liar.exited({ ending: "killed" })));
    },
  ],
  [
    "a body shorter than the answer says",
    /announces 9 bytes; 1 came/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) =>
        liar.send(liar.chunk(id, "result-body", "x"), liar.result(id, liar.exited(), 9)),
      );
    },
  ],
  [
    "an empty chunk",
    /at least one byte/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.output(id, ""));
    },
  ],
  [
    "a kind of frame that does not exist",
    /expected one of hello/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send({ kind: "eval", code: "process.exit()" }));
    },
  ],
  [
    "an id that is no whole number",
    /expected an id from 1 up/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send(liar.result(1.5, {})));
    },
  ],
  [
    "a field that nobody knows",
    /unknown field "extra"/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.send({ ...liar.result(id, liar.exited()), extra: 1 }));
    },
  ],
  [
    "a request of the parent's kind",
    /no request "exec"/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id, params }) =>
        liar.send({ kind: "request", id, name: "exec", params, bodyBytes: 0 }),
      );
    },
  ],
  [
    "a request named constructor",
    /no request "constructor"/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.send({ ...liar.toolCall(id, "t"), name: "constructor" }));
    },
  ],
  [
    "a tool call of another shape",
    /execId: expected a whole number/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send({ ...liar.toolCall(1, "t"), params: { execId: "1", path: "t" } }));
    },
  ],
  [
    "an id twice",
    /Request id 1 came after 1/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        const call = liar.toolCall(id, "t", 9);
        liar.send(call, call);
      });
    },
  ],
  [
    "more body than announced",
    /more body than announced/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.send(liar.toolCall(id, "t", 2), liar.chunk(1, "request-body", "xxx")));
    },
  ],
  [
    "a body of 8 PB",
    /A body of 9007199254740991 bytes/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.send(liar.toolCall(id, "t", Number.MAX_SAFE_INTEGER)));
    },
  ],
  [
    "a cancel of a request never made",
    /cancel of request 5, never made/,
    (liar) => {
      liar.hello();
      liar.on("exec", () => liar.send({ kind: "cancel", id: 5 }));
    },
  ],
  [
    "100,000 tool calls that never get their body",
    /More than 1024 requests are open/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => {
        for (let made = 0; made < 100_000; made += 1) liar.send(liar.toolCall(id, "t", 1));
      });
    },
  ],
];

for (const [what, why, scenario] of answers) {
  test(`${what} ends the sandbox`, () => endsSandbox(scenario, [], why));
}

/** Lies about a command that has its answer: the answer stands, the sandbox does not. */
const after: [string, RegExp, Scenario][] = [
  [
    "a second answer",
    /result for request \d+, which is not open/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) => liar.send(liar.result(id, liar.exited()), liar.result(id, liar.exited())));
    },
  ],
  [
    "another answer",
    /failure for request \d+, which is not open/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) =>
        liar.send(liar.result(id, liar.exited()), {
          kind: "failure",
          id,
          error: { code: "E", message: "m" },
        }),
      );
    },
  ],
  [
    "output",
    /stdout for request \d+, which is not open/,
    (liar) => {
      liar.hello();
      liar.on("exec", ({ id }) =>
        liar.send(liar.result(id, liar.exited()), liar.chunk(id, "stdout", "late")),
      );
    },
  ],
];

for (const [what, why, scenario] of after) {
  test(`${what} behind the answer changes no result and ends the sandbox`, async () => {
    const hostile = await openHostile(scenario, []);
    expect(await hostile.sandbox.exec("true")).toMatchObject({
      exitCode: 0,
      ending: { kind: "exited" },
      stdout: "",
    });
    const { ending } = await hostile.sandbox.exec("true");
    const told = ending.kind === "unknown" ? ending.why : "";
    expect(told).toMatch(why);
    await expectDead(hostile, BROKEN, told);
  });
}
