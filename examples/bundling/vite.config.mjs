import { cpSync } from "node:fs";
import { defineConfig } from "vite";

// vite build --mode external; vite build --mode bundled
export default defineConfig(({ mode }) => ({
  build: {
    ssr: "main.mjs",
    outDir: "out",
    emptyOutDir: false,
    rollupOptions: { output: { entryFileNames: `${mode}.mjs` } },
  },
  ssr:
    mode === "bundled"
      ? // The package goes into the bundle, and its worker beside it.
        { noExternal: ["@little-stack/harness"] }
      : // The package stays in node_modules: the default for all that is installed.
        { external: ["@little-stack/harness"] },
  plugins: mode === "bundled" ? [{ name: "copy-worker", writeBundle: copyWorker }] : [],
}));

function copyWorker() {
  cpSync("node_modules/@little-stack/harness/dist/worker", "out/worker", { recursive: true });
}
