declare module "just-bash:errors" {
  /** The engine's own class: see `fs-errors.ts`. The build finds it in the engine's bundle. */
  export class BadSubstitutionError extends Error {
    stderr: string;
    constructor(name: string, stdout?: string, stderr?: string);
  }

  /** Ends the shell that runs, as `exit` does. */
  export class ExitError extends Error {
    exitCode: number;
    stdout: string;
    stderr: string;
    constructor(exitCode: number, stdout?: string, stderr?: string);
  }
}
