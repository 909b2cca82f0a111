/**
 * The one byte that goes over the lifeline, from the worker to the parent, right before the worker ends itself
 * for memory: without it that death is a SIGKILL like any other. A worker that lies with it explains its own
 * death and nothing else.
 */
export const MEMORY_MARK = 0x4d;
