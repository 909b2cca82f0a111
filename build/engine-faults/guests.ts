/** `python3`, `js-exec` and `sqlite3`: their command lines, and what the worker does when a thread of theirs fails. */
import { type EngineFault, INTERPRETER } from "./fault.ts";

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
  {
    mark: "js-exec - Sandboxed JavaScript/TypeScript runtime",
    changes: [
      // Standard input is the script's, unless the script itself came that way; only exported variables are seen.
      ["jsCode:r,cwd:e.cwd", 'jsCode:r,stdin:t==="<stdin>"?"":e.stdin,cwd:e.cwd'],
      ["env:q(e.env)", "env:q(new Map(Object.entries(e.exportedEnv??{})))"],
      ["if(i.resolve=d=>{i.controller.close(),o(d)}", "if(i.resolve=d=>{i.controller.close(),e.stop(),o(d)}"],
      // `--help` after the script is the script's.
      ["if(M(r))return{stdout:P", "if(M(r.slice(0,1)))return{stdout:P"],
      ['if(s==="-c")', 'if(s==="-c"||s==="-e"||s==="--eval")'],
      [
        "console, and fetch are available. All I/O is synchronous.",
        "console, timers and fetch are available; the script ends when nothing is left to wait for.",
      ],
      [
        "os, url, assert, util, events, buffer, stream,\n    string_decoder, querystring",
        "os, url, assert, util, events, buffer, stream, readline, timers,\n    crypto (hashes, random), zlib (sync), string_decoder, querystring;\n    files (./lib.js, ./data.json) and packages in node_modules",
      ],
      [
        "http, https, net, tls, crypto, zlib, dns, cluster, worker_threads,\n  vm, v8, readline, and other",
        "http, https, net, tls, dns, cluster, worker_threads,\n  vm, v8, and other",
      ],
    ],
  },
  {
    mark: 'name:"sqlite3",async execute',
    imports: {
      sqliteCall: "src/engine/guests/sqlite-command.ts",
      sqliteFiles: "src/engine/guests/sqlite-command.ts",
    },
    changes: [
      // The command line is ours, run beside the database (`build/shims/sqlite-shell.ts`).
      ['if(R(e)||e.includes("-help"))return N(Ee);let r=Se(e);', "let r=await sqliteCall(e,t);"],
      [
        'let j="",A=!1;for(let h of l.results)',
        'let j="",A=0;if(l.results[0]?.type==="shell"){let h=l.results.shift();E=h.stdout,A=h.exitCode,j=await sqliteFiles(t,h)}for(let h of l.results)',
      ],
      ["exitCode:A?1:0", "exitCode:Number(A)"],
    ],
  },
  {
    mark: INTERPRETER,
    imports: { offLanguage: "src/engine/guests/off-language.ts" },
    changes: [
      // A language that is off was said to be missing in browsers.
      [
        "if(!c)return ru(t)?D(`bash: ${t}: command not available in browser environments. Exclude '${t}' from your commands or use the Node.js bundle.\n`,127)",
        "if(!c){const off=offLanguage(t,i.commands);if(off!==null)return D(off,127)}if(!c)return ru(t)?D(`bash: ${t}: command not found\n`,127)",
      ],
    ],
  },
];
