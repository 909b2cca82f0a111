import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { LargeOutputs } from "../../../src/harness/large-output.ts";

/** What was written, by name. */
function keep(maxInlineBytes: number) {
  const files = new Map<string, Buffer>();
  const outputs = new LargeOutputs(
    {
      artifact: async (name, bytes) => {
        files.set(name, Buffer.from(bytes as Uint8Array));
        return { path: `/artifacts/${name}`, sizeBytes: bytes.length };
      },
    },
    maxInlineBytes,
  );
  return { files, outputs };
}

const bytes = (text: string) => Buffer.from(text);
const NONE = bytes("");

test("what fits is given whole, and no file is made", async () => {
  const { files, outputs } = keep(300);
  expect(await outputs.fitStreams("bash", bytes("a".repeat(300)), NONE)).toEqual({
    stdout: { text: "a".repeat(300) },
    stderr: { text: "" },
  });
  expect(files.size).toBe(0);
});

test("of what is larger the model gets head, tail and where the whole is, which is kept byte for byte", async () => {
  const { files, outputs } = keep(300);
  // Bytes that are no UTF-8 among them.
  const whole = Buffer.concat([bytes("head"), Buffer.alloc(1000, 0xff), bytes("tail")]);
  const { stdout } = await outputs.fitStreams("bash", whole, NONE);
  expect(stdout.text).toMatch(/^head.*bytes left out.*tail$/s);
  expect(stdout.kept).toEqual({
    artifact: "/artifacts/bash-stdout.txt",
    sizeBytes: 1008,
    sha256: createHash("sha256").update(whole).digest("hex"),
  });
  expect(files.get("bash-stdout.txt")?.equals(whole)).toBe(true);
});

test.each([301, 302, 303, 304, 305])("no character is cut in two (%i bytes)", async (maxInlineBytes) => {
  const { outputs } = keep(maxInlineBytes);
  const { stdout } = await outputs.fitStreams("bash", bytes("é€🙂".repeat(200)), NONE);
  expect(stdout.text).not.toContain("�");
});

test("a small stream leaves its room to the large one, two large ones have half each", async () => {
  const { outputs } = keep(1000);
  const lone = await outputs.fitStreams("bash", bytes("o".repeat(900)), bytes("e".repeat(100)));
  expect([lone.stdout.kept, lone.stderr.kept]).toEqual([undefined, undefined]);
  const { stdout, stderr } = await outputs.fitStreams(
    "bash",
    bytes("o".repeat(9000)),
    bytes("e".repeat(9000)),
  );
  expect(stdout.text.replace(/[^o]/g, "").length).toBeGreaterThan(490);
  expect(stderr.text.replace(/[^e]/g, "").length).toBeGreaterThan(450);
  expect(stdout.text.length + stderr.text.length).toBeLessThan(1100);
});

test("a tool's JSON stays a value when it fits, and `undefined` is null", async () => {
  const { outputs } = keep(300);
  expect(await outputs.fitJson("find", '{"a":[1]}')).toEqual({ a: [1] });
  expect(await outputs.fitJson("find", "")).toBeNull();
});

test("a large value becomes a .json file, a large string the text that it is", async () => {
  const { files, outputs } = keep(300);
  const json = JSON.stringify({ rows: "ab".repeat(500) });
  expect(await outputs.fitJson("find", json)).toMatchObject({
    artifact: "/artifacts/find.json",
    sizeBytes: json.length,
    summary: expect.stringMatching(/^\{"rows".*ab"\}$/s),
  });
  await outputs.fitJson("find", JSON.stringify("line\n".repeat(100)));
  expect(files.get("find.json")?.toString()).toBe(json);
  expect(files.get("find.txt")?.toString()).toBe("line\n".repeat(100));
});

test("a file that cannot be written is said, and head and tail are there all the same", async () => {
  const outputs = new LargeOutputs(
    { artifact: async () => Promise.reject(new Error("ENOSPC: no space left on device, write '/data/x'")) },
    300,
  );
  const { stdout } = await outputs.fitStreams("bash", bytes("a".repeat(5000)), NONE);
  expect(stdout.text).toMatch(/^a+\n\[/);
  expect(stdout.kept).toEqual({ notKept: expect.stringMatching(/no space left on device, write '<path>'$/) });
});
