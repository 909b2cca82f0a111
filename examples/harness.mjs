import { createHarness, localHost, streamHarness } from "@little-stack/harness";
import { scriptedModel } from "./scripted-model.mjs";

const host = localHost({ dataDir: "./harness-data" });
const harness = createHarness({
  host,
  model: scriptedModel(), // in a program of yours: anthropic("…"), openai("…") or another model of the AI SDK
  system: "You keep the books of a small shop.",
  tools: {
    "orders.list": { description: "All orders", execute: () => [{ total: 30 }, { total: 12 }] },
  },
});

const stream = streamHarness({
  harness,
  prompt: "What did we sell in all? Leave the sum in total.txt.",
  onEvent: (e) => console.error(e.seq, e.type, "tool" in e ? e.tool : "path" in e ? e.path : ""),
});
for await (const text of stream.textStream) process.stdout.write(text);
const { finishReason, usage } = await stream.result;
console.log(`\n${finishReason} after ${usage.totalTokens} tokens`);
await host.close();
