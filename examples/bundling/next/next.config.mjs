import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const bundled = process.env.BUNDLED === "1";

export default {
  output: "standalone",
  outputFileTracingRoot: here,
  ...(bundled
    ? // The package goes into the bundle; its worker is copied by hand, and WORKER_PATH says where.
      {}
    : {
        // The package stays in node_modules,
        serverExternalPackages: ["@little-stack/harness"],
        // and all of it belongs to the standalone folder: no import leads from it to its worker.
        outputFileTracingIncludes: { "/run": ["./node_modules/@little-stack/harness/dist/**/*"] },
      }),
};
