/** Bodies of JSON that are not what they should be: answers about files and walls, and the shell's state. */
import { expect, test } from "vitest";
import type { HarnessSandbox } from "../../src/index.ts";
import { expectDead, expectGone, openHostile, openProgram, watchHost } from "./host.ts";
import { toProgramOnce } from "./scenario.ts";

watchHost();

const kind = { isFile: true, isDirectory: false, isSymbolicLink: false };

/** One wrong shape each; `test/unit/parent/file-answers.test.ts` has the others. */
const calls: [string, (fs: HarnessSandbox["fs"]) => Promise<unknown>, string][] = [
  ["stat", (fs) => fs.stat("/w/a"), JSON.stringify({ ...kind, mode: 0o644, size: -1, mtimeMs: 0 })],
  ["lstat", (fs) => fs.lstat("/w/a"), "{"],
  ["readdir", (fs) => fs.readdir("/w"), JSON.stringify([{ ...kind, name: "../../etc/passwd" }])],
  ["exists", (fs) => fs.exists("/w/a"), '"true"'],
  ["realpath", (fs) => fs.realpath("/w/a"), '"../x"'],
  ["readlink", (fs) => fs.readlink("/w/a"), ""],
  ["glob", (fs) => fs.glob("*"), "[1]"],
];

for (const [name, call, json] of calls) {
  test(`a wrong answer to fs.${name} ends the sandbox`, async () => {
    const hostile = await openHostile(
      (liar, body: string) => {
        liar.hello();
        liar.on("fs", ({ id }) => liar.answer(id, {}, body));
      },
      [json],
    );
    const why = `The worker's answer to fs.${name} has the wrong shape.`;
    await expect(call(hostile.sandbox.fs)).rejects.toMatchObject({ code: "PROTOCOL_BROKEN", message: why });
    await expectDead(hostile, "PROTOCOL_BROKEN", why);
  });
}

test("an answer about a file that is larger than any such answer ends the sandbox", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    liar.on("fs", ({ id }) => liar.answer(id, {}, `"${"x".repeat(2_000_000)}"`));
  }, []);
  await expect(hostile.sandbox.fs.stat("/w/a")).rejects.toMatchObject({ code: "PROTOCOL_BROKEN" });
  await expectGone(hostile);
});

test("a wrong report on walls ends the sandbox, also in the middle of a command", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    liar.on("isolation", ({ id }) => liar.answer(id, {}, '{"all":"fine"}'));
  }, []);
  const why = "The worker's report on its isolation is no list of walls.";
  expect(await hostile.sandbox.exec("true")).toMatchObject({
    exitCode: 126,
    ending: { kind: "unknown", why },
  });
  await expect(hostile.sandbox.isolation()).rejects.toMatchObject({ code: "PROTOCOL_BROKEN", message: why });
  await expectDead(hostile, "PROTOCOL_BROKEN", why);
});

test("a report on walls that never comes is an error in bounded time", { timeout: 10_000 }, async () => {
  const hostile = await openHostile(
    (liar) => {
      liar.hello();
      liar.ignore("isolation");
    },
    [],
    { limits: { startTimeoutMs: 1_000 } },
  );
  await expect(hostile.sandbox.isolation()).rejects.toThrow(/within 1000 ms/);
  await expectGone(hostile);
});

for (const json of ["{", "null", '{"cwd":"/w"}']) {
  test(`a shell's state that is ${json} ends the sandbox and is not kept`, async () => {
    const hostile = await openHostile(
      (liar, body: string) => {
        liar.hello();
        liar.on("exec", ({ id }) => liar.answer(id, liar.exited({ stateChanged: true }), body));
      },
      [json],
    );
    const why = "The worker's report on the shell's state has the wrong shape.";
    expect(await hostile.sandbox.exec("true")).toMatchObject({
      exitCode: 126,
      ending: { kind: "unknown", why },
    });
    await expectDead(hostile, "PROTOCOL_BROKEN", why);
  });
}

test("a state that the worker does not send is lost with it, and the next command says so", async () => {
  const hostile = await openProgram(
    toProgramOnce((liar) => {
      liar.hello();
      let turn = 0;
      liar.on("exec", ({ id }) => {
        turn += 1;
        if (turn === 1) liar.answer(id, liar.exited({ stateChanged: true }));
        else liar.exit(1);
      });
    }),
  );
  expect(await hostile.sandbox.exec("x=1")).toMatchObject({ exitCode: 0 });
  expect(await hostile.sandbox.exec("true")).toMatchObject({ exitCode: 126 });
  expect(await hostile.sandbox.exec("echo $x")).toMatchObject({ stdout: "\n", stateRestored: false });
  await expectGone(hostile);
});

test("a script that ended over a name which was never planted ends the sandbox", async () => {
  const hostile = await openHostile((liar) => {
    liar.hello();
    liar.ignore("isolation");
    liar.on("exec", ({ id }) => liar.answer(id, liar.exited({ exitCode: 126, ending: "tier", why: "git" })));
  }, []);
  const why = "The worker named a trip wire that it was not given.";
  expect(await hostile.sandbox.exec("true")).toMatchObject({
    exitCode: 126,
    ending: { kind: "unknown", why },
  });
  await expectDead(hostile, "PROTOCOL_BROKEN", why);
});
