/** Values of a store: written, read, removed and listed, by several at once. */
import type { JsonValue } from "../../shared/json.ts";
import type { StoreCase } from "../store-stage.ts";

export const storeValueCases: readonly StoreCase[] = [
  {
    name: "what is written is read, by others too, until it is written over or removed",
    async run({ store, other, check }) {
      check.equal("readJson of nothing", await store.readJson("a/b"), undefined);
      await store.writeJson("a/b", { n: 1 });
      check.equal("what the other reads", await other.readJson("a/b"), { n: 1 });
      await other.writeJson("a/b", [2]);
      check.equal("what the other wrote over it", await store.readJson("a/b"), [2]);
      await store.remove("a/b");
      check.equal("what the other reads after remove", await other.readJson("a/b"), undefined);
      await store.remove("a/b");
    },
  },
  {
    name: "every JSON value comes back as it was, and null is a value",
    async run({ store, check }) {
      const values: JsonValue[] = [null, false, 0, -1.5e-7, "", "ü😀\u0000\n", [], {}, [[], [null]]];
      values.push(JSON.parse('{"__proto__":1,"constructor":{"a":[1,2,3]},"":null}') as JsonValue);
      values.push("x".repeat(300_000));
      for (const value of values) {
        await store.writeJson("value", value);
        check.equal("readJson", await store.readJson("value"), value);
      }
    },
  },
  {
    name: "who reads a value has a copy",
    async run({ store, check }) {
      const value = { list: [1] };
      await store.writeJson("value", value);
      value.list.push(2);
      const read = (await store.readJson("value")) as { list: number[] };
      check.equal("readJson, when what was given to writeJson has changed", read, { list: [1] });
      read.list.push(3);
      check.equal("readJson, when what was read has changed", await store.readJson("value"), { list: [1] });
    },
  },
  {
    name: "paths that differ are apart: by case, by a mark, below each other",
    async run({ store, check }) {
      const long = "Z".repeat(120);
      const paths = [
        "a",
        "A",
        "a.json",
        "a.json/b",
        "a/b",
        "a/B",
        "a:b",
        "a@b",
        "a=b",
        "a+b",
        "a~b",
        "a-b",
        "a_b",
        long,
      ];
      for (const path of paths) await store.writeJson(path, path);
      for (const path of paths) check.equal(`readJson of "${path}"`, await store.readJson(path), path);
      await store.remove("a");
      check.equal('readJson of "a/b" when "a" is gone', await store.readJson("a/b"), "a/b");
      check.equal('listDir of "a"', await store.listDir("a"), ["B", "b"]);
    },
  },
  {
    name: "a path that is none is refused by every method",
    async run({ store, check }) {
      const bad = [
        "/a",
        "a/",
        "a//b",
        "..",
        "../a",
        "a/../b",
        ".a",
        "a.",
        "a b",
        "ä",
        "a\\b",
        "a\0",
        "a".repeat(121),
      ];
      const refuses = (method: string, path: string, call: () => Promise<unknown>) =>
        check.rejects(`${method} of ${JSON.stringify(path)}`, call, "a rejection");
      for (const path of bad) {
        await refuses("readJson", path, () => store.readJson(path));
        await refuses("writeJson", path, () => store.writeJson(path, 1));
        await refuses("remove", path, () => store.remove(path));
        await refuses("listDir", path, () => store.listDir(path));
        await refuses("withLock", path, () => store.withLock(path, {}, async () => undefined));
      }
      await refuses("writeJson", "", () => store.writeJson("", 1));
    },
  },
  {
    name: "listDir gives the next segments, each once, sorted by code units",
    async run({ store, check }) {
      check.equal("listDir of the root of nothing", await store.listDir(""), []);
      check.equal("listDir of nothing", await store.listDir("t"), []);
      for (const path of ["t/b", "t/a", "t/B", "t/a/x", "t/a/y", "t/10", "t/9", "t/a~1", "u"]) {
        await store.writeJson(path, 1);
      }
      check.equal('listDir of "t"', await store.listDir("t"), ["10", "9", "B", "a", "a~1", "b"]);
      check.equal('listDir of "t/a"', await store.listDir("t/a"), ["x", "y"]);
      check.equal("listDir of the root", await store.listDir(""), ["t", "u"]);
      for (const path of ["t/a", "t/a/x", "t/a/y", "t/b"]) await store.remove(path);
      check.equal('listDir of "t" after remove', await store.listDir("t"), ["10", "9", "B", "a~1"]);
    },
  },
  {
    name: "a value is whole, however many write and remove it at once",
    async run({ store, other, check }) {
      const isWhole = (value: JsonValue | undefined) =>
        value === undefined || (Array.isArray(value) && value.length === 2_000 && new Set(value).size === 1);
      await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const by = index % 2 === 0 ? store : other;
          for (let round = 0; round < 4; round++) {
            await by.writeJson(
              "d/value",
              Array.from({ length: 2_000 }, () => index),
            );
            const value = await by.readJson("d/value");
            check.that(isWhole(value), "readJson", value, "the whole of a value that was written");
            if (index % 3 === 0) await by.remove("d/value");
          }
        }),
      );
    },
  },
];
