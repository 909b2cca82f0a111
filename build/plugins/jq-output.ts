/** jq-wasm takes the blanks around jq's output away; here every byte counts. */
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { changeText } from "./change-text.ts";

export const jqOutput: Plugin = {
  name: "jq-output",
  setup(build) {
    build.onLoad({ filter: /[\\/]jq-wasm[\\/]dist[\\/]inline\.mjs$/ }, ({ path }) => ({
      contents: changeText("jq-wasm", readFileSync(path, "utf8"), [
        [
          "{ stdout: stdoutSink.toString().trim(), stderr: stderrSink.toString().trim(), exitCode }",
          "{ stdout: stdoutSink.toString(), stderr: stderrSink.toString(), exitCode }",
        ],
      ]),
    }));
  },
};
