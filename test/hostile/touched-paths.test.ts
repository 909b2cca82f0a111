/** A worker that lies about what it is going to change: what is on disk is told all the same. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { HarnessEvent } from "../../src/index.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { expectDead, expectGone, openHostile, watchHost } from "./host.ts";
import { expectPathsBounded } from "./many-paths.ts";
import type { Liar } from "./scenario.ts";

watchHost();

/** Touches, writes into the mount as an escaped guest can, and answers. `steps` are played one after another. */
type Step = { touch: string[] } | { write: string; text: string } | { remove: string };

function play(liar: Liar, steps: Step[]): void {
  const fs = process.getBuiltinModule("node:fs");
  let mount = "";
  let execId = 0;
  let lastId = 0;
  const next = (): void => {
    const step = steps.shift();
    if (step === undefined) {
      liar.answer(execId, liar.exited());
      return;
    }
    if ("touch" in step) {
      const params = { execId, paths: step.touch };
      liar.send({ kind: "request", id: ++lastId, name: "touch", params, bodyBytes: 0 });
      return;
    }
    if ("write" in step) fs.writeFileSync(mount + step.write, step.text);
    else fs.rmSync(mount + step.remove);
    next();
  };
  liar.hello();
  liar.on("open", ({ id, params }) => {
    const { mounts } = params.workspace as { mounts: { backingPath: string }[] };
    mount = `${mounts[0]?.backingPath}/`;
    liar.answer(id, { engine: "e", defense: "d", stateRestored: true });
  });
  liar.on("exec", ({ id }) => {
    execId = id;
    next();
  });
  liar.on("result", next);
}

async function openTracked(steps: Step[], fill: Record<string, string> = {}) {
  const directory = tempDir();
  for (const [name, text] of Object.entries(fill)) writeFileSync(join(directory, name), text);
  const hostile = await openHostile(play, [steps], { mounts: { "/w": directory } });
  const unreported = () =>
    hostile.events.flatMap((event) =>
      isFile(event) && event.unreported ? [`${event.type.slice(13)} ${event.path}`] : [],
    );
  return { ...hostile, hostile, directory, unreported };
}

const isFile = (event: HarnessEvent): event is HarnessEvent & { path: string; unreported?: true } =>
  event.type.startsWith("harness.file.");
const told = ({ changes }: { changes: readonly { change: string; path: string }[] }): string[] =>
  changes.map(({ change, path }) => `${change} ${path}`);

test("invented paths are no changes, and paths outside the mounts nobody's business", async () => {
  const outside = tempDir();
  writeFileSync(join(outside, "secret"), "s");
  const { hostile, sandbox, events } = await openTracked([
    {
      touch: [
        "/w/none",
        "/w/none/below",
        "/etc/passwd",
        `${outside}/secret`,
        "/",
        "/proc/self/environ",
        "/w/a\\udcff",
      ],
    },
    { write: "real", text: "1" },
  ]);
  expect(told(await sandbox.exec("true"))).toEqual(["created /w/real"]);
  await expectGone(hostile);
  expect(events.filter(isFile)).toHaveLength(1);
});

test("what a worker changes without a word is told at the end, as nobody's", async () => {
  const { hostile, sandbox, unreported } = await openTracked(
    [
      { touch: ["/w/told"] },
      { write: "told", text: "1" },
      { write: "hidden", text: "1" },
      { write: "same-size", text: "bbbb" },
      { remove: "gone" },
    ],
    { "same-size": "aaaa", gone: "1", untouched: "1" },
  );
  expect(told(await sandbox.exec("true"))).toEqual(["created /w/told"]);
  await expectGone(hostile);
  expect(unreported()).toEqual(["deleted /w/gone", "created /w/hidden", "modified /w/same-size"]);
});

test("a path that is named only after it was changed does not become unchanged by that", async () => {
  const { hostile, sandbox, unreported } = await openTracked(
    [{ write: "f", text: "2" }, { touch: ["/w/f"] }],
    { f: "1" },
  );
  expect(told(await sandbox.exec("true"))).toEqual([]);
  await expectGone(hostile);
  expect(unreported()).toEqual(["modified /w/f"]);
});

test("a path that is named twice is still what it was when it was named first", async () => {
  const { hostile, sandbox, unreported } = await openTracked(
    [{ touch: ["/w/f"] }, { write: "f", text: "2" }, { touch: ["/w/f"] }, { touch: ["/w"] }],
    { f: "1" },
  );
  expect(told(await sandbox.exec("true"))).toEqual(["modified /w/f"]);
  await expectGone(hostile);
  expect(unreported()).toEqual([]);
});

test("a link does not lead the parent's look out of the mount", async () => {
  const outside = tempDir();
  writeFileSync(join(outside, "secret"), "s");
  const { hostile, sandbox, directory, events } = await openTracked([{ touch: ["/w/out/secret"] }]);
  symlinkSync(outside, join(directory, "out"));
  expect(told(await sandbox.exec("true"))).toEqual([]);
  await expectGone(hostile);
  expect(JSON.stringify(events)).not.toContain("secret");
});

test.each([
  [["w/relative"], "not absolute and normalised"],
  [["/w/../etc/passwd"], "not absolute and normalised"],
  [["/w//a"], "not absolute and normalised"],
  [['/w/"a'], "not absolute and normalised"],
  [["/w/a\\u0000b"], "not absolute and normalised"],
  [new Array(5_000).fill("/w/a"), "at most 4096"],
])("a path that no worker names ends the sandbox (%#)", async (paths, why) => {
  const { hostile, sandbox } = await openTracked([{ touch: paths }]);
  const { ending, stderr } = await sandbox.exec("true");
  expect(ending).toMatchObject({ kind: "unknown", why: expect.stringContaining(why) });
  expect(stderr).toContain(why);
  await expectDead(hostile, "PROTOCOL_BROKEN", (ending as { why: string }).why);
});

test("more paths than the host remembers cost bounded memory, and what is changed then is still told", () =>
  expectPathsBounded(104_000));
