import { expect, test } from "vitest";
import { defaultCodeCacheDirectory } from "../../../src/parent/code-cache-directory.ts";

test.each([
  ["linux", {}, "/home/a", "/home/a/.cache/little-harness"],
  ["linux", { XDG_CACHE_HOME: "/var/cache/a" }, "/home/a", "/var/cache/a/little-harness"],
  // The specification says to ignore one that is not absolute.
  ["linux", { XDG_CACHE_HOME: "cache" }, "/home/a", "/home/a/.cache/little-harness"],
  ["darwin", { XDG_CACHE_HOME: "/var/cache/a" }, "/Users/a", "/Users/a/Library/Caches/little-harness"],
  ["linux", {}, "", null],
  ["win32", {}, "/home/a", null],
] as const)(
  "on %s with %j and the home directory %j compiled code is kept in %j",
  (platform, environment, home, expected) => {
    expect(defaultCodeCacheDirectory(platform, environment, home)).toBe(expected);
  },
);
