/**
 * The programs of `test/fixtures/seed-blocks/blocks.md`, `docs/host.md` and `docs/remote-session.md`, word for word,
 * against the built package.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { tempDirForFile } from "../helpers/temp-dir.ts";

/** What stands around a block: types for what it takes for granted, and a program that uses what it made. */
interface Around {
  /** Before it, for the type check. */
  readonly types?: string;
  /** Before it, when it is run. */
  readonly before?: string;
  /** Behind it, when it is run; prints a line of JSON. */
  readonly after: string;
  readonly prints: unknown;
  /** Of the machine, when it is run: a directory or a port that another program may have. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

const MODEL_TYPE = 'import type { LanguageModel } from "ai";\ndeclare const model: LanguageModel;\n';

/** A model that runs one command and is done. */
const MODEL = `
  import { MockLanguageModelV3 } from "ai/test";
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const call = { type: "tool-call", toolCallId: "c1", toolName: "bash", input: '{"command":"echo 42 > a; cat a"}' };
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => prompt.some(({ role }) => role === "tool")
      ? { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] }
      : { content: [call], finishReason: { unified: "tool-calls" }, usage, warnings: [] },
  });
`;

/** Runs a harness and tells in which mode its turn was and which files came of it. */
const RUN = `
  import { generateHarness } from "@little-stack/harness";
  async function run(harness) {
    const events = [];
    const { text } = await generateHarness({ harness, prompt: "go", onEvent: (event) => events.push(event) });
    return [text, events[0].sandboxMode, ...events.flatMap((event) => event.path ?? [])];
  }
`;

const AROUND: Readonly<Record<string, Around>> = {
  "choosing-a-mode": {
    types: MODEL_TYPE,
    before: MODEL + RUN,
    after: "console.log(JSON.stringify([await run(coder), await run(reader)]));",
    prints: [
      ["done", "subprocess", "/session/a"],
      ["done", "just-bash", "/session/a"],
    ],
  },
  "workspace-specs": {
    before: `
      import { localHost } from "@little-stack/harness";
      globalThis.session = await localHost().createSession({ id: "s" });`,
    after:
      "console.log(JSON.stringify(workspace.mounts.map(({ path, access, tracked }) => [path, access, tracked])));",
    prints: [
      ["/session", "rw", true],
      ["/artifacts", "rw", true],
      ["/persistent", "rw", true],
      ["/.agents", "ro", false],
    ],
  },
  "child-process": {
    types: MODEL_TYPE,
    before: MODEL + RUN,
    after: "console.log(JSON.stringify(await run(harness)));",
    prints: ["done", "custom", "/session/a"],
  },
  "custom-environment": {
    before: 'import { openSandbox } from "@little-stack/harness";',
    after: `
      await using sandbox = await openSandbox({ mounts: { "/w": "." }, sandbox: myRemoteSandbox() });
      const { exitCode, stderr, ending } = await sandbox.exec("true");
      console.log(JSON.stringify({ exitCode, stderr, ending }));`,
    prints: { exitCode: 1, stderr: "not implemented", ending: { kind: "exited" } },
  },
  "session-log": {
    types: `
      import type { Harness } from "@little-stack/harness";
      import type { ModelMessage } from "ai";
      declare const harness: Harness;
      declare const messages: ModelMessage[];
    `,
    before: `
      import { createHarness, localHost } from "@little-stack/harness";
      import { MockLanguageModelV3 } from "ai/test";
      process.env.SESSION_LOG_TOKEN = "a-token";
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
      let calls = 0;
      const model = new MockLanguageModelV3({
        doGenerate: async () => {
          calls++;
          return { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" }, usage, warnings: [] };
        },
      });
      const harness = createHarness({ model, host: localHost() });
      const messages = [{ role: "user", content: "go" }];`,
    after: `
      const log = remoteSessionLog({ baseUrl: server.url, authToken: process.env.SESSION_LOG_TOKEN });
      const again = await generateHarness({ harness, messages, runId: "run_123", sessionLog: log });
      console.log(JSON.stringify([result.text, again.text, calls, (await log.read("run_123")).at(-1).type]));
      await server.close();
      process.exit();`,
    prints: ["done", "done", 1, "harness.run.completed"],
    elsewhere: { "/var/lib/harness/": "./", "port: 8787": "port: 0" },
  },
  orchestration: {
    after: `
      const turn = await host.prepareTurn();
      console.log(JSON.stringify([turn.orchestration === host.orchestration, Object.keys(turn.orchestration).length > 0]));
      await turn.dispose();`,
    prints: [true, true],
  },
  "document-of-the-host": {
    after: `
      const { readdirSync } = await import("node:fs");
      console.log(JSON.stringify([readdirSync(session.persistentDir + "/notes"), readdirSync(session.artifactsDir)]));`,
    prints: [["sizes.txt"], ["report.txt"]],
  },
  "document-of-the-log": {
    before: 'process.env.SESSION_LOG_TOKEN = "a-token";',
    after: "console.log(JSON.stringify([event.sequence, event.type]));",
    prints: [1, "step.started"],
  },
};

const text = readFileSync(join(root, "test/fixtures/seed-blocks/blocks.md"), "utf8");
const shownIn = (document: string): string =>
  /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(join(root, document), "utf8"))?.[1] ?? "";
const blocks = [
  ...[...text.matchAll(/^## (.+)\n\n```ts\n([\s\S]*?)^```/gm)].map(([, name = "", code = ""]) => ({
    name,
    code,
  })),
  { name: "document-of-the-host", code: shownIn("docs/host.md") },
  { name: "document-of-the-log", code: shownIn("docs/remote-session.md") },
];

const project = tempDirForFile();

beforeAll(() => {
  mkdirSync(join(project, "node_modules/@little-stack"), { recursive: true });
  symlinkSync(root, join(project, "node_modules/@little-stack/harness"));
  for (const name of ["ai", "@types"])
    symlinkSync(join(root, "node_modules", name), join(project, "node_modules", name));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
});

test("each block has something around it, and the other way round", () => {
  expect(blocks.map(({ name }) => name)).toEqual(Object.keys(AROUND));
});

test("each block type-checks as it stands, as strictly as can be", () => {
  for (const { name, code } of blocks)
    writeFileSync(join(project, `${name}.ts`), `${AROUND[name]?.types ?? ""}${code}\nexport {};\n`);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    types: ["node"],
    noEmit: true,
    skipLibCheck: true,
  };
  const files = blocks.map(({ name }) => `${name}.ts`);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const { stdout } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], {
    cwd: project,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
});

test.each(blocks)("the block $name runs and does what it says", ({ name, code }) => {
  const { before = "", after = "", elsewhere = {}, prints } = AROUND[name] ?? {};
  const here = Object.entries(elsewhere).reduce((text, [from, to]) => text.replace(from, to), code);
  const program = transformSync(`${before}\n${here}\n${after}`, { loader: "ts", target: "node20.18" }).code;
  writeFileSync(join(project, `${name}.mjs`), program);
  const { stdout, stderr } = spawnSync(process.execPath, [`${name}.mjs`], {
    cwd: project,
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  expect(stderr).toBe("");
  const json = stdout.split("\n").findLast((line) => /^[[{]/.test(line)) ?? "";
  expect(JSON.parse(json)).toEqual(prints);
});
