/**
 * Who may import whom, as data, and a checker that reads the import statements of `src/`. A folder is a border:
 * the parent never runs the worker's code, and only one file knows each vendor package.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { root } from "./paths.ts";

/** Folder of `src/` → the folders that it may import from, besides itself. Entry files may name any of these. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  protocol: [],
  workspace: ["shared"],
  engine: ["workspace", "shared"],
  worker: ["protocol", "engine", "workspace", "shared"],
  parent: ["protocol", "shared"],
  "in-process": ["engine", "workspace", "shared"],
  tools: ["shared"],
  shell: ["shared", "workspace"],
  orchestration: ["storage", "shared"],
  providers: ["parent", "shell", "workspace", "shared"],
  sandbox: ["parent", "in-process", "tools", "tiers", "shell", "workspace", "shared"],
  tiers: ["engine", "parent", "shell", "shared"],
  storage: ["shared"],
  "session-log": ["storage", "shared"],
  postgres: ["session-log", "orchestration", "storage", "shared"],
  conformance: ["session-log", "shared"],
  host: [
    "sandbox",
    "orchestration",
    "storage",
    "parent",
    "in-process",
    "tools",
    "shell",
    "workspace",
    "shared",
  ],
  // Of a host the loop knows the interface alone: whose it is, the application says.
  harness: ["host", "session-log", "tools", "shell", "shared"],
  cli: ["host", "session-log", "providers", "tiers", "sandbox", "parent", "storage", "shared"],
};

/** Imported for their types alone: they are gone at run time. What is built of the engine is loaded by its path. */
const TYPES_ONLY: ReadonlyArray<readonly [from: string, to: string]> = [
  ["in-process", "engine"],
  ["tiers", "engine"],
  ["harness", "host"],
];

/** Folders that must run anywhere: no `node:` module. */
const NO_NODE = ["shared", "protocol"];

/** Package or module → where alone it may be imported: a folder ("engine/") or one file. */
const VENDORS: Readonly<Record<string, readonly string[]>> = {
  "just-bash": ["engine/"],
  "just-bash:errors": ["engine/"],
  "just-bash:parser": ["engine/parse-script.ts"],
  diff: ["engine/commands/text/diff-lines.ts"],
  "jq-wasm": ["engine/commands/text/jq.ts"],
  msgpackr: ["protocol/codec.ts"],
  execa: ["parent/"],
  // The probe tries whether the worker could start a program.
  "node:child_process": ["parent/", "worker/probe-attacks.ts"],
  "@cfworker/json-schema": ["tools/"],
  ai: ["harness/ai-sdk.ts"],
  pg: ["postgres/load-pg.ts"],
};

interface Import {
  specifier: string;
  typeOnly: boolean;
}

/** All breaches in `src/`, one line each; empty when the rules hold. */
export function findBreaches(src: string = join(root, "src")): string[] {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  return files.sort().flatMap((file) =>
    importsOf(readFileSync(join(src, file), "utf8")).flatMap((found) => {
      const why = breach(file, found);
      return why === null ? [] : [`src/${file} imports "${found.specifier}": ${why}`];
    }),
  );
}

/** Why `file` (relative to `src/`) must not have this import, or null. */
export function breach(file: string, { specifier, typeOnly }: Import): string | null {
  return specifier.startsWith(".") ? ownBreach(file, specifier, typeOnly) : vendorBreach(file, specifier);
}

function ownBreach(file: string, specifier: string, typeOnly: boolean): string | null {
  const target = posix.join(dirname(file), specifier);
  if (target.startsWith("..")) return "it lies outside src/";
  const from = folderOf(file);
  const to = folderOf(target);
  // An entry file only names what others may use; nobody imports an entry file, as that would be a cycle.
  if (to === null) return from === null ? null : "entry files are for users of the package";
  if (from === null) return to === "worker" || to === "engine" ? "it runs in the worker only" : null;
  const allowed = MAY_IMPORT[from];
  if (allowed === undefined) return `${from}/ has no line in build/import-rules.ts`;
  if (to !== from && !allowed.includes(to))
    return `${from}/ may import ${allowed.join(", ") || "nothing of ours"}`;
  const typesOnly = TYPES_ONLY.some(([a, b]) => a === from && b === to);
  return typesOnly && !typeOnly ? `${from}/ may take only types from ${to}/` : null;
}

function vendorBreach(file: string, specifier: string): string | null {
  const folder = folderOf(file);
  if (folder !== null && NO_NODE.includes(folder) && specifier.startsWith("node:")) {
    return `${folder}/ runs anywhere and imports no node: module`;
  }
  const name = packageOf(specifier);
  const places = VENDORS[name];
  if (places !== undefined) {
    const allowed = places.some((place) => (place.endsWith("/") ? file.startsWith(place) : file === place));
    return allowed ? null : `only ${places.join(", ")} may`;
  }
  return name.startsWith("node:") ? null : `${name} has no line in build/import-rules.ts`;
}

function packageOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function folderOf(file: string): string | null {
  const slash = file.indexOf("/");
  return slash === -1 ? null : file.slice(0, slash);
}

/** The static and dynamic imports and re-exports of a module; comments and strings that only look so do not count. */
export function importsOf(text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const statement =
    /^\s*(?:import|export)(\s+type\b)?\s*(?:(?:[\w$*\s,]|\{[^{}"]*\})*?\bfrom\s*)?"([^"\n]+)"/gm;
  const call = /(\btypeof\s+)?\bimport\(\s*"([^"\n]+)"\s*\)/g;
  return [...code.matchAll(statement), ...code.matchAll(call)].map(([, types, specifier = ""]) => ({
    specifier,
    typeOnly: types !== undefined,
  }));
}
