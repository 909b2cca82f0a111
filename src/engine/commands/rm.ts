import { type Command, defineCommand, type IFileSystem } from "just-bash";
import { reasonOf } from "./reason.ts";

/**
 * `rm` as coreutils has it. The engine's own follows links, so that a link to nowhere or to a directory cannot be
 * removed, and takes `-f` as leave to fail in silence: a script that clears a read-only directory goes on as if it had.
 */
export const rm: Command = defineCommand("rm", async (args, { fs, cwd, origCommand }) => {
  if (args.includes("--help") && origCommand !== undefined) return origCommand(args);
  const request = readArguments(args);
  if (typeof request === "string") return { stdout: "", stderr: `rm: ${request}\n`, exitCode: 1 };
  const { operands, forced } = request;
  if (operands.length === 0 && !forced) return { stdout: "", stderr: "rm: missing operand\n", exitCode: 1 };
  let stdout = "";
  let stderr = "";
  for (const operand of operands) {
    const why = await remove(fs, cwd, operand, request, (line) => {
      stdout += `${line}\n`;
    });
    if (why !== null) stderr += `rm: ${why}\n`;
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
});

interface Request {
  readonly forced: boolean;
  readonly recursive: boolean;
  readonly emptyDirectories: boolean;
  readonly verbose: boolean;
  readonly keepRoot: boolean;
  readonly operands: readonly string[];
}

/** Why an operand is still there, or null. */
async function remove(
  fs: IFileSystem,
  cwd: string,
  operand: string,
  request: Request,
  say: (line: string) => void,
): Promise<string | null> {
  const path = operand === "" ? "" : fs.resolvePath(cwd, operand);
  const { forced, recursive, emptyDirectories, verbose } = request;
  try {
    const stat = await fs.lstat(operand.endsWith("/") && path !== "/" ? `${path}/` : path);
    if (!stat.isDirectory) {
      await fs.rm(path);
      if (verbose) say(`removed '${operand}'`);
      return null;
    }
    if (!recursive && !emptyDirectories) return `cannot remove '${operand}': Is a directory`;
    if (/(^|\/)\.\.?\/*$/.test(operand)) {
      return `refusing to remove '.' or '..' directory: skipping '${operand}'`;
    }
    if (path === "/" && recursive && request.keepRoot) {
      return "it is dangerous to operate recursively on '/'\nrm: use --no-preserve-root to override this failsafe";
    }
    if (recursive && verbose) {
      for (const name of await fs.readdir(path)) {
        const below = `${operand.replace(/\/+$/, "")}/${name}`;
        const why = await remove(fs, cwd, below, request, say);
        if (why !== null) return why;
      }
    }
    await fs.rm(path, { recursive });
    if (verbose) say(`removed directory '${operand}'`);
    return null;
  } catch (error) {
    const isMissing =
      typeof error === "object" && error !== null && "code" in error && error.code === "ENOENT";
    return forced && isMissing ? null : `cannot remove '${operand}': ${reasonOf(error)}`;
  }
}

function readArguments(args: readonly string[]): Request | string {
  const letters = new Set<string>();
  const operands: string[] = [];
  let keepRoot = true;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg === "--no-preserve-root") keepRoot = false;
    else if (arg === "--force") letters.add("f");
    else if (arg === "--recursive") letters.add("r");
    else if (arg === "--dir") letters.add("d");
    else if (arg === "--verbose") letters.add("v");
    else if (/^--(preserve-root|one-file-system|interactive)(=.*)?$/.test(arg)) continue;
    else if (arg.startsWith("--")) return `unrecognized option '${arg}'`;
    else if (arg.startsWith("-") && arg !== "-") {
      for (const letter of arg.slice(1)) {
        if (!"frRdviI".includes(letter)) return `invalid option -- '${letter}'`;
        letters.add(letter);
      }
    } else operands.push(arg);
  }
  const has = (letter: string): boolean => letters.has(letter);
  return {
    forced: has("f"),
    recursive: has("r") || has("R"),
    emptyDirectories: has("d"),
    verbose: has("v"),
    keepRoot,
    operands,
  };
}
