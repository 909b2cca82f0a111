/**
 * Sockets and names. Everything of Node that talks to a network ends in `net`, `dgram` or `dns`: with the few
 * functions taken there, `http`, `https`, `http2`, `tls`, `fetch` and `WebSocket` can still be loaded and reach
 * nothing. From Node.js 25 on the permission model refuses sockets itself; this is then the second wall.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import { isMainThread } from "node:worker_threads";
import { refuse, refuseAll } from "./refuse.ts";

/** Plain functions of `net` about the text of addresses. */
const HARMLESS = ["isIP", "isIPv4", "isIPv6", "Socket", "Stream", "Server", "BlockList", "SocketAddress"];

export function lockNetwork(): void {
  refuse(globalThis, ["fetch", "WebSocket", "EventSource"]);
  lockHandles();
  refuse(net.Socket.prototype, ["connect"]);
  refuse(net.Server.prototype, ["listen", "_listen2"]);
  refuseAll(net, HARMLESS);
  refuseAll(dgram.Socket.prototype, ["on", "once", "emit"]);
  refuseAll(dgram);
  lockNames(dns);
  lockNames(dns.promises);
}

/** The classes inside sockets, as far as a guest could get one from a socket that this process has. */
function lockHandles(): void {
  const { _createServerHandle: createHandle } = net as unknown as {
    _createServerHandle?: (address: string, port: number, addressType: number) => unknown;
  };
  try {
    const handle = createHandle?.("127.0.0.1", 0, 4);
    if (typeof handle === "object" && handle !== null) {
      refuse(Reflect.getPrototypeOf(handle) ?? {}, [
        "bind",
        "bind6",
        "connect",
        "connect6",
        "listen",
        "open",
      ]);
      (handle as { close(): void }).close();
    }
  } catch {
    // Refused by the permission model, or no such function: then no such handle can be made at all.
  }
  if (!isMainThread) return;
  const { _handle: stdin } = process.stdin as unknown as { _handle?: object | null };
  if (stdin) refuse(Reflect.getPrototypeOf(stdin) ?? {}, ["bind", "connect", "listen", "fchmod"]);
}

function lockNames(names: typeof dns | typeof dns.promises): void {
  const { Resolver } = names;
  for (let at: object | null = Resolver.prototype; at !== null && at !== Object.prototype; ) {
    refuseAll(at);
    at = Reflect.getPrototypeOf(at);
  }
  refuseAll(names);
}
