/** `docs/remote-session.md` says what the code says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../build/paths.ts";
import { checkClientOptions } from "../../../src/session-log/client-options.ts";
import { checkServerOptions } from "../../../src/session-log/server-options.ts";
import { WIRE_STATUS } from "../../../src/session-log/wire.ts";

const page = readFileSync(join(root, "docs/remote-session.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("every refusal has its row, with its status", () => {
  const shown = rows.flatMap(([, status = "", code = ""]) =>
    /^\d{3}$/.test(status) ? [[code, Number(status)]] : [],
  );
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(Object.entries(WIRE_STATUS).map(([code, status]) => [`\`${code}\``, status])),
  );
});

test("every limit has its row, with its default", () => {
  for (const [name, value] of Object.entries(checkServerOptions({}).limits))
    expect(rows.find(([, option]) => option === `\`${name}\``)?.[3], name).toBe(String(value));
});

test("every other option has its row, and no row is of an option that is not there", () => {
  const known = (call: () => unknown): string[] => {
    try {
      call();
    } catch (error) {
      return [
        ...String(error)
          .replace(/.*Known options:/, "")
          .matchAll(/(\w+)/g),
      ].map(([, name = ""]) => name);
    }
    return [];
  };
  const options = [
    ...known(() => checkServerOptions({ unheardOf: 1 } as object)),
    ...known(() => checkClientOptions({ baseUrl: "http://localhost", unheardOf: 1 } as { baseUrl: string })),
  ];
  const shown = rows.flatMap(([, option = ""]) =>
    [...option.matchAll(/^`([a-z]\w+)`$/g)].map(([, name = ""]) => name),
  );
  expect([...new Set(options)].sort()).toEqual([...new Set(shown)].sort());
});
