/** `python3` and `js-exec`: their command lines, and what the worker does when a thread of theirs fails. */
import type { EngineFault } from "./fault.ts";

export const guestFaults: readonly EngineFault[] = [
  {
    mark: '"python3 execution"',
    imports: {
      runPython: "src/engine/guests/python-command.ts",
      compiledPython: "src/engine/guests/compiled-python.ts",
      keepCompiled: "src/engine/guests/compiled-python.ts",
    },
    changes: [
      // Which options there are, what standard input means and which variables Python sees is ours.
      ["async execute(t,e){if(D(t))return P(z);", "async execute(t,e){return runPython(t,e,N);"],
      // CPython recurses deeper in C than the 4 MB of an ordinary thread: the RangeError would be its end.
      [
        "new L(H,{workerData:e.input})",
        "new L(H,{workerData:{...e.input,compiled:compiledPython()},resourceLimits:{stackSizeMb:32}})",
      ],
      [
        'o=>{try{e.controller.assertMessageSize(o,"response")',
        'o=>{if(keepCompiled(o))return;try{e.controller.assertMessageSize(o,"response")',
      ],
      // A thread that failed answers nothing more: without a stop the bridge waits for it until the deadline.
      ["settle:y=>{f||(f=!0,u.close(),l(y))}", "settle:y=>{f||(f=!0,u.close(),p.stop(),l(y))}"],
    ],
  },
];
