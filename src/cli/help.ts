/** The help texts. Loads nothing of the sandbox. */
import type { HelpTopic } from "./parse-args.ts";

const GENERAL = `little-harness: run scripts over real directories, in a child process that has nothing.

  little-harness exec [options] [-- 'script' [args…] | FILE [args…] | -]
  little-harness shell [options]
  little-harness doctor [options] [DIR]
  little-harness verify [options] LOG
  little-harness serve-log [options]
  little-harness help exec|shell|doctor|verify|serve-log
  little-harness --version
`;

const EXEC = `little-harness exec: run one script.

  little-harness exec [options] -- 'script' [args…]   the script itself
  little-harness exec [options] FILE [args…]          a file of this machine
  little-harness exec [options] [-]                   from standard input

  -m, --mount /inside=dir[:ro]   show a directory inside; may be repeated; read-write unless :ro.
                                 None given: an empty directory at /workspace, removed afterwards.
      --cwd /inside              where the script starts (default: the first mount)
  -e, --env NAME=VALUE           one variable for the script; may be repeated. Nothing else gets in.
      --timeout 30s              end the script after this time (ms, s, m, h); exit code 124
      --max-output N             bytes kept per stream (also 64k, 10m)
      --sandbox KIND             subprocess (a child process, the default), just-bash (in this process; no
                                 boundary, and no end for a loop that never yields), or auto: just-bash
                                 when both languages are off
      --no-python                without python3
      --no-javascript            without js-exec
      --no-stdin                 do not pass standard input on (without it, a pipe or file is read to its end)
      --json                     print one JSON object and nothing else: exitCode, ending, durationMs,
                                 stdout, stderr, truncated, changes, stateRestored
      --events                   print each event as one line of JSON on standard error
  -h, --help                     this text

Exit code: the script's own; 124 at the time limit, 137 when killed, 126 when refused, 125 when the
sandbox failed; 130 after Ctrl-C, 2 when this command line was wrong.

  little-harness exec -m /data=./data:ro -- 'grep -rl overdue /data | sort'
  little-harness exec -m /work=. --timeout 10s report.sh 2024 Q3
  echo 'seq 3 | tac' | little-harness exec --json -
`;

const SHELL = `little-harness shell: a prompt over a session, or over directories.

  little-harness shell [--data-dir DIR] [--session ID] [options]   a session: /session, /artifacts,
                                                                   /persistent, /.agents (read-only)
  little-harness shell --mount /inside=dir[:ro]… [options]         these directories

      --data-dir DIR             where sessions are kept (default: .little-harness)
      --session ID               the session to work in; made when there is none (default: a new one)
  -m, --mount /inside=dir[:ro]   show a directory inside; may be repeated; read-write unless :ro
      --cwd /inside              where the shell starts (default: /session, or the first mount)
  -e, --env NAME=VALUE           one exported variable; may be repeated. Nothing else gets in.
      --timeout 30s              end a command after this time (ms, s, m, h; default: 2m); status 124
      --max-output N             bytes of a command kept per stream (also 64k, 10m)
      --sandbox KIND             subprocess (a child process, the default), just-bash (in this process; no
                                 boundary, and no end for a loop that never yields), or auto: just-bash
                                 when both languages are off
      --isolation RUNG           process (the default), hardened, namespace, or auto
      --tier1                    from the first command on that the sandbox lacks (git, make, …), run commands
                                 with this machine's own programs in a bubblewrap jail (Linux)
      --no-python                without python3
      --no-javascript            without js-exec
      --raw                      let control characters of commands reach the terminal (without it, colours
                                 pass and the rest is shown as ^[ and the like)
      --events                   print each event as one line of JSON on standard error
  -h, --help                     this text

Directory, variables and functions last from line to line. Tab completes, the arrows go through what was
typed before, Ctrl-C ends the running command, Ctrl-D or "exit [n]" on a line of its own leaves. Lines
that begin with a blank are not remembered. Without a terminal on standard input, its lines are run one
by one without a prompt.

Exit code: that of "exit", or the status of the last command; 125 when the sandbox failed, 130 after
Ctrl-C without a terminal, 2 when this command line was wrong.

  little-harness shell --session trial
  little-harness shell -m /work=. --isolation auto
`;

const DOCTOR = `little-harness doctor: what this machine can give, tried for real; or the health of a data directory.

  little-harness doctor [options]
  little-harness doctor [--json] DIR   sessions, turns, events and locks below DIR; changes nothing

      --isolation RUNG           try this rung alone, and call it broken when it is not available:
                                 process, hardened or namespace; auto (the default) tries all three
      --node PATH                the Node.js that runs the worker (default: the one that runs this)
      --worker PATH              the built worker: dist/worker or its main.js (default: looked up as
                                 the library does)
      --json                     print one JSON object and nothing else
  -h, --help                     this text

Starts each rung, probes its walls, runs each language. ok: it is there; --: it is not, and nothing
promised it; FAIL: it is broken. Exit code: 0 when nothing is broken, 1 when something is, 2 when this
command line was wrong.

  little-harness doctor
  little-harness doctor --isolation namespace --json
`;

const VERIFY = `little-harness verify: whether a session log is as it was written; changes nothing.

  little-harness verify [--json] [--head RUN=SEQUENCE:HASH]… LOG

      --head RUN=SEQUENCE:HASH   this event must be there, with this hash; may be repeated. What is cut off
                                 at the end of a log shows in no other way: keep the heads that --json prints.
      --json                     print one JSON object and nothing else: the last event of each run, findings
  -h, --help                     this text

Finds every edit, removal, gap, copy and change of order, and says in which line, run and event. May run
while a process appends. Exit code: 0 when the log is whole, 1 when it is not, 2 when it cannot be read or
this command line was wrong.

  little-harness verify sessions.ndjson
`;

const SERVE_LOG = `little-harness serve-log: a session log as a service over HTTP, until SIGTERM or Ctrl-C.

  little-harness serve-log [options]

      --path FILE                keep the log in this file, made when it is missing; one process at a time.
                                 Without it the log is in memory and lost at the end.
      --no-sync                  answer before the file is on the disk: a loss of power may lose events
      --port N                   listen here (default: 8787; 0: a free one)
      --host HOST                address or name to listen on (default: 127.0.0.1)
      --token-file FILE          the token that clients must present
  -h, --help                     this text

The token is in the file or in the variable LITTLE_HARNESS_LOG_TOKEN, never on a command line. Without one
the service starts on a loopback address alone. Its URL is printed on standard output, all else on standard
error. The connection is not encrypted: put a proxy with TLS in front of it when others share the network.

Exit code: 0 after SIGTERM or Ctrl-C, with the last append answered; 1 when it cannot start; 2 when this
command line was wrong.

  LITTLE_HARNESS_LOG_TOKEN=… little-harness serve-log --path sessions.ndjson
`;

const TOPICS = { exec: EXEC, shell: SHELL, doctor: DOCTOR, verify: VERIFY, "serve-log": SERVE_LOG } as const;

/** The text for one topic, ending in a newline. */
export function helpText(topic: HelpTopic): string {
  return topic === "all" ? [GENERAL, ...Object.values(TOPICS)].join("\n") : TOPICS[topic];
}
