/**
 * Names that a shell lacks and must not fail over: the script that reaches one ends there. For what only a higher
 * tier has, and only run time could tell (`"$x" log`, `bash -c "$x"`). Such a name stays unknown otherwise: no file, no
 * builtin, nothing for `command -v` or `type` to find. Asked by the interpreter's own text (`build/engine-faults/control.ts`)
 * once it has found no function, alias, builtin or file of that name.
 */

/** What one shell does when a script reaches one of its names. */
export interface TripWire {
  readonly names: ReadonlySet<string>;
  /** Has to end the script; called once or more often, from inside the interpreter. */
  trip(name: string, line: number): void;
}

/** By the table of commands, which one shell and all shells nested in it share. */
const planted = new WeakMap<object, TripWire>();

export function plantTripWire(commands: object, wire: TripWire): void {
  planted.set(commands, wire);
}

/** Where programs lie: a script that names one by its path means the same. */
const PROGRAM_PATH = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/;

/** Called for a command that was not found; `true`: the script has been ended. */
export function trips(commands: object, command: string, line: number): boolean {
  const wire = planted.get(commands);
  const name = PROGRAM_PATH.exec(command)?.[1] ?? command;
  if (wire?.names.has(name) !== true) return false;
  wire.trip(name, line);
  return true;
}

/** The one line that a script which was ended says. */
export function tripText(name: string, line: number): string {
  return `little-harness: ${name} (line ${line}) is not in this tier: the script ended there, and what it did before stays; send the rest as a new command\n`;
}
