/** The bundlers, the versions that are tried, and how each is run on its config in `examples/bundling/`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** One bundler on one config. */
export interface Bundler {
  readonly name: string;
  /** Packages of the npm registry with the versions that are tried. */
  readonly packages: Readonly<Record<string, string>>;
  /** In `examples/bundling/`. */
  readonly config: string;
  /** Arguments of Node.js, run one after the other in the project; each line is one run. */
  readonly runs: readonly (readonly string[])[];
  /** What it makes: `out/external.<extension>` and `out/bundled.<extension>` for each. */
  readonly extensions: readonly ("mjs" | "cjs")[];
}

// webpack and Rspack have one API, and a command line only as a package of its own.
const WEBPACK_API = `
  const { default: config } = await import("./webpack.config.mjs");
  const stats = await new Promise((resolve, reject) =>
    pack(config, (error, stats) => (error ? reject(error) : resolve(stats))));
  console.log(stats.toString({ preset: "errors-warnings", colors: false }));
  if (stats.hasErrors() || stats.hasWarnings()) process.exitCode = 1;`;
const evaluated = (code: string): string[] => ["--input-type=module", "--eval", code];

export const BUNDLERS: readonly Bundler[] = [
  {
    name: "esbuild",
    packages: { esbuild: "0.28.2" },
    config: "esbuild.mjs",
    runs: [["esbuild.mjs"]],
    extensions: ["mjs", "cjs"],
  },
  {
    name: "Rollup",
    packages: { rollup: "4.68.8", "@rollup/plugin-node-resolve": "16.0.3" },
    config: "rollup.config.mjs",
    runs: [["node_modules/rollup/dist/bin/rollup", "-c", "rollup.config.mjs"]],
    extensions: ["mjs", "cjs"],
  },
  {
    name: "Vite (SSR)",
    packages: { vite: "8.3.8" },
    config: "vite.config.mjs",
    runs: [
      ["node_modules/vite/bin/vite.js", "build", "--mode", "external"],
      ["node_modules/vite/bin/vite.js", "build", "--mode", "bundled"],
    ],
    extensions: ["mjs"],
  },
  {
    name: "webpack",
    packages: { webpack: "5.113.0" },
    config: "webpack.config.mjs",
    runs: [evaluated(`import pack from "webpack";${WEBPACK_API}`)],
    extensions: ["mjs", "cjs"],
  },
  {
    name: "Rspack",
    packages: { "@rspack/core": "2.3.4" },
    config: "webpack.config.mjs",
    runs: [evaluated(`import { rspack as pack } from "@rspack/core";${WEBPACK_API}`)],
    extensions: ["mjs", "cjs"],
  },
];

/** Next.js is a server of its own, and is tried as one. */
export const NEXT_PACKAGES: Readonly<Record<string, string>> = {
  next: "16.4.6",
  react: "19.3.1",
  "react-dom": "19.3.1",
};

/** Bundles the program of `project` in both ways. Throws with what the bundler said when it fails or warns. */
export function bundle({ name, runs }: Bundler, project: string): void {
  for (const args of runs) runNode(name, args, project);
}

/** Runs a tool to its end. Throws with all that it said when it fails. */
export function runNode(
  name: string,
  args: readonly string[],
  project: string,
  env: Record<string, string> = {},
): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", NO_COLOR: "1", ...env },
    timeout: 240_000,
  });
  if (status !== 0) throw new Error(`${name} failed (${status}) in ${join(project)}:\n${stdout}${stderr}`);
}
