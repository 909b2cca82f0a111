/** What the main thread and the watcher thread share: an `Int32Array`, by index. */

/** Resident MiB above which the watcher ends the process; 0 while no limit is known. */
export const LIMIT_MB = 0;
/** How many requests the main thread works on. The watcher looks often while there is one. */
export const WORK = 1;
/** Nobody changes or wakes this one: to wait on it is to sleep. */
export const SLEEP = 2;

/** The process id of the parent when this process began. */
export const PARENT = 3;

export const CELLS = 4;
