import { mkdirSync } from "node:fs";
import { openSandbox } from "@little-stack/harness";

mkdirSync("./data", { recursive: true });
const sandbox = await openSandbox({
  mounts: { "/session": "./data" },
  tools: { "orders.find": { execute: ({ id }) => ({ id, total: 42 }) } },
  onEvent: (e) => console.log(e.type, "tool" in e ? e.tool : "path" in e ? e.path : ""),
});
const script = `js-exec -c 'console.log((await tools.orders.find({ id: 7 })).total)' > total.txt; cat total.txt; env`;
console.log((await sandbox.exec(script)).stdout);
await sandbox.dispose();
