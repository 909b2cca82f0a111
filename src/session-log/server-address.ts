/** Where a server may listen, and under which names it may be asked when there is no token. */
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { invalidOption } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * The address to listen on. A name is resolved here, once, so that what was checked is what is listened on.
 *
 * @throws SandboxError `OPTION_INVALID` for a name without an address, and, without a token, for an address that is not
 * loopback.
 */
export async function resolveHost(host: string, hasToken: boolean): Promise<string> {
  const addresses = isIP(host) === 0 ? await lookUp(host) : [host];
  const open = hasToken ? undefined : addresses.find((address) => !isLoopbackAddress(address));
  if (open !== undefined)
    throw new SandboxError(
      "OPTION_INVALID",
      `Option "authToken" must be given: "${host}" is not a loopback address${open === host ? "" : ` (${open})`}, and without a token whoever reaches it could read and append.`,
      { option: "authToken" },
    );
  const [address] = addresses;
  if (address === undefined) throw invalidOption("host", "an address, or a name that has one");
  return address;
}

/** Whether a `Host` header names this machine to itself. Another name that leads here is how a web page gets in. */
export function isLoopbackHost(header: string | undefined): boolean {
  const name = header?.replace(/:\d{1,5}$/, "").toLowerCase();
  if (name === undefined) return false;
  if (name === "localhost") return true;
  return isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"));
}

/** The URL of a listening server, as a client on the same machine uses it. */
export function urlOf(address: string, family: string, port: number): string {
  // A wildcard is no destination.
  const destination = { "0.0.0.0": "127.0.0.1", "::": "::1" }[address] ?? address;
  return `http://${family === "IPv6" ? `[${destination}]` : destination}:${port}`;
}

function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  // An address with a zone is one of a link, and no loopback address has one.
  return version !== 0 && loopback.check(address, version === 6 ? "ipv6" : "ipv4");
}

async function lookUp(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw invalidOption("host", "an address, or a name that has one", { cause });
  }
}
