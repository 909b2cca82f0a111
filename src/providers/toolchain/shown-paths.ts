/** What of this machine a toolchain sees: the programs, and the few files that they need to start. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { isAtOrBelow } from "../../shared/virtual-path.ts";

const PROGRAM_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Which libraries there are, which program a name stands for, and the names of zones and ports: nobody's secrets. */
const ETC = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types",
  "/etc/protocols",
  "/etc/services",
];

/** Names, and the certificates of who answers to them. */
const ETC_OF_NETWORK = ["/etc/resolv.conf", "/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki/tls/certs"];

const USUAL_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Arguments of bubblewrap, and where programs are looked for. */
export interface Shown {
  readonly arguments: readonly string[];
  readonly path: string;
}

/** `paths` are shown as they are named, wherever a link among them leads. */
export function shownPaths(paths: readonly string[], network: boolean): Shown {
  const node = nodeFolder();
  const extra = [...paths, ...(node === null ? [] : [node])].filter((path) => !isAtOrBelow(path, "/usr"));
  const programs = extra.flatMap((path) => (existsSync(join(path, "bin")) ? [join(path, "bin")] : []));
  const etc = network ? [...ETC, ...ETC_OF_NETWORK] : ETC;
  return {
    arguments: [
      ...["--ro-bind", "/usr", "/usr"],
      ...PROGRAM_FOLDERS.flatMap(showFolder),
      ...etc.flatMap((path) => ["--ro-bind-try", path, path]),
      ...[...new Set(extra)].flatMap((path) => ["--ro-bind", realpathSync(path), path]),
    ],
    path: [...new Set([...programs, ...USUAL_PATH])].join(":"),
  };
}

/** On most systems a link into `/usr`. */
function showFolder(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return stat.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/**
 * Where the Node.js of this process was installed, npm included; `null` when that is no folder of Node.js alone (a
 * home directory with a `bin`), or this process is none.
 */
function nodeFolder(): string | null {
  const program = realpathSync(process.execPath);
  if (basename(program) !== "node" || basename(dirname(program)) !== "bin") return null;
  const folder = dirname(dirname(program));
  const isOwn = existsSync(join(folder, "include/node")) || existsSync(join(folder, "lib/node_modules"));
  return isOwn && folder !== "/" && !isAtOrBelow(homedir(), folder) ? folder : null;
}
