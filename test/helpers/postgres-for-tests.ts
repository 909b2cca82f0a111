/** Global setup: one Postgres server for all files of a project that need one, with a schema for each test. */
import type { TestProject } from "vitest/node";
import { findPostgres, startPostgres } from "./postgres-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The connection string; `""` where no server is installed. */
    readonly postgres: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findPostgres() === undefined) {
    provide("postgres", "");
    return undefined;
  }
  // Of what is on the disk after a crash, tests with servers of their own know.
  const server = await startPostgres(["fsync=off", "max_connections=200"]);
  provide("postgres", server.connectionString);
  return () => server.remove();
}
