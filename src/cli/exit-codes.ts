/** Exit codes of the command line that are not a script's own. */

/** As docker: the tool failed, not the script. */
export const SANDBOX_FAILED = 125;

/** 128 + the number of the signal, as shells report it. */
export const EXIT_BY_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 } as const;
