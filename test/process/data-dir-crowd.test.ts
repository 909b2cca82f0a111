/** More processes than in `data-dir.test.ts`, for longer. Run by `npm run test:slow`. */
import { test } from "vitest";
import { expectSessionsApart } from "../helpers/killed-sessions.ts";

test.each([2, 4])(
  "%i processes that make, use and remove the same sessions and are killed never meet in one, and leave only what can be read and used",
  (count) => expectSessionsApart(count, 60),
);
