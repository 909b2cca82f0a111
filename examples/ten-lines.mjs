import { mkdirSync } from "node:fs";
import { openSandbox } from "@little-stack/harness";

mkdirSync("./data", { recursive: true });
const sandbox = await openSandbox({
  mounts: { "/session": "./data" },
  tools: { "orders.find": { execute: ({ id }) => ({ id, total: 42 }) } },
  onEvent: (event) => console.log(event.type, event.path ?? event.tool ?? ""),
});
const script = `js-exec -c 'console.log((await tools.orders.find({ id: 7 })).total)' > total.txt; cat total.txt; env`;
console.log((await sandbox.exec(script)).stdout);
await sandbox.dispose();
