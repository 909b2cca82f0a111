/** One suite, every session log of ours: what a user of one relies on holds for all. */
import { afterAll, describe, test } from "vitest";
import { type OpenSessionLog, sessionLogSuite } from "../../src/conformance.ts";
import { remoteSessionLog } from "../../src/session-log/client.ts";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import { type SessionLogServer, startSessionLogServer } from "../../src/session-log/server.ts";

const servers: SessionLogServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

const logs: [string, OpenSessionLog][] = [
  ["memory", () => ({ log: memorySessionLog() })],
  [
    "behind a server",
    async () => {
      const authToken = "a-token";
      const server = await startSessionLogServer({ authToken });
      servers.push(server);
      const connect = () => remoteSessionLog({ baseUrl: server.url, authToken });
      const log = connect();
      const reopen = async () => {
        await log.close();
        return connect();
      };
      return { log, other: connect(), reopen };
    },
  ],
];

describe.each(logs)("%s", (_, open) => {
  for (const { name, run } of sessionLogSuite(open).cases) test(name, run);
});
