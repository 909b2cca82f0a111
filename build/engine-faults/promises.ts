/**
 * Functions on the way of each command that are `async` and hand on another's promise. Each costs two promises and three
 * turns of the microtask queue, and with the engine's defenses a `then` that is wrapped twice; they are plain functions
 * here, or wait for it. Nine of them were an eighth of what the worker did for `true`.
 */
import { type EngineFault, INTERPRETER } from "./fault.ts";

export const promiseFaults: readonly EngineFault[] = [
  {
    mark: INTERPRETER,
    changes: [
      ["async executePipeline(t){return", "executePipeline(t){return"],
      ["async executeCommandInner(t,n,r){switch(", "executeCommandInner(t,n,r){switch("],
      ['async executeGroup(t,n="",r=!1){return', 'executeGroup(t,n="",r=!1){return'],
      ["async function vf(e,t,n,r,s=!1){return nt(", "function vf(e,t,n,r,s=!1){return nt("],
      ["async function se(e,t){return Zi(e,t)}", "function se(e,t){return Zi(e,t)}"],
      ["s(n.coverage,e.name,t)}return r.execute(t,n)", "s(n.coverage,e.name,t)}return await r.execute(t,n)"],
    ],
  },
  {
    mark: "static async runTrustedAsync(e)",
    changes: [
      [
        "return p.run({...t,trusted:!0,forceUntrusted:!1},async()=>",
        "return await p.run({...t,trusted:!0,forceUntrusted:!1},async()=>",
      ],
      [
        "return t?p.run({...t,trusted:!1,forceUntrusted:!0},e):e()",
        "return await(t?p.run({...t,trusted:!1,forceUntrusted:!0},e):e())",
      ],
    ],
  },
];
