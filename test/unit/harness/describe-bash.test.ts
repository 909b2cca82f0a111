import { expect, test } from "vitest";
import { describeBash } from "../../../src/harness/describe-bash.ts";

const workspace = {
  mounts: [
    {
      path: "/session",
      backingPath: "/host/secret-place",
      access: "rw",
      tracked: true,
      readOnlyPrefixes: ["/session/in"],
    },
    { path: "/.agents", backingPath: "/host/agents", access: "ro", tracked: false },
  ],
  cwd: "/session",
  capabilities: { python: true, javascript: true },
} as const;
const tools = { "orders.find": { description: "Finds an order", execute: () => 1 }, ask: {} };

function describe(
  runtime: { python: boolean; javascript: boolean },
  network?: readonly string[],
  limits: { timeoutMs: number | undefined } = { timeoutMs: 5000 },
): string {
  const capabilities = {
    ...workspace.capabilities,
    ...(network === undefined ? {} : { network: { allowOnlyUrlPrefixes: network } }),
  };
  return describeBash({
    turn: { workspace: { ...workspace, capabilities }, runtime },
    tools,
    ...limits,
    maxTimeoutMs: 600_000,
    maxInlineBytes: 16_384,
  });
}

test("the model reads where it is, what it may write and which languages and tools it has", () => {
  const text = describe({ python: true, javascript: true });
  expect(text).toContain("Working directory at the start: /session");
  expect(text).toContain("- /session: read and write, but read-only below /session/in");
  expect(text).toContain("- /.agents: read only");
  expect(text).toContain("python3");
  expect(text).toContain("- orders.find: Finds an order");
  expect(text).toContain(
    "a script is killed after 5000 ms; timeoutMs asks for another limit, up to 600000 ms.",
  );
  expect(text).toContain("16384 bytes");
  expect(text).toContain("Network: none.");
});

test("nothing that is off is promised: no language, and without JavaScript no tool of scripts", () => {
  const text = describe({ python: false, javascript: false });
  expect(text).not.toMatch(/python|js-exec|orders\.find/);
});

test("a tool that the application answers itself is not offered to scripts", () => {
  expect(describe({ python: true, javascript: true })).not.toContain("- ask");
});

test("network is told with its prefixes", () => {
  expect(describe({ python: true, javascript: true }, ["https://api.example.com/"])).toContain(
    "Network: curl to https://api.example.com/ only.",
  );
});

test("no path of the host is in it", () => {
  expect(describe({ python: true, javascript: true })).not.toContain("/host");
});

test("a time limit that only the sandbox knows is told as such, with the usual one", () => {
  const text = describe({ python: true, javascript: true }, undefined, { timeoutMs: undefined });
  expect(text).toContain("killed after 120000 ms, if the sandbox has no limit of its own; timeoutMs asks");
});
