/** A language model of the AI SDK that needs no key: it says what stands here, whatever it is asked. */
const ANSWERS = [
  [
    {
      type: "tool-call",
      toolCallId: "call-1",
      toolName: "bash",
      input: JSON.stringify({
        command: `js-exec -c '
  const orders = await tools.orders.list({});
  console.log(orders.reduce((sum, { total }) => sum + total, 0));
' | tee total.txt`,
      }),
    },
  ],
  [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "We sold for 42 in all; " },
    { type: "text-delta", id: "1", delta: "the sum is in total.txt." },
    { type: "text-end", id: "1" },
  ],
];

const usage = { inputTokens: { total: 100 }, outputTokens: { total: 20 } };

export function scriptedModel() {
  let step = 0;
  const doStream = async () => {
    const answer = ANSWERS[step++] ?? [];
    const unified = answer[0]?.type === "tool-call" ? "tool-calls" : "stop";
    const parts = [
      { type: "stream-start", warnings: [] },
      ...answer,
      { type: "finish", finishReason: { unified }, usage },
    ];
    return { stream: ReadableStream.from(parts) };
  };
  const doGenerate = () => Promise.reject(new Error("this model only streams"));
  return {
    specificationVersion: "v3",
    provider: "example",
    modelId: "scripted",
    supportedUrls: {},
    doStream,
    doGenerate,
  };
}
