/**
 * `little-harness doctor`: what this machine can give, each wall probed. Exit code 1 when something that was
 * promised is broken; what a machine merely does not have is no fault.
 */
import { findBroken } from "./doctor-report.ts";
import { doctorText } from "./doctor-text.ts";
import { EXIT_BY_SIGNAL } from "./exit-codes.ts";
import { openOutput } from "./output.ts";
import type { DoctorInvocation } from "./parse-doctor.ts";

/** Prints the report and ends this process with the exit code. */
export async function runDoctor({ json, ...input }: DoctorInvocation): Promise<never> {
  const stop = new AbortController();
  let stoppedBy: "SIGINT" | "SIGTERM" | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      stoppedBy ??= signal;
      stop.abort();
    });
  const stdout = openOutput(process.stdout, () => undefined);
  const { diagnose } = await import("./diagnose.ts");
  const report = await diagnose(input, stop.signal);
  const broken = findBroken(report);
  if (stoppedBy === undefined)
    stdout.write(json ? `${JSON.stringify({ ...report, broken }, null, 2)}\n` : doctorText(report, broken));
  await stdout.flushed();
  // A step that was given up may still hold the event loop.
  process.exit(stoppedBy === undefined ? Math.min(broken.length, 1) : EXIT_BY_SIGNAL[stoppedBy]);
}
