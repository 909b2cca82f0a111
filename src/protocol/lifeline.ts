/**
 * The one byte that goes over the lifeline, from the worker to the parent, right before the worker ends itself
 * for memory: without it that death is a SIGKILL like any other. A worker that lies with it explains its own
 * death and nothing else.
 */
export const MEMORY_MARK = 0x4d;

/** The worker's last argument but the compiled form's, where the kernel ends it with its parent: nothing has to watch. */
export const ENDS_WITH_PARENT_ARGUMENT = "--ends-with-parent";
