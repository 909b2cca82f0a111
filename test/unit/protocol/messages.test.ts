import { expect, test } from "vitest";
import { FS_OPERATIONS, parentRequests, workerRequests } from "../../../src/protocol/messages.ts";
import { execParams, exited, fsParams, openParams } from "./peers.ts";

/** One good value for every check there is. */
const samples: Record<string, { params: object; result: object }> = {
  open: { params: openParams, result: { engine: "e", defense: "d", stateRestored: true } },
  exec: { params: execParams, result: exited },
  fs: { params: fsParams, result: {} },
  isolation: { params: {}, result: {} },
  "tool.call": { params: { execId: 1, path: "a.b" }, result: {} },
  touch: { params: { execId: 1, paths: ["/w/a"] }, result: {} },
};
const table = { ...parentRequests, ...workerRequests } as Record<
  string,
  { params: (value: unknown, at: string) => unknown; result: (value: unknown, at: string) => unknown }
>;

test("the wire has these requests and no others", () => {
  expect(Object.keys(parentRequests)).toEqual(["open", "exec", "fs", "isolation"]);
  expect(Object.keys(workerRequests)).toEqual(["tool.call", "touch"]);
  expect(Object.keys(samples).sort()).toEqual(Object.keys(table).sort());
});

for (const [name, checks] of Object.entries(table)) {
  for (const part of ["params", "result"] as const) {
    const sample = samples[name]?.[part] ?? {};
    const check = checks[part];

    test(`${name} ${part}: a good one comes out equal and fresh`, () => {
      const copy = check(sample, name);
      expect(copy).toEqual(sample);
      expect(copy).not.toBe(sample);
    });

    test(`${name} ${part}: every field is needed, and none beside them is taken`, () => {
      for (const field of Object.keys(sample)) {
        const { [field]: _left, ...rest } = sample as Record<string, unknown>;
        expect(() => check(rest, name)).toThrow(new RegExp(`^${name.replace(".", "\\.")}\\.${field}: `));
      }
      expect(() => check({ ...sample, more: 1 }, name)).toThrow('unknown field "more"');
    });

    test(`${name} ${part}: a field of another kind is refused by name`, () => {
      for (const field of Object.keys(sample)) {
        expect(() => check({ ...sample, [field]: new Uint8Array(1) }, name)).toThrow(`${name}.${field}`);
      }
      for (const other of [null, [], "x", 1, new Uint8Array(1)]) {
        expect(() => check(other, name)).toThrow(`${name}: expected an object`);
      }
    });
  }
}

test("a wrong value deep inside is named by its path", () => {
  const mounts = [{ path: "/w", backingPath: "/h", access: "rx", readOnlyPrefixes: [] }];
  const workspace = { ...openParams.workspace, mounts };
  expect(() => parentRequests.open.params({ ...openParams, workspace }, "open")).toThrow(
    'open.workspace.mounts[0].access: expected one of rw, ro, got the string "rx".',
  );
});

test("inherited fields do not count", () => {
  const inherited = Object.create({ execId: 1, path: "a" }) as object;
  expect(() => workerRequests["tool.call"].params(inherited, "tool.call")).toThrow("tool.call.execId");
});

test("maps with keys from outside come out without a prototype", () => {
  const { env } = parentRequests.exec.params(execParams, "exec");
  expect(Object.getPrototypeOf(env)).toBeNull();
});

test("what was there instead is told in a short line however long it is", () => {
  try {
    parentRequests.fs.params({ ...fsParams, op: "x".repeat(1_000_000) }, "fs");
    expect.unreachable();
  } catch (error) {
    expect((error as Error).message.length).toBeLessThan(500);
  }
});

test.each(FS_OPERATIONS)("fs can %s", (op) => {
  expect(parentRequests.fs.params({ ...fsParams, op }, "fs").op).toBe(op);
});
