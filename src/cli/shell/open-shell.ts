/** The sandbox of one `little-harness shell`: in a turn of a session that lasts as long as the shell, or over mounts. */
import type { LocalHost } from "../../host/local-host.ts";
import type { LocalHarnessSession } from "../../host/session.ts";
import { localToolchainSandbox } from "../../providers/local-toolchain-sandbox.ts";
import { chooseFactory } from "../../sandbox/mode.ts";
import { tieredSandbox } from "../../sandbox/tiered-sandbox.ts";
import { isSandboxError } from "../../shared/errors.ts";
import type { HarnessSandbox, HarnessSandboxFactory } from "../../shared/sandbox.ts";
import { messageOf } from "../message-of.ts";
import { nameArgument } from "../name-argument.ts";
import type { ShellInvocation } from "../parse-shell.ts";
import { toOpenMounts } from "../sandbox-options.ts";
import { QuietEvents } from "./quiet-events.ts";

/** An open shell. */
export interface OpenShell {
  readonly sandbox: HarnessSandbox;
  /** What it is over, for people. */
  readonly title: string;
  /** Where what is typed is kept; absent without a data directory. */
  readonly historyFile?: string;
  /** Runs something of which no event tells. */
  quietly<T>(run: () => Promise<T>): Promise<T>;
  /** Releases everything. @param failure why the shell could not go on; without it its turn is completed */
  close(failure?: string): Promise<void>;
}

/** Rejects with a `SandboxError`, and then holds nothing. */
export async function openShell(
  invocation: ShellInvocation,
  onEvent: (event: object) => void,
): Promise<OpenShell> {
  const events = new QuietEvents();
  const factory = events.over(factoryOf(invocation));
  const quietly: OpenShell["quietly"] = (run) => events.during(run);
  return invocation.place.is === "mounts"
    ? await openOverMounts(invocation, invocation.place.mounts, factory, quietly, onEvent)
    : await openInSession(invocation, invocation.place, factory, quietly, onEvent);
}

function factoryOf(invocation: ShellInvocation): HarnessSandboxFactory {
  const { sandbox, isolation, python, javascript, hasTierOne } = invocation;
  const options = isolation === undefined ? {} : { isolation };
  const tier0 = chooseFactory(sandbox, { python, javascript }, options);
  return hasTierOne ? tieredSandbox({ tier0, nextTier: localToolchainSandbox() }) : tier0;
}

async function openOverMounts(
  { cwd, python, javascript }: ShellInvocation,
  mounts: Extract<ShellInvocation["place"], { is: "mounts" }>["mounts"],
  factory: HarnessSandboxFactory,
  quietly: OpenShell["quietly"],
  onEvent: (event: object) => void,
): Promise<OpenShell> {
  const { openSandbox } = await import("../../sandbox/open-sandbox.ts");
  const sandbox = await openSandbox({
    mounts: toOpenMounts(mounts),
    ...(cwd === undefined ? {} : { cwd }),
    sandbox: factory,
    runtime: { python, javascript },
    onEvent,
  }).catch((error: unknown) => {
    throw nameArgument(error, mounts);
  });
  const shown = mounts.map(({ path, access }) => (access === "ro" ? `${path} (read-only)` : path));
  return { sandbox, title: shown.join(", "), quietly, close: () => sandbox.dispose() };
}

async function openInSession(
  { python, javascript }: ShellInvocation,
  { dataDir, sessionId }: Extract<ShellInvocation["place"], { is: "session" }>,
  factory: HarnessSandboxFactory,
  quietly: OpenShell["quietly"],
  onEvent: (event: object) => void,
): Promise<OpenShell> {
  const { localHost } = await import("../../host/local-host.ts");
  const { dataDirectoryAt } = await import("../../host/data-directory.ts");
  const host = localHost({ dataDir, sandbox: factory });
  const { session, isNew } = await openSession(host, sessionId);
  const turn = await host.prepareTurn({ session, runtime: { python, javascript }, onEvent });
  const close = async (failure?: string): Promise<void> => {
    turn.end(failure === undefined ? { status: "completed" } : { status: "failed", error: failure });
    await host.close();
  };
  try {
    const sandbox = await turn.sandbox();
    return {
      sandbox,
      title: `${isNew ? "new session" : "session"} ${session.id} in ${dataDir}`,
      historyFile: dataDirectoryAt(dataDir).shellHistory,
      quietly,
      close,
    };
  } catch (error) {
    await close(messageOf(error));
    throw error;
  }
}

async function openSession(
  host: LocalHost,
  id: string | undefined,
): Promise<{ session: LocalHarnessSession; isNew: boolean }> {
  if (id === undefined) return { session: await host.createSession(), isNew: true };
  try {
    return { session: await host.createSession({ id }), isNew: true };
  } catch (error) {
    if (!isSandboxError(error) || error.code !== "SESSION_EXISTS") throw error;
    return { session: await host.openSession(id), isNew: false };
  }
}
