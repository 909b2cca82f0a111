/** Bytes to a server and back, with no client in between that would keep to the rules. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A request as bytes; `headers` beside those that each request needs. */
export function requestText(
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Buffer = "",
): string {
  const all: Record<string, string> = {
    host: "127.0.0.1",
    "lh-protocol": "lh.remote-session.v1",
    ...(body.length > 0
      ? { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }
      : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Sends `bytes` and gives all that comes back, until the server ends the connection. */
export async function talk(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await dial(port);
  socket.write(bytes);
  return hear(socket);
}

/** A connection that nothing was sent over. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  // A broken connection is an answer too: it ends what is heard.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** All that comes until the connection ends. */
export async function hear(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (!socket.destroyed && !socket.readableEnded)
    await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  socket.destroy();
  return Buffer.concat(chunks).toString();
}

/** The first thing that comes back. */
export async function hearOnce(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
}

/** The status and the value of an answer. */
export function readAnswer(text: string): { status: number; head: string; value: unknown } {
  const cut = text.indexOf("\r\n\r\n");
  const head = text.slice(0, cut).toLowerCase();
  const body = text.slice(cut + 4);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/i.exec(text)?.[1]),
    head,
    value: body === "" ? "" : JSON.parse(body),
  };
}
