import { expect, test } from "vitest";
import { notLoaded } from "../../../src/harness/ai-sdk.ts";

test.each([
  "Cannot find package 'ai' imported from /srv/app/node_modules/@little-stack/harness/dist/index.js",
  "Cannot find module 'ai'",
  'Could not resolve "ai" imported by "@little-stack/harness". Is it installed?',
])("an AI SDK that is not installed is to be installed (%s)", (text) => {
  const { code, message, data } = notLoaded(new Error(text));
  expect({ code, data }).toEqual({ code: "PEER_MISSING", data: { peer: "ai" } });
  expect(message).toMatch(/which is not installed \(.*\): npm install ai$/);
});

test.each([
  'Dynamic require of "path" is not supported',
  "Cannot find package '@ai-sdk/gateway' imported from /srv/app/node_modules/ai/dist/index.mjs",
  "Cannot find module '/srv/app/node_modules/ai/dist/index.mjs'",
])("one that is there and fails says why, and not to install it (%s)", (text) => {
  const cause = new Error(text);
  const error = notLoaded(cause);
  expect(error).toMatchObject({ code: "PEER_MISSING", cause });
  expect(error.message).toMatch(/is there but failed to load \(.+\)\. In a bundle, .*docs\/bundling\.md$/);
  expect(error.message).not.toContain("npm install");
});
