/** Stands between a client and a server's socket, and loses answers: what was asked is done, and nobody hears of it. */
import { mkdirSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const SOCKET = ".s.PGSQL.5432";

export interface LossyProxy {
  readonly connectionString: string;
  /** The next message with this text in it reaches the server; its answer does not come back, and the connection ends. */
  loseAnswerOf(text: string): void;
  /** Ends all connections, without a word on either side. */
  cut(): void;
}

/** @param connectionString Of the server: its directory after `host=`. @param directory For the proxy's own socket. */
export async function lossyProxy(connectionString: string, directory: string): Promise<LossyProxy> {
  const target = join(connectionString.split("host=")[1] ?? "", SOCKET);
  const sockets = new Set<Socket>();
  let armed: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(target);
    let isLosing = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end).on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on("data", (bytes) => {
      if (armed !== undefined && bytes.includes(armed)) {
        armed = undefined;
        isLosing = true;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (isLosing) end();
      else client.write(bytes);
    });
  });
  mkdirSync(directory, { recursive: true });
  await new Promise<void>((resolve) => server.listen(join(directory, SOCKET), resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return {
    connectionString: `postgresql://harness@/postgres?host=${directory}`,
    loseAnswerOf: (text) => {
      armed = text;
    },
    cut,
  };
}
