import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HANDLER_FAILED } from "../../../src/protocol/call-failure.ts";
import { DEFAULT_LIMITS } from "../../../src/protocol/channel-contract.ts";
import { frameKinds } from "../../../src/protocol/frame-kinds.ts";
import {
  FS_OPERATIONS,
  MAX_FILE_ANSWER_BYTES,
  MAX_SMALL_ANSWER_BYTES,
  MAX_STATE_BYTES,
  MAX_TOOL_INPUT_BYTES,
  parentRequests,
  workerRequests,
} from "../../../src/protocol/messages.ts";
import { PROTOCOL_ERROR_CODES } from "../../../src/protocol/protocol-error.ts";
import { MAX_DEPTH, MAX_NODES } from "../../../src/protocol/value-caps.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/version.ts";
import { execParams, exited, fsParams, openParams } from "./peers.ts";

const law = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8");
const names = [...Object.keys(parentRequests), ...Object.keys(workerRequests)];
const codes = [...Object.keys(PROTOCOL_ERROR_CODES), HANDLER_FAILED];
const fields = [openParams, openParams.workspace, execParams, exited, fsParams, { execId: 1 }].flatMap(
  (each) => Object.keys(each),
);

test.each([...names, ...frameKinds, ...codes, ...FS_OPERATIONS, ...new Set(fields)])(
  "the law of the wire says what %s is",
  (word) => {
    expect(law).toContain(`\`${word}\``);
  },
);

test("the law names no error code that does not exist", () => {
  const named = [...law.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code]) => code ?? "");
  expect(named.filter((code) => !codes.includes(code))).toEqual([]);
});

test("the law has the version and the caps of the code", () => {
  expect(law).toContain(`Version ${PROTOCOL_VERSION}`);
  const numbers = [
    ...Object.values(DEFAULT_LIMITS),
    MAX_DEPTH,
    MAX_NODES,
    MAX_TOOL_INPUT_BYTES,
    MAX_STATE_BYTES,
    MAX_FILE_ANSWER_BYTES,
    MAX_SMALL_ANSWER_BYTES,
  ];
  for (const value of numbers) expect(law).toContain(value.toLocaleString("en-US"));
});
