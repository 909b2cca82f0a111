/** `python3`, `js-exec` and `node` in a sandbox whose language is off. Called from the engine's own text. */

const LANGUAGES: Readonly<Record<string, readonly [language: string, option: string]>> = {
  python: ["Python", "runtime.python"],
  python3: ["Python", "runtime.python"],
  "js-exec": ["JavaScript", "runtime.javascript"],
  node: ["JavaScript", "runtime.javascript"],
};

/** What the shell says of a command that it did not find because its language is off; null for any other. */
export function offLanguage(name: string, commands: ReadonlyMap<string, unknown>): string | null {
  if (!Object.hasOwn(LANGUAGES, name) || commands.has(name)) return null;
  const [language, option] = LANGUAGES[name] ?? [];
  return `bash: ${name}: command not found: ${language} is off in this sandbox (the option ${option} turns it on)\n`;
}
