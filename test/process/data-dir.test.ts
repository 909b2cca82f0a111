import { test } from "vitest";
import { expectSessionsApart } from "../helpers/killed-sessions.ts";

test("2 processes that make, use and remove the same sessions and are killed never meet in one, and leave only what can be read and used", () =>
  expectSessionsApart(2, 30));
