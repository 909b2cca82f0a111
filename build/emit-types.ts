import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { LIBRARY_ENTRIES } from "./bundle-library.ts";
import { importsOf } from "./import-rules.ts";
import { root } from "./paths.ts";

/**
 * Writes the declarations of the library's entry points, and of what those name, into `outDir`. The worker's
 * and the engine's own types are not reachable from there and stay out.
 */
export function emitTypes(outDir: string): void {
  const entries = Object.entries(LIBRARY_ENTRIES)
    .filter(([name, source]) => name !== "cli" && existsSync(join(root, source)))
    .map(([, source]) => source);
  if (entries.length === 0) return;
  const ambient = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => `src/${file}`);
  // A project file is the only way to name both the options and the files.
  const project = `${outDir}.tsconfig.json`;
  const files = [...entries, ...ambient].map((file) => join(root, file));
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, "tsconfig.build.json"), files, compilerOptions: { outDir } }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "--project", project], { cwd: root, stdio: "inherit" });
  } finally {
    rmSync(project);
  }
  keepReachable(
    outDir,
    entries.map((entry) => entry.replace(/^src\/(.*)\.ts$/, "$1.d.ts")),
  );
}

/** tsc writes a declaration for every source that an entry reaches by code; users need those reached by types. */
function keepReachable(outDir: string, entries: readonly string[]): void {
  const reached = new Set(entries);
  for (const file of reached) {
    for (const { specifier } of importsOf(readFileSync(join(outDir, file), "utf8"))) {
      if (specifier.startsWith("."))
        reached.add(posix.join(posix.dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
    }
  }
  for (const file of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".ts") && !reached.has(file.replaceAll("\\", "/"))) rmSync(join(outDir, file));
  }
}
