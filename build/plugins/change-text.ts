/** Changes in the text of a vendor's file, each of which must be there exactly once. */

/** What the file says → what it should say. */
export type TextChange = readonly [before: string, after: string];

/** Applies the changes; throws when one of the texts is not there exactly once. */
export function changeText(whose: string, text: string, changes: readonly TextChange[]): string {
  return changes.reduce((changed, [before, after]) => {
    const parts = changed.split(before);
    if (parts.length !== 2) throw new Error(`${whose} does not say as it used to: ${before}`);
    return parts.join(after);
  }, text);
}
