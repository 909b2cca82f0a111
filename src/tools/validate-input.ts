/**
 * A tool's `inputSchema`, of any kind, as one function. Knows Standard Schema (zod, valibot, arktype …), the
 * AI SDK's `jsonSchema()` objects, also behind a function, and plain JSON Schema. JSON Schema is interpreted;
 * a validator that compiles schemas to code is not usable where code generation from strings is off.
 */
import { type OutputUnit, type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";

/** The value that the tool gets, or what is wrong, one line per place. */
export type Validated =
  | { readonly isValid: true; readonly value: unknown }
  | {
      readonly isValid: false;
      readonly issues: readonly string[];
      /** Who worded them: code of the host, or the interpreter, which knows the schema and the input alone. */
      readonly by: "host" | "schema";
    };

/** Checks one input. `undefined` stands for none. */
export type ValidateInput = (input: unknown) => Validated | Promise<Validated>;

/** Issues told to the script; more would bury the first. */
const MAX_ISSUES = 5;

const MAX_CHARACTERS_FOR_ALL_ISSUES = 64 * 1024;

interface StandardSchema {
  readonly "~standard": { validate(value: unknown): StandardResult | Promise<StandardResult> };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface WrappedJsonSchema {
  readonly jsonSchema: unknown;
  validate?(value: unknown): unknown;
}

/** Makes the check for a schema. Throws a `TypeError` that says what was expected if it is none of the three. */
export function toInputValidator(schema: unknown): ValidateInput {
  if (schema === undefined) return (input) => ({ isValid: true, value: input });
  if (isStandardSchema(schema)) return (input) => validateStandard(schema, input);
  if (typeof schema === "function") return toInputValidator(callLazySchema(schema));
  if (typeof schema === "boolean") return fromJsonSchema(schema);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw notASchema(schema);
  if ("jsonSchema" in schema) return fromWrapped(schema as WrappedJsonSchema);
  return fromJsonSchema(schema);
}

function notASchema(value: unknown): TypeError {
  const got = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  return new TypeError(`expected a Standard Schema, jsonSchema() or a JSON Schema object, got ${got}`);
}

function callLazySchema(lazy: object): unknown {
  const schema: unknown = (lazy as () => unknown)();
  if (typeof schema === "function" && !isStandardSchema(schema)) throw notASchema(schema);
  return schema;
}

// Some libraries make schemas that are functions.
function isStandardSchema(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard = (schema as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && standard !== null && typeof standard.validate === "function";
}

async function validateStandard(schema: StandardSchema, input: unknown): Promise<Validated> {
  const first = await schema["~standard"].validate(input);
  if (!first.issues) return { isValid: true, value: first.value };
  if (input !== undefined)
    return { isValid: false, issues: first.issues.slice(0, MAX_ISSUES).map(tellIssue), by: "host" };
  // `tools.list()` means `tools.list({})` to whoever writes it, when the schema takes no `undefined`.
  return await validateStandard(schema, {});
}

function tellIssue(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step));
  return `${path.length === 0 ? "input" : path.join(".")}: ${issue.message}`;
}

function fromWrapped(schema: WrappedJsonSchema): ValidateInput {
  const { validate } = schema;
  if (typeof validate === "function") {
    return async (input) => {
      const told: unknown = await validate.call(schema, input === undefined ? {} : input);
      const result = told as { success?: unknown; value?: unknown; error?: { message?: unknown } };
      if (result.success === true) return { isValid: true, value: result.value };
      return { isValid: false, issues: [`input: ${String(result.error?.message ?? "invalid")}`], by: "host" };
    };
  }
  // A promise or a function here is the AI SDK's way to make the schema on first use.
  let check: Promise<ValidateInput> | undefined;
  const { jsonSchema } = schema;
  if (typeof jsonSchema === "object" && jsonSchema !== null && !("then" in jsonSchema)) {
    return fromJsonSchema(jsonSchema);
  }
  if (typeof jsonSchema === "boolean") return fromJsonSchema(jsonSchema);
  return async (input) => {
    check ??= Promise.resolve(
      typeof jsonSchema === "function" ? (jsonSchema as () => unknown)() : jsonSchema,
    ).then((made) => {
      if ((typeof made !== "object" && typeof made !== "boolean") || made === null) throw notASchema(made);
      return fromJsonSchema(made);
    });
    return await (await check)(input);
  };
}

function fromJsonSchema(schema: object | boolean): ValidateInput {
  const draft = draftOf(schema);
  const verdict = new Validator(schema as Schema, draft, true);
  const everything = new Validator(schema as Schema, draft, false);
  return (given) => {
    // JSON has no `undefined`; a call without input is a call with nothing in it.
    const input = given === undefined ? {} : given;
    const first = verdict.validate(input);
    if (first.valid) return { isValid: true, value: input };
    // All issues of a large input can be a million: there the first one has to do.
    const isSmall = JSON.stringify(input).length <= MAX_CHARACTERS_FOR_ALL_ISSUES;
    const { errors } = isSmall ? everything.validate(input) : first;
    return { isValid: false, issues: tellUnits(errors), by: "schema" };
  };
}

/** Keywords whose unit only says that a part is wrong; the unit of the part comes beside it. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "allOf",
  "$ref",
  "$recursiveRef",
]);

function tellUnits(units: readonly OutputUnit[]): string[] {
  const leaves = units.filter((unit) => !WRAPPERS.has(unit.keyword));
  return (leaves.length > 0 ? leaves : units)
    .slice(0, MAX_ISSUES)
    .map((unit) => `${toDots(unit.instanceLocation)}: ${tellKeyword(unit)}`);
}

function tellKeyword(unit: OutputUnit): string {
  return unit.keyword === "false" ? "is not allowed" : unit.error;
}

function draftOf(schema: object | boolean): SchemaDraft {
  const named = typeof schema === "object" ? (schema as { $schema?: unknown }).$schema : undefined;
  if (typeof named !== "string") return "2020-12";
  if (named.includes("draft-04")) return "4";
  if (named.includes("draft-06") || named.includes("draft-07")) return "7";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
}

function toDots(pointer: string): string {
  const steps = pointer.replace(/^#\/?/, "");
  if (steps === "") return "input";
  // The library percent-encodes each step of its pointers.
  return steps
    .split("/")
    .map((step) => decodeURI(step.replaceAll("%23", "#")).replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}
