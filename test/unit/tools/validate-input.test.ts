import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toInputValidator, type Validated } from "../../../src/tools/validate-input.ts";

const issuesOf = (result: Validated) => (result.isValid ? [] : result.issues);

const orderSchema = {
  type: "object",
  properties: {
    id: { type: "string", pattern: "^o[0-9]+$" },
    lines: { type: "array", items: { $ref: "#/$defs/line" } },
    "a/b~c d": { type: "number" },
  },
  required: ["id"],
  additionalProperties: false,
  $defs: { line: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } },
};

describe("Standard Schema", () => {
  test("the tool gets the coerced value", async () => {
    const validate = toInputValidator(z.object({ id: z.coerce.number(), limit: z.number().default(10) }));
    expect(await validate({ id: "7", extra: 1 })).toEqual({ isValid: true, value: { id: 7, limit: 10 } });
  });

  test("an issue names the path and what was expected", async () => {
    const validate = toInputValidator(z.object({ items: z.array(z.object({ id: z.string() })) }));
    expect(issuesOf(await validate({ items: [{ id: "a" }, { id: 3 }] }))).toEqual([
      "items.1.id: Invalid input: expected string, received number",
    ]);
  });

  test("an async schema is waited for", async () => {
    const validate = toInputValidator(z.string().refine(async (text) => text === "yes", "say yes"));
    expect(await validate("yes")).toEqual({ isValid: true, value: "yes" });
    expect(issuesOf(await validate("no"))).toEqual(["input: say yes"]);
  });

  test("no input is tried as {} where the schema takes no undefined", async () => {
    expect(await toInputValidator(z.object({}))(undefined)).toEqual({ isValid: true, value: {} });
    expect(await toInputValidator(z.undefined())(undefined)).toEqual({ isValid: true, value: undefined });
    expect(issuesOf(await toInputValidator(z.object({ id: z.string() }))(undefined))).toHaveLength(1);
  });

  test("path steps may be objects with a key, and the schema a function", async () => {
    const schema = Object.assign(() => undefined, {
      "~standard": { validate: () => ({ issues: [{ message: "no", path: [{ key: "a" }, "b"] }] }) },
    });
    expect(issuesOf(await toInputValidator(schema)(1))).toEqual(["a.b: no"]);
  });
});

describe("plain JSON Schema", () => {
  test("a valid input passes as it is", async () => {
    const input = { id: "o1", lines: [{ count: 2 }] };
    expect(await toInputValidator(orderSchema)(input)).toEqual({ isValid: true, value: input });
  });

  test("issues name the places and what was expected, parts without their wrappers", async () => {
    const input = { id: 3, lines: [{ count: 1.5 }, {}], more: 1, "a/b~c d": "x" };
    expect(issuesOf(await toInputValidator(orderSchema)(input))).toEqual([
      'id: Instance type "number" is invalid. Expected "string".',
      'lines.0.count: Instance type "number" is invalid. Expected "integer".',
      'lines.1: Instance does not have required property "count".',
      'a/b~c d: Instance type "string" is invalid. Expected "number".',
      "more: is not allowed",
    ]);
  });

  test("no input is {}", async () => {
    expect(await toInputValidator({ type: "object" })(undefined)).toEqual({ isValid: true, value: {} });
    expect(issuesOf(await toInputValidator(orderSchema)(undefined))).toEqual([
      'input: Instance does not have required property "id".',
    ]);
  });

  test("a large input with a fault everywhere gives a few issues", async () => {
    const validate = toInputValidator({ type: "array", items: { type: "string" } });
    const issues = issuesOf(await validate(Array.from({ length: 200_000 }, (_, index) => index)));
    expect(issues).toEqual(['0: Instance type "number" is invalid. Expected "string".']);
  });

  test("code generation from strings is not needed", async () => {
    const original = globalThis.Function;
    // biome-ignore lint/suspicious/noExplicitAny: the global is put back below
    (globalThis as any).Function = () => {
      throw new Error("code generation is off");
    };
    try {
      expect((await toInputValidator(orderSchema)({ id: "o1" })).isValid).toBe(true);
    } finally {
      globalThis.Function = original;
    }
  });

  test("true takes everything and false nothing", async () => {
    expect((await toInputValidator(true)(1)).isValid).toBe(true);
    expect((await toInputValidator(false)(1)).isValid).toBe(false);
  });
});

describe("the AI SDK's jsonSchema()", () => {
  test("its validate decides, and its value is what the tool gets", async () => {
    const schema = {
      jsonSchema: { type: "object" },
      validate: (value: unknown) =>
        value === 1 ? { success: true, value: "one" } : { success: false, error: new Error("only 1") },
    };
    expect(await toInputValidator(schema)(1)).toEqual({ isValid: true, value: "one" });
    expect(issuesOf(await toInputValidator(schema)(2))).toEqual(["input: only 1"]);
  });

  test.each<[string, unknown]>([
    ["an object", { jsonSchema: orderSchema }],
    ["a promise", { jsonSchema: Promise.resolve(orderSchema) }],
    ["a function", { jsonSchema: () => orderSchema }],
    ["all behind a function", () => ({ jsonSchema: orderSchema })],
  ])("without validate its JSON Schema decides: %s", async (_, schema) => {
    const validate = toInputValidator(schema);
    expect((await validate({ id: "o1" })).isValid).toBe(true);
    expect((await validate({})).isValid).toBe(false);
  });
});

test("without a schema every input passes", async () => {
  expect(await toInputValidator(undefined)({ a: 1 })).toEqual({ isValid: true, value: { a: 1 } });
  expect(await toInputValidator(undefined)(undefined)).toEqual({ isValid: true, value: undefined });
});

test.each([1, "string", null, [], () => () => 1])("something else is no schema: %s", (schema) => {
  expect(() => toInputValidator(schema)).toThrow(
    "expected a Standard Schema, jsonSchema() or a JSON Schema object",
  );
});
