import { openSandbox } from "./built.ts";
import { firstSentence } from "./row.ts";

/** Why a sandbox with these options does not start here; `null` when it does. */
export async function missingOption(directory: string, options: object): Promise<string | null> {
  try {
    const sandbox = await openSandbox({ mounts: { "/work": directory }, sandbox: "subprocess", ...options });
    try {
      const { exitCode, stderr } = await sandbox.exec("true");
      return exitCode === 0 ? null : firstSentence(stderr);
    } finally {
      await sandbox.dispose();
    }
  } catch (error) {
    return firstSentence(error);
  }
}
