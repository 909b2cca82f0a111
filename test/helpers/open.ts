import { onTestFinished } from "vitest";
import {
  type HarnessEvent,
  type HarnessSandbox,
  type OpenSandboxOptions,
  openSandbox,
} from "../../src/index.ts";
import { tempDir } from "./temp-dir.ts";

/** A sandbox over a fresh directory at `/w`, disposed of after the test, and the events it emitted. */
export async function openForTest(
  options: Partial<OpenSandboxOptions> = {},
): Promise<{ sandbox: HarnessSandbox; directory: string; events: HarnessEvent[] }> {
  const directory = tempDir();
  const events: HarnessEvent[] = [];
  const sandbox = await openSandbox({
    mounts: { "/w": directory },
    sandbox: "subprocess",
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => sandbox.dispose());
  return { sandbox, directory, events };
}
