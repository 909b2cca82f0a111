// A customer service as an application has one: it answers only to its API key. It lives in the parent; the
// tool below is all that a script can reach of it.
import { createHash } from "node:crypto";

/** Makes the service and the tool over it. The key stays in the closure. */
export function makeCrm(apiKey) {
  const server = (id, authorization) => {
    if (authorization !== `Bearer ${apiKey}`) throw new Error("401: wrong API key");
    if (!/^C\d{3}$/.test(id)) throw new Error(`404: no customer "${id}"`);
    const digest = createHash("sha256").update(id).digest();
    return {
      id,
      mail: `${id.toLowerCase()}@customers.example`,
      reminders: (digest[0] ?? 0) % 4,
      vip: (digest[1] ?? 0) < 64,
    };
  };
  return {
    "crm.lookup": {
      description: "Contact and number of reminders of a customer.",
      inputSchema: {
        type: "object",
        properties: { id: { type: "string", pattern: "^C[0-9]{3}$" } },
        required: ["id"],
        additionalProperties: false,
      },
      execute: async ({ id }) => server(id, `Bearer ${apiKey}`),
    },
  };
}
