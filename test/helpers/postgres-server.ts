/** A real Postgres server for a test: of its own, without a port, gone with the process that asked for it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../../build/paths.ts";

export interface PostgresServer {
  readonly connectionString: string;
  /** Where its socket is. */
  readonly directory: string;
  /** Ends it as a crash does: what was not on the disk is lost. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes what it had. */
  remove(): Promise<void>;
}

/** The programs of a server: those on `PATH`, or the newest that Debian keeps; undefined where there are none. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return places.find((place) => ["initdb", "postgres"].every((name) => existsSync(join(place, name))));
}

/** What the names of tests say that are skipped. */
export const WITHOUT_POSTGRES =
  findPostgres() === undefined ? " (skipped: no Postgres server is installed)" : "";

/** @param settings Of the server: `name=value`. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error("No Postgres server is installed.");
  const keeper = spawn(
    process.execPath,
    [join(root, "test/fixtures/postgres/keep-server.mjs"), bin, ...settings],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const hear = answersOf(keeper);
  const directory = await hear();
  const tell = async (word: string) => {
    keeper.stdin?.write(`${word}\n`);
    await hear();
  };
  return {
    connectionString: `postgresql://harness@/postgres?host=${directory}`,
    directory,
    crash: () => tell("stop"),
    start: () => tell("start"),
    async remove() {
      keeper.stdin?.end();
      if (keeper.exitCode === null) await once(keeper, "exit");
    },
  };
}

/** The next line of a keeper, or that it ended. */
function answersOf(keeper: ChildProcess): () => Promise<string> {
  if (keeper.stdout === null) throw new Error("no stdout");
  const lines = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]();
  return async () => {
    const line = await lines.next();
    if (line.done === true) throw new Error("The keeper of the Postgres server has ended; stderr says why.");
    return line.value;
  };
}
