import { mkdirSync } from "node:fs";
import { openSandbox } from "@little-stack/harness";

/** The program of the README as a function. */
export async function program(options = {}) {
  mkdirSync("./data", { recursive: true });
  const sandbox = await openSandbox({
    mounts: { "/session": "./data" },
    tools: { "orders.find": { execute: ({ id }) => ({ id, total: 42 }) } },
    onEvent: (e) => console.log(e.type, "tool" in e ? e.tool : "path" in e ? e.path : ""),
    ...options,
  });
  const script = `js-exec -c 'console.log((await tools.orders.find({ id: 7 })).total)' > total.txt; cat total.txt; env`;
  const { stdout } = await sandbox.exec(script);
  await sandbox.dispose();
  return stdout;
}
