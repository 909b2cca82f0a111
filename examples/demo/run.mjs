// `npm start`: four scripts over a directory of shop files, run in a child process that has nothing. The terminal
// shows each command, tool call and file change as it is reported; at the end the demo checks what it claimed
// against the files on disk and exits with 1 if anything was not true.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { openSandbox } from "@little-stack/harness";
import { makeCrm } from "./crm.mjs";
import { makeData } from "./make-data.mjs";
import { bold, cyan, dim, green, print, red, short, withProgress } from "./screen.mjs";
import * as scripts from "./scripts.mjs";

process.env.DEMO_CRM_API_KEY ??= `demo-key-${randomBytes(12).toString("hex")}`;
const apiKey = process.env.DEMO_CRM_API_KEY;
const data = fileURLToPath(new URL("./data", import.meta.url));
const onDisk = (path) => path.replace(/^\/session/, data);

const checks = [];
const check = (claim, holds) => checks.push({ claim, holds });
const counts = { commands: 0, ended: 0, toolCalls: 0, refusedCalls: 0, fileChanges: 0 };
let output = "";

function show(event) {
  switch (event.type) {
    case "harness.runtime.command.started":
      counts.commands++;
      return;
    case "harness.runtime.command.completed":
    case "harness.runtime.command.failed": {
      counts.ended++;
      const text = `${event.ending.kind} ${event.exitCode}, ${Math.round(event.durationMs)} ms`;
      return print(
        `   ${event.exitCode === 0 ? green("done") : red("failed")}     ${text}, ${event.changes} file changes`,
      );
    }
    case "harness.tool_call.started":
      counts.toolCalls++;
      if (counts.toolCalls > 3) return;
      return print(`   ${cyan("tool")}     ${event.tool}(${short(JSON.stringify(event.input), 60)})`);
    case "harness.tool_call.failed":
      counts.refusedCalls++;
      return print(`   ${cyan("tool")}     ${event.tool} refused: ${short(event.error, 70)}`);
    case "harness.file.created":
    case "harness.file.modified":
    case "harness.file.deleted": {
      counts.fileChanges++;
      const digest = event.sha256 === undefined ? "" : ` sha256 ${event.sha256.slice(0, 12)}`;
      return print(
        `   ${cyan("file")}     ${event.type.slice("harness.file.".length)} ${event.path}, ${event.size} bytes${digest}`,
      );
    }
  }
}

async function step(sandbox, title, script) {
  print();
  print(bold(title));
  print(dim(`   ${short(script)}`));
  const before = counts.toolCalls;
  const result = await withProgress("running", sandbox.exec(script));
  const more = counts.toolCalls - before - 3;
  if (more > 0) print(dim(`   (and ${more} more tool calls)`));
  output += result.stdout + result.stderr;
  check(`"${title}" exited with 0`, result.exitCode === 0 && result.ending.kind === "exited");
  for (const change of result.changes) {
    const there = existsSync(onDisk(change.path));
    const holds =
      change.change === "deleted"
        ? !there
        : there && (change.sha256 === undefined || change.sha256 === sha256(onDisk(change.path)));
    check(`${change.change} ${change.path}: as on disk`, holds);
  }
  return result;
}

const sha256 = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const indented = (text) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `   | ${line}`)
    .join("\n");

rmSync(data, { recursive: true, force: true });
const files = makeData(data);
print(bold("little-harness: scripts over real files, in a child process that has nothing"));
print(`${files} files in ${relative(process.cwd(), data) || data}, shown to the scripts as /session`);
print(`this process has ${Object.keys(process.env).length} environment variables, an API key among them`);

const sandbox = await openSandbox({
  mounts: { "/session": data },
  tools: makeCrm(apiKey),
  toolContext: {},
  sandbox: "subprocess",
  onEvent: show,
});
try {
  const found = await step(sandbox, "1. bash and jq look for overdue invoices", scripts.find);
  print(indented(found.stdout));

  const enriched = await step(
    sandbox,
    "2. js-exec calls a tool of the parent, which holds the key",
    scripts.enrich,
  );
  print(indented(enriched.stdout));

  const reported = await step(sandbox, "3. python3 writes a report", scripts.report);
  print(indented(reported.stdout));

  const seen = await step(sandbox, "4. what a script can see of the environment", scripts.lookAround);
  print(indented(seen.stdout));
  print();
  checkAll(found.stdout, seen.stdout);
} finally {
  await sandbox.dispose();
}

/** Everything that the lines above claim, worked out again here from the files. */
function checkAll(foundText, seenText) {
  const invoices = readdirSync(`${data}/invoices`).map((name) =>
    JSON.parse(readFileSync(`${data}/invoices/${name}`, "utf8")),
  );
  const overdue = invoices.filter(({ status }) => status === "overdue");
  const cents = overdue
    .flatMap(({ lines }) => lines)
    .reduce((sum, line) => sum + line.quantity * line.cents, 0);
  const customers = new Set(overdue.map(({ customer }) => customer));
  const report = existsSync(`${data}/report.md`) ? readFileSync(`${data}/report.md`, "utf8") : "";
  check(`the script found ${files} files`, foundText.includes(`files: ${files}\n`));
  check(`${overdue.length} invoices are overdue`, foundText.includes(`overdue: ${overdue.length}\n`));
  check(
    `the report has all of them and the right total`,
    report.includes(`${overdue.length} invoices, ${(cents / 100).toFixed(2)} in all`),
  );
  check(
    `one tool call per customer, and one refused`,
    counts.toolCalls === customers.size + 1 && counts.refusedCalls === 1,
  );
  check(`each command that started was reported as ended`, counts.commands === 4 && counts.ended === 4);
  check(`three files were created and reported`, counts.fileChanges === 3);

  const pairs = new Set(seenText.split("\n"));
  const shellsOwn = new Set([
    "PATH",
    "HOME",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "SHELL",
    "USER",
    "HOSTNAME",
    "LANG",
    "LC_ALL",
    "IFS",
    "_",
  ]);
  const leaked = Object.entries(process.env).filter(
    ([name, value]) => pairs.has(`${name}=${value}`) && !shellsOwn.has(name),
  );
  check("no environment variable of this process is set inside", leaked.length === 0);
  check(
    "the API key is in no output and in no file",
    !output.includes(apiKey) && seenText.trimEnd().endsWith("[]\n0"),
  );
}

const broken = checks.filter(({ holds }) => !holds);
print(bold("Summary"));
print(
  `   ${counts.ended} commands, ${counts.toolCalls} tool calls (${counts.refusedCalls} refused), ${counts.fileChanges} file changes`,
);
print(`   the report: ${relative(process.cwd(), data)}/report.md`);
print(
  `   ${checks.length - broken.length} of ${checks.length} claims checked against the files on disk: ${broken.length === 0 ? green("all true") : red("NOT all true")}`,
);
for (const { claim } of broken) print(`   ${red("not true:")} ${claim}`);
process.exitCode = broken.length === 0 ? 0 : 1;
