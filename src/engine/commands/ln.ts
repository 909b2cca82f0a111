import { type Command, defineCommand, type IFileSystem } from "just-bash";
import { reasonOf } from "./reason.ts";

/**
 * `ln` as coreutils has it. The engine's own takes a link that leads nowhere for free space, knows no directory as
 * the last operand, and does not say what failed.
 */
export const ln: Command = defineCommand("ln", async (args, { fs, cwd, origCommand }) => {
  if (args.includes("--help") && origCommand !== undefined) return origCommand(args);
  const request = readArguments(args);
  if (typeof request === "string") return { stdout: "", stderr: `ln: ${request}\n`, exitCode: 1 };
  const { operands } = request;
  const last = operands.length === 1 ? "." : (operands[operands.length - 1] ?? ".");
  const targets = operands.length === 1 ? operands : operands.slice(0, -1);
  const lastPath = fs.resolvePath(cwd, last);
  const intoDirectory = !request.plainName && (await isDirectory(fs, lastPath, request.noFollow));
  if (targets.length > 1 && !intoDirectory) {
    return { stdout: "", stderr: `ln: target '${last}': Not a directory\n`, exitCode: 1 };
  }
  let stdout = "";
  let stderr = "";
  for (const target of targets) {
    const base = target.replace(/\/+$/, "").split("/").pop() ?? target;
    const name = intoDirectory ? `${last.replace(/(?<=.)\/+$/, "")}/${base}` : last;
    const why = await link(fs, cwd, target, name, request);
    if (why !== null) stderr += `ln: ${why}\n`;
    else if (request.verbose) stdout += `'${name}' ${request.symbolic ? "->" : "=>"} '${target}'\n`;
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
});

interface Request {
  readonly symbolic: boolean;
  readonly forced: boolean;
  readonly noFollow: boolean;
  readonly plainName: boolean;
  readonly verbose: boolean;
  readonly operands: readonly string[];
}

/** Why there is no such link, or null. */
async function link(
  fs: IFileSystem,
  cwd: string,
  target: string,
  name: string,
  { symbolic, forced }: Request,
): Promise<string | null> {
  const path = fs.resolvePath(cwd, name);
  const what = symbolic ? `failed to create symbolic link '${name}'` : `failed to create hard link '${name}'`;
  const source = fs.resolvePath(cwd, target);
  if (!symbolic) {
    const stat = await fs.lstat(source).catch(reasonOf);
    if (typeof stat === "string") return `failed to access '${target}': ${stat}`;
    if (stat.isDirectory) return `${target}: hard link not allowed for directory`;
  }
  try {
    const there = await fs.lstat(path).catch(() => null);
    if (there !== null && forced && !there.isDirectory) {
      if (path === source && !symbolic) return `'${target}' and '${name}' are the same file`;
      await fs.rm(path);
    }
  } catch (error) {
    return `cannot remove '${name}': ${reasonOf(error)}`;
  }
  try {
    await (symbolic ? fs.symlink(target, path) : fs.link(source, path));
    return null;
  } catch (error) {
    return `${symbolic ? what : `${what} => '${target}'`}: ${reasonOf(error)}`;
  }
}

async function isDirectory(fs: IFileSystem, path: string, noFollow: boolean): Promise<boolean> {
  const stat = await (noFollow ? fs.lstat(path) : fs.stat(path)).catch(() => null);
  return stat?.isDirectory === true;
}

function readArguments(args: readonly string[]): Request | string {
  const letters = new Set<string>();
  const operands: string[] = [];
  const long: Readonly<Record<string, string>> = {
    "--symbolic": "s",
    "--force": "f",
    "--no-dereference": "n",
    "--no-target-directory": "T",
    "--verbose": "v",
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (long[arg] !== undefined) letters.add(long[arg]);
    else if (arg.startsWith("--")) return `unrecognized option '${arg}'`;
    else if (arg.startsWith("-") && arg !== "-") {
      for (const letter of arg.slice(1)) {
        if (!"sfnTvhiP".includes(letter)) return `invalid option -- '${letter}'`;
        letters.add(letter);
      }
    } else operands.push(arg);
  }
  if (operands.length === 0) return "missing file operand";
  const has = (letter: string): boolean => letters.has(letter);
  return {
    symbolic: has("s"),
    forced: has("f"),
    noFollow: has("n") || has("h"),
    plainName: has("T"),
    verbose: has("v"),
    operands,
  };
}
