/**
 * `THIRD_PARTY_LICENSES.md`: name, version, licence and text of everything that the package ships of others.
 * What esbuild read is found from its metafiles; just-bash comes already bundled, so all that it depends on is
 * taken as shipped; what is compiled into WebAssembly is listed here by hand.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { root } from "./paths.ts";

interface Notice {
  name: string;
  version: string;
  license: string;
  text: string;
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
}

/** Compiled into the WebAssembly and data files of the packages named in `within`. */
const COMPILED_IN = [
  {
    name: "CPython and its standard library",
    version: "3.13",
    license: "PSF-2.0",
    file: "cpython.txt",
    within: "just-bash",
  },
  {
    name: "QuickJS",
    version: "as in quickjs-emscripten",
    license: "MIT",
    file: "quickjs.txt",
    within: "quickjs-emscripten",
  },
  {
    name: "jq, with decNumber",
    version: "1.8.2",
    license: "MIT AND ICU",
    file: "jq.txt",
    within: "jq-wasm",
  },
  {
    name: "Oniguruma",
    version: "as in jq-wasm",
    license: "BSD-2-Clause",
    file: "oniguruma.txt",
    within: "jq-wasm",
  },
  { name: "SQLite", version: "as in sql.js", license: "public domain", file: "sqlite.txt", within: "sql.js" },
];

/** Copied or read beside esbuild, so in no metafile. */
const COPIED = ["just-bash", "@swc/wasm-typescript", "@jitl/quickjs-wasmfile-release-sync"];

/** The document, for a build that read `metafiles`. */
export function thirdPartyLicenses(metafiles: readonly Metafile[]): string {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = new Set(inputs.flatMap((input) => packageFolderOf(input) ?? []));
  for (const name of COPIED) folders.add(`node_modules/${name}`);
  addDependencies("node_modules/just-bash", folders);
  const notices = [...[...folders].map(noticeOf), ...compiledIn(folders)];
  notices.sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    "# Third-party licences",
    "",
    "This package contains the following works of others.",
    "",
    "| work | version | licence |",
    "|---|---|---|",
    ...notices.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`),
    ...notices.map(({ name, version, text }) => `\n## ${name} ${version}\n\n~~~text\n${text.trim()}\n~~~`),
    "",
  ].join("\n");
}

/** From the first `node_modules/` on: what stands before it depends on where the work tree lies. */
function packageFolderOf(input: string): string | undefined {
  return /node_modules\/.*/.exec(input)?.[0].match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];
}

function addDependencies(folder: string, folders: Set<string>): void {
  folders.add(folder);
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    const nested = `${folder}/node_modules/${name}`;
    const found = existsSync(join(root, nested)) ? nested : `node_modules/${name}`;
    if (!folders.has(found)) addDependencies(found, folders);
  }
}

function noticeOf(folder: string): Notice {
  const { name, version, license } = manifestOf(folder);
  const files = readdirSync(join(root, folder)).filter((file) =>
    /^(?:licen[cs]e|notice|copying)/i.test(file),
  );
  const text = files.sort().map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  if (license === undefined) throw new Error(`${name} names no licence.`);
  return {
    name,
    version,
    license,
    text: text.join("\n\n") || `Licence: ${license}. The package carries no text.`,
  };
}

function compiledIn(folders: ReadonlySet<string>): Notice[] {
  return COMPILED_IN.map(({ name, version, license, file, within }) => {
    if (!folders.has(`node_modules/${within}`))
      throw new Error(`${name} is listed as part of ${within}, which is not shipped.`);
    return { name, version, license, text: readFileSync(join(root, "build/licenses", file), "utf8") };
  });
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}
