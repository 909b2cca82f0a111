/** Files: what runs a script, opening for reading and writing. */
import { type EngineFault, INTERPRETER } from "./fault.ts";

export const fileFaults: readonly EngineFault[] = [
  {
    mark: INTERPRETER,
    imports: {
      scriptText: "build/shims/script-text.ts",
      withDescriptorFiles: "src/engine/descriptor-files.ts",
      stdoutDeviceOf: "build/shims/live-output.ts",
    },
    changes: [
      // No fault: a command is told where its output goes, if that is the wire, so that it may send large ones itself.
      [
        "let S=await ef(this.ctx,u,f);",
        "let S=await ef(this.ctx,u,f);this.ctx.state.stdoutDevice=stdoutDeviceOf(t.redirections);",
      ],
      [
        "xpgEcho:i.state.shoptOptions.xpg_echo,",
        "xpgEcho:i.state.shoptOptions.xpg_echo,stdoutDevice:i.state.stdoutDevice,",
      ],
      // After the first `<(…)` of a session its file system had lost calls: no pattern matched a name any more.
      [
        "e.fs=new _n({base:e.fs,mounts:[{mountPoint:os,filesystem:t}]}),e.state.processSubstitutionFsMounted=!0",
        "e.fs=withDescriptorFiles(e.fs,t,os),e.state.processSubstitutionFsMounted=!0",
      ],
      // The first line of a script says what runs it.
      [
        "let i;try{i=await e.fs.readFile(t)}catch{return",
        "let i;try{i=scriptText(await e.fs.readFile(t),t)}catch{return",
      ],
      // `<>` needs the right to write, and creates a file that is missing only then.
      [
        "async function yo(e,t,n){let r=e.fs.resolvePath(e.state.cwd,t);try{",
        'async function yo(e,t,n){let r=e.fs.resolvePath(e.state.cwd,t);if(n)await e.fs.appendFile(r,"");try{',
      ],
      // A file of `(cd x; …) > file` was opened where the commands began, and written where they had gone.
      [
        "let s=new Map,i=new Map,o=(g,y)=>e.state.closedStandardFds",
        "let s=Object.assign(new Map,{cwd:e.state.cwd}),i=new Map,o=(g,y)=>e.state.closedStandardFds",
      ],
      [
        "let N=e.fs.resolvePath(e.state.cwd,k);A===1?h=",
        "let N=e.fs.resolvePath(r.cwd??e.state.cwd,k);A===1?h=",
      ],
      [
        'case"&>":{h={kind:"file",path:e.fs.resolvePath(e.state.cwd,k)',
        'case"&>":{h={kind:"file",path:e.fs.resolvePath(r.cwd??e.state.cwd,k)',
      ],
      [
        'case"&>>":{h={kind:"file",path:e.fs.resolvePath(e.state.cwd,k)',
        'case"&>>":{h={kind:"file",path:e.fs.resolvePath(r.cwd??e.state.cwd,k)',
      ],
    ],
  },
  {
    mark: 'name:"cat",async execute',
    imports: { catLive: "build/shims/live-output.ts" },
    changes: [
      // No fault: a large file crosses as bytes, while it is read.
      [
        "async execute(n,t){if(q(n))return F(B);",
        "async execute(n,t){if(t.stdoutDevice!==void 0){let live=await catLive(n,t);if(live!==null)return live}if(q(n))return F(B);",
      ],
    ],
  },
];
