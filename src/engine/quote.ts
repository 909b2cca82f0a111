/** Quotes a string so that the shell reads it back as it is. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
