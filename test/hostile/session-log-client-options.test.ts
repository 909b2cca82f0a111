/** What a client of a session log is made with: no bad option is taken, and no token goes where others read it. */
import { expect, test } from "vitest";
import { type RemoteSessionLogOptions, remoteSessionLog } from "../../src/session-log/client.ts";
import { TOKEN } from "../helpers/log-server.ts";
import { failureOf } from "../helpers/lying-log-service.ts";

const bad: [string, unknown][] = [
  ["options", null],
  ["bse", { baseUrl: "http://127.0.0.1", bse: 1 }],
  ["baseUrl", {}],
  ["baseUrl", { baseUrl: "nowhere" }],
  ["baseUrl", { baseUrl: "ftp://127.0.0.1" }],
  ["baseUrl", { baseUrl: `http://user:${TOKEN}@127.0.0.1` }],
  ["baseUrl", { baseUrl: "http://127.0.0.1/?token=1" }],
  ["baseUrl", { baseUrl: "http://127.0.0.1/#x" }],
  ["baseUrl", { baseUrl: "http://log.example", authToken: TOKEN }],
  ["baseUrl", { baseUrl: "http://127.0.0.1.example", authToken: TOKEN }],
  ["authToken", { baseUrl: "http://127.0.0.1", authToken: "" }],
  ["authToken", { baseUrl: "http://127.0.0.1", authToken: "a\nb" }],
  ["timeoutMs", { baseUrl: "http://127.0.0.1", timeoutMs: 0 }],
  ["maxAppendAttempts", { baseUrl: "http://127.0.0.1", maxAppendAttempts: 0 }],
  ["maxResponseBytes", { baseUrl: "http://127.0.0.1", maxResponseBytes: "1" }],
  ["allowInsecureHttp", { baseUrl: "http://127.0.0.1", allowInsecureHttp: 1 }],
  ["fetch", { baseUrl: "http://127.0.0.1", fetch: 1 }],
];

test.each(bad)("a bad %s is named: %j", async (name, options) => {
  const made = new Promise((resolve) => resolve(remoteSessionLog(options as RemoteSessionLogOptions)));
  const { code, message } = await failureOf(made);
  expect(code).toBe("OPTION_INVALID");
  expect(message).toContain(name);
});

test("a token goes over http to this machine, over https, and elsewhere when that is allowed", () => {
  for (const baseUrl of ["http://localhost:1", "http://127.1:1", "http://[::1]", "https://log.example"])
    expect(remoteSessionLog({ baseUrl, authToken: TOKEN })).toBeDefined();
  expect(
    remoteSessionLog({ baseUrl: "http://log.example", authToken: TOKEN, allowInsecureHttp: true }),
  ).toBeDefined();
  expect(remoteSessionLog({ baseUrl: "http://log.example" })).toBeDefined();
});
