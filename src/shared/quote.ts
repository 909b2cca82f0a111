/** One word for a shell, whatever the text holds: it reads it back as it is. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** As a shell would be given the text: quoted only where it has to be. */
export function quoteIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quote(text);
}
