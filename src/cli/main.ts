/** `little-harness`: dispatches, no more. `--help` must not load the sandbox, so each command loads late. */
import { parseCommandLine } from "./parse-args.ts";
import { UsageError } from "./usage-error.ts";

async function main(argv: readonly string[]): Promise<number> {
  const invocation = parseCommandLine(argv);
  switch (invocation.command) {
    case "help": {
      const { helpText } = await import("./help.ts");
      process.stdout.write(helpText(invocation.topic));
      return 0;
    }
    case "version": {
      const { packageVersion } = await import("./version.ts");
      process.stdout.write(`${packageVersion()}\n`);
      return 0;
    }
    case "doctor": {
      const { runDoctor } = await import("./doctor.ts");
      return runDoctor(invocation);
    }
    case "doctor-data-dir": {
      const { runDoctorDataDir } = await import("./doctor-data-dir.ts");
      return runDoctorDataDir(invocation);
    }
    case "shell": {
      const { runShell } = await import("./shell.ts");
      return runShell(invocation);
    }
    case "verify": {
      const { runVerify } = await import("./verify.ts");
      return runVerify(invocation);
    }
    case "serve-log": {
      const { runServeLog } = await import("./serve-log.ts");
      return runServeLog(invocation);
    }
    case "exec": {
      const { runExec } = await import("./exec.ts");
      return runExec(invocation);
    }
  }
}

try {
  // Set, not exit(): what is still in the pipe of a slow reader must get out.
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`little-harness: ${error.message}\nlittle-harness: see "little-harness --help"\n`);
  process.exitCode = 2;
}
