/** A child as tier 0, the machine's own programs as tier 1, and the real classification between them. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { root } from "../../build/paths.ts";
import { justBashSandbox, localToolchainSandbox, subprocessSandbox, tieredSandbox } from "../../src/index.ts";
import { openForTest } from "../helpers/open.ts";
import { failOnStrays } from "../helpers/strays.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { noToolchain, note } from "../helpers/toolchain.ts";

failOnStrays();

for (const [name, tier0] of Object.entries({
  subprocess: subprocessSandbox(),
  "just-bash": justBashSandbox(),
})) {
  test(`over ${name}: rm -rf x; git status removes nothing where there is no git`, async () => {
    const { sandbox, directory } = await openForTest({ sandbox: tieredSandbox({ tier0 }) });
    writeFileSync(join(directory, "x"), "");
    const result = await sandbox.exec("rm -rf x; git status");
    expect(result).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "tier" }, changes: [] });
    expect(result.stderr).toBe(
      "little-harness: git (line 1, column 11) (version control is not part of tier 0) needs a higher tier, and this sandbox has none: nothing of the script ran; do without it\n",
    );
    expect(existsSync(join(directory, "x"))).toBe(true);
    const asked = await sandbox.exec("command -v git npm || echo neither; echo 'git status' > notes");
    expect(asked).toMatchObject({ exitCode: 0, stdout: "neither\n", tier: 0 });
  });
}

const hasGit = ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].some((path) => existsSync(path));

describe.skipIf(noToolchain !== null || !hasGit)(`with the machine's own programs${note}`, () => {
  test("a turn that reaches git at run time goes on with the real one, where its shell was", async () => {
    const { sandbox, events } = await openForTest({
      sandbox: tieredSandbox({ tier0: subprocessSandbox(), nextTier: localToolchainSandbox() }),
    });
    await sandbox.exec("mkdir p; cd p; export WHO='a  b'; list=(1 2); echo 1 > a");
    const first = await sandbox.exec("tool=$(echo tig | rev); $tool init");
    expect(first).toMatchObject({ exitCode: 126, ending: { kind: "refused", by: "tier" }, tier: 0 });
    const script =
      'git init -q && git add -A && git -c user.name="$WHO" -c user.email=e@x commit -qm ${list[1]} && git log --format="%an|%s"';
    const second = await sandbox.exec(script, { timeoutMs: 20_000 });
    expect(second).toMatchObject({ exitCode: 0, stdout: "a  b|2\n", stderr: "", tier: 1 });
    expect(second.stateRestored).toBe(true);
    expect(await sandbox.isolation()).toMatchObject({ tier: 1, rung: "namespace" });
    await sandbox.dispose();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const created = events.flatMap((event) => (event.type === "harness.file.created" ? [event.path] : []));
    expect(created).toContain("/w/p/.git/HEAD");
    expect(new Set(created).size).toBe(created.length);
    expect(events.filter((event) => "unreported" in event)).toEqual([]);
  });

  test("the program of docs/tiers.md prints what its comment says", () => {
    const docs = readFileSync(join(root, "docs/tiers.md"), "utf8");
    const [, program = ""] = /```ts\n(import \{ localToolchainSandbox.*?)```/s.exec(docs) ?? [];
    const [, comment] = /\/\/ (0 1 .*)\n/.exec(program) ?? [];
    const directory = tempDir();
    const library = pathToFileURL(join(root, "dist/index.js")).href;
    const script = program.replace('"@little-stack/harness"', JSON.stringify(library));
    writeFileSync(join(directory, "program.mjs"), script);
    const ran = spawnSync(process.execPath, ["program.mjs"], { cwd: directory, encoding: "utf8" });
    expect({ stderr: ran.stderr, said: ran.stdout.trim() }).toEqual({ stderr: "", said: comment });
  });
});
