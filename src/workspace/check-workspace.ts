/**
 * A workspace spec from anywhere → one that can be trusted to make sense. Border: every message names the
 * input by its place (`workspace.mounts[1].path`) and says what was expected.
 */
import { lstatSync, realpathSync } from "node:fs";
import nodePath from "node:path";
import { SandboxError } from "../shared/errors.ts";
import { isAtOrBelow, isBelow, isNormalisedVirtualPath } from "../shared/virtual-path.ts";
import type {
  HarnessCapabilities,
  HarnessMount,
  HarnessWorkspaceSpec,
  NetworkPolicy,
} from "../shared/workspace-spec.ts";

type Fields = Readonly<Record<string, unknown>>;

// The engine and the devices live there; a mount over them would hide both.
const RESERVED = ["/bin", "/dev", "/proc", "/sbin", "/sys", "/usr"];

/**
 * Checks a spec and returns it normalised: trailing slashes gone, capabilities filled in (both true unless turned
 * off), no key that the contract does not know. Throws `WORKSPACE_INVALID`.
 */
export function checkWorkspace(input: unknown): HarnessWorkspaceSpec {
  const spec = fieldsOf(input, "workspace", ["mounts", "cwd", "capabilities"]);
  if (!Array.isArray(spec.mounts)) throw invalid("workspace.mounts", "an array of mounts", spec.mounts);
  const mounts = spec.mounts.map((mount: unknown, index) => checkMount(mount, `workspace.mounts[${index}]`));
  for (const [index, { path }] of mounts.entries()) {
    const first = mounts.findIndex((mount) => mount.path === path);
    if (first === index) continue;
    throw invalid(
      `workspace.mounts[${index}].path`,
      `a path that no other mount has (mounts[${first}] has it)`,
      path,
    );
  }
  return {
    mounts,
    cwd: checkPath(spec.cwd, "workspace.cwd"),
    capabilities: checkCapabilities(spec.capabilities ?? {}),
  };
}

function checkMount(input: unknown, at: string): HarnessMount {
  const mount = fieldsOf(input, at, ["path", "backingPath", "access", "tracked", "readOnlyPrefixes"]);
  const path = checkPath(mount.path, `${at}.path`);
  if (path === "/") throw invalid(`${at}.path`, 'a directory below "/"', path);
  const reserved = RESERVED.find((taken) => isAtOrBelow(path, taken));
  if (reserved !== undefined) throw invalid(`${at}.path`, `a path outside "${reserved}"`, path);
  const { access, tracked, readOnlyPrefixes } = mount;
  if (access !== "rw" && access !== "ro") throw invalid(`${at}.access`, '"rw" or "ro"', access);
  if (typeof tracked !== "boolean") throw invalid(`${at}.tracked`, "true or false", tracked);
  const checked: HarnessMount = {
    path,
    backingPath: checkBackingPath(mount.backingPath, `${at}.backingPath`),
    access,
    tracked,
  };
  if (readOnlyPrefixes === undefined) return checked;
  if (!Array.isArray(readOnlyPrefixes)) {
    throw invalid(`${at}.readOnlyPrefixes`, "an array of paths", readOnlyPrefixes);
  }
  return {
    ...checked,
    readOnlyPrefixes: readOnlyPrefixes.map((prefix: unknown, index) => {
      const prefixPath = checkPath(prefix, `${at}.readOnlyPrefixes[${index}]`);
      if (isBelow(prefixPath, path)) return prefixPath;
      throw invalid(`${at}.readOnlyPrefixes[${index}]`, `a path below "${path}"`, prefixPath);
    }),
  };
}

function checkPath(input: unknown, at: string): string {
  if (typeof input !== "string") throw invalid(at, "an absolute path inside the sandbox", input);
  if (!input.startsWith("/")) throw invalid(at, 'an absolute path (it starts with "/")', input);
  if (input.includes("\0")) throw invalid(at, "a path without NUL", input);
  const path = input.length > 1 && input.endsWith("/") ? input.slice(0, -1) : input;
  if (!isNormalisedVirtualPath(path))
    throw invalid(at, 'a path without ".", ".." or empty components', input);
  return path;
}

function checkBackingPath(input: unknown, at: string): string {
  if (typeof input !== "string") throw invalid(at, "the absolute path of a host directory", input);
  if (!nodePath.isAbsolute(input)) throw invalid(at, "an absolute host path", input);
  if (input.includes("\0")) throw invalid(at, "a path without NUL", input);
  // Node's permission model takes "*" as a pattern and would grant more than the directory.
  if (input.includes("*")) throw invalid(at, 'a path without "*"', input);
  const resolved = nodePath.resolve(input);
  let isDirectory: boolean;
  try {
    isDirectory = lstatSync(realpathSync(resolved)).isDirectory();
  } catch (cause) {
    throw invalid(at, "an existing directory", input, cause);
  }
  if (!isDirectory) throw invalid(at, "a directory", input);
  return resolved;
}

function checkCapabilities(input: unknown): HarnessCapabilities {
  const at = "workspace.capabilities";
  const {
    python = true,
    javascript = true,
    network,
  } = fieldsOf(input, at, ["python", "javascript", "network"]);
  if (typeof python !== "boolean") throw invalid(`${at}.python`, "true or false", python);
  if (typeof javascript !== "boolean") throw invalid(`${at}.javascript`, "true or false", javascript);
  return {
    python,
    javascript,
    ...(network !== undefined && { network: checkNetwork(network, `${at}.network`) }),
  };
}

function checkNetwork(input: unknown, at: string): NetworkPolicy {
  const network = fieldsOf(input, at, ["allowOnlyUrlPrefixes", "allowOnlyMethods"]);
  const allowOnlyUrlPrefixes = checkStrings(network.allowOnlyUrlPrefixes, `${at}.allowOnlyUrlPrefixes`);
  for (const [index, prefix] of allowOnlyUrlPrefixes.entries()) {
    if (/^https?:\/\/./.test(prefix) && URL.canParse(prefix)) continue;
    throw invalid(
      `${at}.allowOnlyUrlPrefixes[${index}]`,
      'a URL that starts with "https://" or "http://"',
      prefix,
    );
  }
  if (network.allowOnlyMethods === undefined) return { allowOnlyUrlPrefixes };
  return {
    allowOnlyUrlPrefixes,
    allowOnlyMethods: checkStrings(network.allowOnlyMethods, `${at}.allowOnlyMethods`),
  };
}

function checkStrings(input: unknown, at: string): string[] {
  if (!Array.isArray(input)) throw invalid(at, "an array of strings", input);
  return input.map((item: unknown, index) => {
    if (typeof item === "string") return item;
    throw invalid(`${at}[${index}]`, "a string", item);
  });
}

/** The value as an object that has no keys but these. */
function fieldsOf(input: unknown, at: string, known: readonly string[]): Fields {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw invalid(at, "an object", input);
  const unknown = Object.keys(input).find((key) => !known.includes(key));
  if (unknown === undefined) return input as Fields;
  throw invalid(`${at}.${unknown}`, `no such key (known: ${known.join(", ")})`, undefined);
}

function invalid(at: string, expected: string, got: unknown, cause?: unknown): SandboxError {
  return new SandboxError(
    "WORKSPACE_INVALID",
    `${at}: expected ${expected}${got === undefined ? "" : `, got ${shown(got)}`}.`,
    { at, expected },
    cause === undefined ? undefined : { cause },
  );
}

function shown(value: unknown): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return String(value);
}
