/**
 * Every error's message goes through `src/shared/redact.ts` before a script, a result or an event can hold it. So
 * no file reads a message, a stack or a cause of what was thrown, or turns it into a string, except these.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../build/paths.ts";

const READS: readonly RegExp[] = [
  /\.(?:message|stack)\b(?!\s*=[^=])/,
  /\{[^{}]*\b(?:message|stack)\b[^{}]*\}\s*[=:]/,
  /\b(?:String|inspect|format)\((?:error|thrown|cause)\)/,
  /\$\{(?:error|thrown|cause)\}/,
];

/** File → why its messages need no redactor, or where they pass it. */
const ALLOWED: Readonly<Record<string, string>> = {
  "cli/": "prints for the operator, whose paths they are",
  "conformance/": "reports for the author of an adapter or a store, whose own words they are",
  "protocol/": "carries what the handlers on both sides give it, and words of its own about bytes",
  "engine/commands/files/find.ts": "its own class of errors: words about the command line",
  "engine/commands/files/tar/tar.ts": "its own class of errors: words about the archive",
  "engine/commands/system/bc.ts": "its own classes of errors: words about the calculation",
  "engine/commands/text/": "their own classes of errors: words about programs, expressions and arguments",
  "engine/control/readable-prefix.ts": "the parser's words about the script",
  "engine/control/traps.ts": "the parser's words about the action of a trap",
  "engine/language/arithmetic.ts": "its own class of errors: words about the expression",
  "engine/commands/reason.ts": "errors of the mounts, in the sandbox's own paths",
  "engine/shell-session.ts": "the parser's words about the script; errors of the engine pass tellThrown",
  "engine/tools-bootstrap.ts": "hands on what the parent has said to a tool call",
  "harness/record/describe-run.ts": "the words of our own check about an option's data",
  "harness/record/run-record.ts": "records what the model was told: errors that the tool bridge has worded",
  "harness/model-tool-calls.ts": "errors that the tool bridge has worded; others pass tellThrown",
  "host/inspect-data-directory.ts": "what `doctor` prints for the operator, whose paths they are",
  "orchestration/file-store.ts": "an error for the operator, whose paths they are",
  "orchestration/json-text.ts": "an error for the operator, whose data it is",
  "parent/inspect-parts.ts": "what `doctor` prints for the operator, whose paths they are",
  "parent/isolation/bubblewrap.ts":
    "a reason for the operator; the error that is made of it is told redacted",
  "session-log/client-a": "the words of a service, without the token; a `fetch`'s own pass tellThrown",
  "session-log/server-answer.ts": "the server's own refusals; what a store throws passes tellThrown",
  "session-log/server-body.ts": "words of its own parser",
  "parent/make-code-cache.ts": "a diagnostic for the operator, whose paths they are",
  "parent/worker-files.ts": "errors of the mounts, in the sandbox's own paths; others pass tellThrown",
  "parent/worker-life.ts": "protocol errors, and the whole text for the operator's diagnostics",
  "sandbox/name-option.ts": "a refusal to open, told to the host before there is a guest",
  "shared/peer-missing.ts": "tells two failures of a module apart; what it says passes tellThrown",
  "shared/redact.ts": "the redactor",
  "shell/command-tool-calls.ts": "errors that the tool bridge has worded; others pass tellThrown",
  "shell/default-files.ts": "a refusal to open, told to the host before there is a guest",
  "storage/lease-lock.ts": "an error for the operator, whose paths they are",
  "tools/known-tools.ts": "a refusal to open, told to the host before there is a guest",
  "tools/replay.ts": "records what the script was told",
  "tools/tool-error.ts": "redacts what it reads",
  "tools/validate-input.ts": "issues of the host's schemas, redacted by tools/tool-bridge.ts",
  "worker/make-code-cache.ts": "to the operator's diagnostics, from a process that runs no guest",
  "worker/connect.ts": "a protocol error, to the worker's stderr",
};

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts"));

const reading = files.filter((name) => readsThrown(readFileSync(join(root, "src", name), "utf8")));

function readsThrown(text: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return READS.some((pattern) => pattern.test(code));
}

const isAllowed = (name: string): boolean => Object.keys(ALLOWED).some((key) => name.startsWith(key));

test("no file but those listed here reads what an error says", () => {
  expect(reading.filter((name) => !isAllowed(name))).toEqual([]);
});

test("each file of the list still does", () => {
  expect(Object.keys(ALLOWED).filter((key) => !reading.some((name) => name.startsWith(key)))).toEqual([]);
});

test.each([
  "send(error.message);",
  "const { message } = thrown;",
  "function tell({ message, data }: Failure) {}",
  "send(String(thrown));",
  "send(`failed: ${error}`);",
  "send(error.stack ?? '');",
  "send(inspect(error));",
])("a file that says %s would be seen", (text) => {
  expect(readsThrown(text)).toBe(true);
});

test.each(['error.message = "words of ours";', "// error.message", "tellThrown(error)"])(
  "a file that says %s reads nothing",
  (text) => {
    expect(readsThrown(text)).toBe(false);
  },
);
