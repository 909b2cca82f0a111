import { APICallError, InvalidPromptError, RetryError } from "ai";
import { expect, test } from "vitest";
import { toModelFailure } from "../../../src/harness/model-failure.ts";
import { SandboxError } from "../../../src/shared/errors.ts";

const overloaded = new APICallError({
  message: "Overloaded",
  url: "https://api.example.com/v1",
  requestBodyValues: {},
  statusCode: 529,
  isRetryable: true,
  responseHeaders: { "retry-after": "7" },
});

test("a failed call of the model says whether and when to try again", () => {
  const failure = toModelFailure(overloaded, 3);
  expect(failure).toMatchObject({
    code: "MODEL_FAILED",
    message: "The model failed in step 3: Overloaded",
    data: { step: 3, statusCode: 529, isRetryable: true, retryAfterMs: 7000 },
  });
  expect(failure.cause).toBe(overloaded);
});

test("after tries in vain the last error speaks, and how many there were", () => {
  const retried = new RetryError({
    message: "Failed after 2 attempts.",
    reason: "maxRetriesExceeded",
    errors: [new Error("first"), overloaded],
  });
  expect(toModelFailure(retried, 1)).toMatchObject({
    message: "The model failed in step 1: Overloaded",
    data: { step: 1, attempts: 2, statusCode: 529 },
  });
});

test("a request that no model would take is a bad option", () => {
  const bad = new InvalidPromptError({ prompt: [], message: "messages must not be empty" });
  expect(toModelFailure(bad, 1)).toMatchObject({ code: "OPTION_INVALID", cause: bad });
});

test("an error of ours stays itself, and anything thrown can be told", () => {
  const ours = new SandboxError("TOOL_INVALID", "tool x: bad");
  expect(toModelFailure(ours, 1)).toBe(ours);
  expect(toModelFailure(undefined, 1)).toMatchObject({ code: "MODEL_FAILED", data: { step: 1 } });
  expect(toModelFailure(new Error("read /home/me/key failed"), 1).message).not.toContain("/home/me");
});
