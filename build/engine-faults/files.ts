/** Files: what runs a script, opening for reading and writing. */
import { type EngineFault, INTERPRETER } from "./fault.ts";

export const fileFaults: readonly EngineFault[] = [
  {
    mark: INTERPRETER,
    imports: {
      scriptText: "build/shims/script-text.ts",
      withDescriptorFiles: "src/engine/descriptor-files.ts",
    },
    changes: [
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
];
