/**
 * `little-harness serve-log`: a session log as a service, until SIGTERM or SIGINT. Its URL is the one line on standard
 * output; all else is on standard error.
 */
import { readFileSync } from "node:fs";
import { fileSessionLog } from "../session-log/file-log.ts";
import { memorySessionLog } from "../session-log/memory-log.ts";
import { startSessionLogServer } from "../session-log/server.ts";
import type { HarnessSessionLog } from "../shared/session-log.ts";
import { EXIT_BY_SIGNAL } from "./exit-codes.ts";
import { messageOf } from "./message-of.ts";
import type { ServeLogInvocation } from "./parse-serve-log.ts";

/** The variable of the environment that holds the token. */
const TOKEN_VARIABLE = "LITTLE_HARNESS_LOG_TOKEN";

/** Serves until a signal; gives the exit code. */
export async function runServeLog(invocation: ServeLogInvocation): Promise<number> {
  // Who reads here may go: there is nobody left to tell then, and the log is served on.
  process.stderr.on("error", () => undefined);
  const store = openStore(invocation);
  try {
    const authToken = readToken(invocation.tokenFile);
    // Not before: a file that blocks, as a pipe does, lets no handler run, and a signal must end the process.
    const stopped = stopSignal();
    await probe(store);
    const { port, host } = invocation;
    const server = await startSessionLogServer({
      store,
      authToken,
      port,
      host,
      onError: (error) => tell(messageOf(error)),
    });
    if (invocation.path === null)
      tell("the log is in memory: it is lost when this process ends (--path keeps it)");
    if (authToken === undefined) tell("there is no token: every user of this machine can read and append");
    process.stdout.write(`${server.url}\n`);
    await stopped;
    await server.close();
    return 0;
  } catch (error) {
    tell(messageOf(error));
    return 1;
  } finally {
    await store.close();
  }
}

function openStore({ path, sync }: ServeLogInvocation): HarnessSessionLog {
  return path === null ? memorySessionLog() : fileSessionLog({ path, sync });
}

/** Opens what is opened by the first call: a file that cannot be used must fail here, and not under a client. */
async function probe(store: HarnessSessionLog): Promise<void> {
  await store.read("probe", { limit: 1 });
}

/** Without the newline that editors put behind it. */
function readToken(file: string | null): string | undefined {
  if (file === null) return process.env[TOKEN_VARIABLE];
  return readFileSync(file, "utf8").replace(/\r?\n$/, "");
}

/** Resolves at the first signal; the second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => {
        if (isStopping) process.exit(EXIT_BY_SIGNAL[signal]);
        isStopping = true;
        resolve();
      });
  });
}

function tell(text: string): void {
  process.stderr.write(`little-harness: ${text}\n`);
}
