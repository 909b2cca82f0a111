/**
 * Where one case plays: fresh directories of this host, a workspace over them, and the sandboxes that the case
 * opens. All of it goes when the case ends, however it ends.
 */
import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HarnessEvent } from "../shared/events.ts";
import type { CreateSandboxOptions, ExecOptions, ExecResult, HarnessSandbox } from "../shared/sandbox.ts";
import type { HarnessMount, HarnessWorkspaceSpec } from "../shared/workspace-spec.ts";
import { Check } from "./check.ts";
import { missing, type Need, type ResolvedSuiteOptions } from "./sandbox-options.ts";
import type { ConformanceSuite } from "./suite.ts";

/** A case before it is bound to an adapter. */
export interface SandboxCase {
  readonly name: string;
  /** What must be claimed, or given, for the case to say anything. */
  readonly needs: readonly Need[];
  run(stage: Stage): Promise<void>;
}

/** The directories of every workspace: `/session` is the cwd, rw and tracked; `/plain` untracked; `/docs` read-only. */
export type Place = "session" | "plain" | "docs";

/** Milliseconds after which the stage no longer waits for a sandbox to go. */
const DISPOSE_MS = 10_000;

/** A sandbox with what it told. */
export interface Opened {
  readonly sandbox: HarnessSandbox;
  readonly events: HarnessEvent[];
  exec(command: string, options?: ExecOptions): Promise<ExecResult>;
}

/** Its members need no `this`: cases take them apart. */
export class Stage {
  readonly check: Check;
  readonly options: ResolvedSuiteOptions;
  readonly #root: string;
  readonly #sandboxes: HarnessSandbox[] = [];

  constructor(promise: string, options: ResolvedSuiteOptions, root: string) {
    this.check = new Check(promise);
    this.options = options;
    this.#root = root;
  }

  /** A path on the host. */
  readonly host = (place: Place, ...names: string[]): string => join(this.#root, place, ...names);

  /** The same path inside the sandbox. */
  readonly inside = (place: Place, ...names: string[]): string => {
    const base = this.options.capabilities.mountPaths ? `/${place}` : join(this.#root, place);
    return [base, ...names].join("/");
  };

  readonly mount = (place: Place, rest: Partial<HarnessMount> = {}): HarnessMount => {
    const access = place === "docs" ? "ro" : "rw";
    const at = { path: this.inside(place), backingPath: this.host(place) };
    return { ...at, access, tracked: place !== "plain", ...rest };
  };

  readonly workspace = (rest: Partial<HarnessWorkspaceSpec> = {}): HarnessWorkspaceSpec => ({
    mounts: [this.mount("session"), this.mount("plain"), this.mount("docs")],
    cwd: this.inside("session"),
    capabilities: { python: true, javascript: true },
    ...rest,
  });

  /** Opens a sandbox; `emit` of the options hears of each event besides the list. */
  readonly open = async (options: Partial<CreateSandboxOptions> = {}): Promise<Opened> => {
    const events: HarnessEvent[] = [];
    const sandbox = await this.options.create({
      workspace: this.workspace(),
      ...options,
      emit: (event) => {
        events.push(event);
        return options.emit?.(event);
      },
    });
    this.#sandboxes.push(sandbox);
    const { check } = this;
    const exec = (command: string, execOptions?: ExecOptions): Promise<ExecResult> =>
      check.resolves(`exec(${JSON.stringify(String(command).slice(0, 80))})`, () =>
        sandbox.exec(command, execOptions),
      );
    return { sandbox, events, exec };
  };

  readonly write = async (place: Place, name: string, content: string | Uint8Array): Promise<void> => {
    const file = this.host(place, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };

  /** The text of a file on the host; `null` where there is none. */
  readonly read = async (place: Place, name: string): Promise<string | null> =>
    await readFile(this.host(place, name), "utf8").catch(() => null);

  /** Everything below a directory of the host: path → content, `→ target` of a link, `/` of a directory. */
  readonly tree = async (place: Place): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    const walk = async (below: string): Promise<void> => {
      for (const entry of await readdir(this.host(place, below), { withFileTypes: true })) {
        const name = below === "" ? entry.name : `${below}/${entry.name}`;
        const path = this.host(place, name);
        if (entry.isDirectory()) {
          found[name] = "/";
          await walk(name);
        } else if (entry.isSymbolicLink()) found[name] = `→ ${await readlink(path)}`;
        else found[name] = await readFile(path, "utf8");
      }
    };
    await walk("");
    return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  async end(): Promise<void> {
    const gone = Promise.all(this.#sandboxes.map((sandbox) => sandbox.dispose()));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DISPOSE_MS);
    });
    // A sandbox that cannot be disposed of is found by the case about that, and by no other.
    await Promise.race([gone, late]).catch(() => undefined);
    clearTimeout(timer);
    await rm(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Binds cases to an adapter. */
export function bindCases(
  groups: Readonly<Record<string, readonly SandboxCase[]>>,
  options: ResolvedSuiteOptions,
): ConformanceSuite {
  const all = Object.entries(groups).flatMap(([group, cases]) =>
    cases.map((one) => ({ group, one, capability: missing(one.needs, options) })),
  );
  return {
    name: options.name,
    cases: all
      .filter(({ capability }) => capability === undefined)
      .map(({ group, one }) => ({
        name: one.name,
        group,
        run: () => onStage(one.name, options, (stage) => one.run(stage)),
      })),
    notClaimed: all.flatMap(({ group, one, capability }) =>
      capability === undefined ? [] : [{ name: one.name, group, capability }],
    ),
  };
}

/** Sets a stage, plays on it, and clears it away. */
export async function onStage<T>(
  promise: string,
  options: ResolvedSuiteOptions,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  // Resolved: where the folder for temporary files is a link, as on macOS, the two names would not be equal.
  const root = await realpath(await mkdtemp(join(tmpdir(), "conformance-")));
  for (const place of ["session", "plain", "docs"]) await mkdir(join(root, place));
  const stage = new Stage(promise, options, root);
  await stage.write("docs", "guide.txt", "read me\n");
  try {
    return await play(stage);
  } finally {
    await stage.end();
  }
}
