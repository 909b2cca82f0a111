import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { execa } from "execa";
import { expect, test } from "vitest";
import type { HarnessEvent } from "../../../src/shared/events.ts";
import type { HarnessSandboxFactory } from "../../../src/shared/sandbox.ts";
import { temporaryDirectory } from "./helpers.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** The program of the page, with its imports led to the sources. */
async function programOfPage(): Promise<{ block: string; program: string }> {
  const page = await readFile(path.join(repository, "docs/custom-sandbox.md"), "utf8");
  const block = /```ts\n([\s\S]+?)```/.exec(page)?.[1] ?? "";
  const directory = await temporaryDirectory();
  const program = path.join(directory, "program.mts");
  const source = (file: string) => JSON.stringify(path.join(repository, "src", file));
  await writeFile(
    program,
    block
      .replace('"@little-stack/harness/sandbox"', source("sandbox.ts"))
      .replace('"@little-stack/harness"', source("shared/sandbox.ts")),
  );
  return { block, program };
}

test("the program of docs/custom-sandbox.md type-checks under strict rules, as written", async () => {
  const { program } = await programOfPage();
  const { compilerOptions } = JSON.parse(await readFile(path.join(repository, "tsconfig.json"), "utf8"));
  const project = path.join(path.dirname(program), "tsconfig.json");
  // The example leaves its input unused, as an example may.
  const options = {
    ...compilerOptions,
    noUnusedParameters: false,
    rewriteRelativeImportExtensions: false,
    typeRoots: [path.join(repository, "node_modules/@types")],
  };
  await writeFile(project, JSON.stringify({ compilerOptions: options, files: [program] }));
  const { stdout } = await execa(path.join(repository, "node_modules/.bin/tsc"), ["-p", project], {
    reject: false,
  });
  expect(stdout.split("\n").filter((line) => line.includes("program.mts"))).toEqual([]);
  expect(stdout).not.toContain("error TS5");
});

test("the program of docs/custom-sandbox.md runs and gives what a sandbox gives", async () => {
  const { program } = await programOfPage();
  const { myRemoteSandbox } = (await import(/* @vite-ignore */ pathToFileURL(program).href)) as {
    myRemoteSandbox(): HarnessSandboxFactory;
  };
  const backingPath = path.join(path.dirname(program), "session");
  await mkdir(backingPath);
  const events: HarnessEvent[] = [];
  await using sandbox = await myRemoteSandbox()({
    workspace: {
      mounts: [{ path: "/session", backingPath, access: "rw", tracked: true }],
      cwd: "/session",
      capabilities: { python: true, javascript: true },
    },
    tools: { t: { execute: () => 1 } },
    toolContext: null,
    emit: (event) => events.push(event),
  });
  expect(await sandbox.exec("ls")).toMatchObject({
    exitCode: 1,
    stderr: "not implemented",
    ending: { kind: "exited" },
  });
  await sandbox.fs.writeFile("a", "1");
  expect(await sandbox.fs.readdir("/session")).toEqual(["a"]);
  expect(events.map((event) => event.type)).toEqual([
    "harness.runtime.command.started",
    "harness.runtime.command.completed",
    "harness.file.created",
  ]);
});
