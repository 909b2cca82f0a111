/** Services that answer a client of a session log as a test wants it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { type RemoteSessionLogOptions, remoteSessionLog } from "../../src/session-log/client.ts";
import { memorySessionLog } from "../../src/session-log/memory-log.ts";
import type { HarnessSessionLog, SessionLogEvent } from "../../src/shared/session-log.ts";
import { anAppend, TOKEN } from "./log-server.ts";

export const SPOKEN = { "content-type": "application/json", "lh-protocol": "lh.remote-session.v1" };

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A service that answers as it is told, the last one from then on; and what it was asked. */
export async function lyingService(
  answers: readonly Answer[],
  options: Partial<RemoteSessionLogOptions> = {},
) {
  const asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answers[Math.min(asked.length, answers.length) - 1]?.(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const log = remoteSessionLog({ baseUrl, authToken: TOKEN, timeoutMs: 20_000, ...options });
  onTestFinished(() => log.close());
  return { log, asked, baseUrl };
}

export const says =
  (value: unknown, status = 200, headers: Record<string, string> = SPOKEN): Answer =>
  (response) =>
    response.writeHead(status, headers).end(typeof value === "string" ? value : JSON.stringify(value));

export const refuses = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  says({ error: { code, message: "No." } }, status, { ...SPOKEN, ...headers });

export async function eventsOf(count: number, runId = "run"): Promise<SessionLogEvent[]> {
  const log = memorySessionLog();
  for (let n = 1; n <= count; n++) await log.append(anAppend(`key/${n}`, { runId }));
  return [...(await log.read(runId))];
}

/** What an act rejects with; it must hold no token. */
export async function failureOf(
  act: Promise<unknown>,
): Promise<{ code?: string; message: string; data?: object }> {
  const error: unknown = await act.then(
    (value) => expect.fail(`it gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  const { code, message, data, stack, cause } = error as Error & { code?: string; data?: object };
  expect(`${message} ${stack} ${JSON.stringify(data)} ${String(cause)}`).not.toContain(TOKEN);
  return { message, ...(code === undefined ? {} : { code }), ...(data === undefined ? {} : { data }) };
}

/** Tries one append. */
export const appendOne = (log: HarnessSessionLog) => log.append(anAppend("key/1"));
