import { readFileSync } from "node:fs";

/** The version of this package: its own package.json is the first one above this file, built or not. */
export function packageVersion(): string {
  for (let directory = new URL("./", import.meta.url); ; directory = new URL("../", directory)) {
    try {
      const text = readFileSync(new URL("package.json", directory), "utf8");
      return String((JSON.parse(text) as { version?: unknown }).version);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || directory.pathname === "/") throw error;
    }
  }
}
