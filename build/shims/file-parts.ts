/**
 * File calls that just-bash's bridge between its threads lacks: a part of a file read or written, its size, its
 * times. They travel in calls that it has, told apart by the flags: `flags` is one of these, the data begins with
 * numbers of eight bytes each.
 */
export const PART = { read: 1, write: 2, resize: 3, times: 4 } as const;
