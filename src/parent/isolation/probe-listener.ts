/** A port of this host where somebody listens, for a wall that must keep a connection from it. */
import { createServer } from "node:net";

/** A listener for the time of one probe. */
export interface ProbeListener {
  /** `null` on a host that may not listen, which has one wall less to try. */
  readonly port: number | null;
  hasConnected(): boolean;
  close(): void;
}

export function listen(): Promise<ProbeListener> {
  let connected = false;
  const server = createServer((socket) => {
    connected = true;
    socket.destroy();
  });
  server.unref();
  return new Promise((resolve) => {
    const listening = (port: number | null): ProbeListener => ({
      port,
      hasConnected: () => connected,
      close: () => server.close(),
    });
    server.once("error", () => resolve(listening(null)));
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(listening(typeof address === "object" && address !== null ? address.port : null));
    });
  });
}
