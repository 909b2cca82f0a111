/**
 * Text and bytes: what a script writes arrives byte for byte. In the engine a string is text, in which bytes that
 * are no UTF-8 are lone surrogates, or a byte string; these changes keep the two apart where it mixed them.
 */
import { type EngineFault, INTERPRETER } from "./fault.ts";

const textAndBytes = "build/shims/text-and-bytes.ts";

export const byteFaults: readonly EngineFault[] = [
  {
    mark: 'f(e.length,n,"UTF-8 decode")',
    imports: { bytesToText: textAndBytes, textToBytes: textAndBytes },
    changes: [
      // What is no UTF-8 as a whole was taken for Latin-1, and a byte order mark was dropped.
      [
        "let o=!1;for(let i=0;i<e.length;i++){let c=e.charCodeAt(i);if(c>255)return e;c>127&&(o=!0)}if(!o)return e;" +
          "let r=new Uint8Array(e.length);for(let i=0;i<e.length;i++)r[i]=e.charCodeAt(i);" +
          "try{return u.decode(r)}catch{return e}",
        "return bytesToText(e)",
      ],
      // A stray byte in text became U+FFFD.
      [
        'let e=y.encode(t),o="";for(let r=0;r<e.length;r++)o+=String.fromCharCode(e[r]);return o',
        "return textToBytes(t)",
      ],
      ["(n+=4,e++):n+=3}else n+=3}return n", "(n+=4,e++):n+=3}else n+=o>=56448&&o<=56575?1:3}return n"],
    ],
  },
  {
    mark: INTERPRETER,
    imports: {
      bytesToText: textAndBytes,
      variableText: textAndBytes,
      characterAt: textAndBytes,
      delimiterByte: textAndBytes,
      substitutionText: textAndBytes,
      ansiQuoted: textAndBytes,
      fileSystemWithStdin: textAndBytes,
      isStdinPath: textAndBytes,
      dollarQuoted: textAndBytes,
      needsDollarQuotes: textAndBytes,
      singleQuoted: textAndBytes,
    },
    changes: [
      // Results were decoded once more: `bash -c 'echo Ã©'` printed é.
      ["t.stdout=_f(t.stdout),t.stderr=_f(t.stderr),t}", "t}"],
      // Of text whose first 8192 characters are ASCII the rest was written as Latin-1.
      [
        'let n=Math.min(e.length,8192);for(let r=0;r<n;r++)if(e.charCodeAt(r)>127)return"utf8";return"binary"}',
        'return"utf8"}',
      ],
      // Bytes on stdout and text on stderr, sent to one place.
      [
        'let S=l,v=c;l="",c="",',
        'let S=l,v=c;if(d==="binary"&&(v!==""||h.kind==="live-stderr"))' +
          'S=bytesToText(S),d="utf8",t={...t,stdoutKind:"text",stdoutEncoding:void 0};l="",c="",',
      ],
      // Here-documents, here-strings and files behind a descriptor of their own are bytes, as they are behind stdin.
      [
        'lt(e,C,{kind:"input",content:A}),e.state.env.set(y.fdVariable',
        'lt(e,C,{kind:"input",content:Tt(A)}),e.state.env.set(y.fdVariable',
      ],
      [
        'lt(e,S,{kind:"input",content:A})}else if(S===0||',
        'lt(e,S,{kind:"input",content:Tt(A)})}else if(S===0||',
      ],
      ['let C={kind:"input",content:A};r.policy', 'let C={kind:"input",content:Tt(A)};r.policy'],
      ['P={kind:"input",content:`${v}\n`}', 'P={kind:"input",content:Tt(`${v}\n`)}'],
      ['lt(e,A,{kind:"input",content:`${v}\n`})', 'lt(e,A,{kind:"input",content:Tt(`${v}\n`)})'],
      ["let s=await e.fs.readFile(r);return n?", "let s=await vn(e.fs,r);return n?"],
      [
        "let a=o.content.slice(0,o.position)+r+",
        's!=="binary"&&(r=Tt(r),s="binary");let a=o.content.slice(0,o.position)+r+',
      ],
      // `read`: a character is not a byte, and no variable holds a NUL.
      ['let S=i===""?"\\0":i,v="",k=0,A=', 'let S=delimiterByte(i),v="",k=0,A='],
      [
        "let _=Math.min(l,b.length);v=b.substring(0,_),C(v),N=_,P=_>=l,$(N);",
        'let _=0;for(;_<l&&N<b.length;){let T=characterAt(b,N);N+=T.length;T!=="\\0"&&(v+=T,_++)}' +
          "v=variableText(v),C(v),P=_>=l,$(N);",
      ],
      ["let oe=b[T];if(oe===S){N=T+1,F=!0;break}", "let oe=characterAt(b,T);if(oe===S){N=T+1,F=!0;break}"],
      ["else A(oe),T++,_++,N=T}", 'else oe!=="\\0"&&(A(oe),_++),T+=oe.length,N=T}'],
      // A line without a backslash is taken as a whole: one character at a time was most of the work.
      [
        "else{N=0;let _=0;for(;_<b.length;){let T=b[_];if(T===S){",
        'else{N=0;let _=0,z=b.indexOf(S),K=z<0?b:b.slice(0,z);(s||!K.includes("\\\\"))&&(A(K),_=K.length);' +
          "for(;_<b.length;){let T=b[_];if(T===S){",
      ],
      ["$(N)}S===`\n`&&v.endsWith(`\n`)", "$(N)}v=variableText(v);S===`\n`&&v.endsWith(`\n`)"],
      [
        'bytes)`,"string_length");f.push(g)};for(;d<u.length;)',
        'bytes)`,"string_length");f.push(bytesToText(g))};r=delimiterByte(r);for(;d<u.length;)',
      ],
      // `$(…)` kept NULs, in variables that broke later commands.
      [
        'let m=p.stdout.replace(/\\n+$/,"");return Kt(m',
        "let m=substitutionText(p.stdout,e.state);return Kt(m",
      ],
      [
        'let h=p.stdout.replace(/\\n+$/,"");return Kt(h',
        "let h=substitutionText(p.stdout,e.state);return Kt(h",
      ],
      ['let w=m.replace(/\\n+$/,"");return Kt(w', "let w=substitutionText(m,e.state);return Kt(w"],
      // `$'…'`: bytes were Latin-1, `\u` took four digits whatever they were, `\U` was unknown.
      [
        'function ul(e,t,n){let r="",s=n;for(;s<t.length&&t[s]!=="\'";){',
        "function ul(e,t,n){let{text:r,end:s}=ansiQuoted(t,n);for(;!1;){",
      ],
      // The standard input as a file.
      [
        "try{c=await vn(e.fs,A),u=-1,",
        'try{c=isStdinPath(A)?n||e.state.groupStdin||"":await vn(e.fs,A),u=-1,',
      ],
      [
        "m=await e.fs.readFile(h);e.state.lastExitCode=0,",
        'm=isStdinPath(h)?bytesToText(e.state.groupStdin??""):await e.fs.readFile(h);e.state.lastExitCode=0,',
      ],
      ["let m={fs:i.fs,fsIdentity:", "let m={fs:fileSystemWithStdin(i.fs,n,d),fsIdentity:"],
      // `source`: its input is that of the commands in the file.
      ['if(t==="source"||t===".")return Xo(c,n);', 'if(t==="source"||t===".")return Xo(c,n,s);'],
      ["async function Xo(e,t){let n=t;", "async function Xo(e,t,given){let n=t;"],
      [
        "try{i=await e.fs.readFile(c),s=c}catch{}}else{let u=(",
        'try{i=isStdinPath(c)?bytesToText(given||e.state.groupStdin||""):await e.fs.readFile(c),s=c}catch{}}else{let u=(',
      ],
      [
        "e.state.currentSource=r;try{let c=Ge(i),u=await e.executeScript(c);return l(),u}catch(c){if(l(),",
        "e.state.currentSource=r;let held=e.state.groupStdin;given&&!isStdinPath(r)&&(e.state.groupStdin=given);" +
          "try{let c=Ge(i),u=await e.executeScript(c);return e.state.groupStdin=given?held:e.state.groupStdin,l(),u}" +
          "catch(c){if(given&&(e.state.groupStdin=held),l(),",
      ],
      // Quoting for `${x@Q}` and `declare -p`: bytes that are no character as octal numbers, a quote as bash has it.
      ['function Zt(e){if(e==="")return"\'\'";if(', "function Zt(e){return singleQuoted(e);if("],
      [
        "function gr(e){for(let t=0;t<e.length;t++){let n=e.charCodeAt(t);if(n<32||n===127)return!0}return!1}" +
          'function Ao(e){let t="$\'";for(',
        "function gr(e){return needsDollarQuotes(e)}function Ao(e){return dollarQuoted(e);let t;for(",
      ],
      // `1<>file`: the output went on to stdout.
      [
        'case"&>":{h={kind:"file"',
        'case"<>":{let A=b(v.fd??0);v.fd===1?h=A??h:v.fd===2&&(m=A??m);break}case"&>":{h={kind:"file"',
      ],
    ],
  },
  {
    mark: 'name:"printf",summary',
    imports: { formatPrintf: textAndBytes, beforeNul: textAndBytes },
    changes: [
      // Escapes were Latin-1, numbers had 53 bits, widths counted characters, the format was unescaped before it was read.
      ["s=N(o,t),a=", "s=o,a="],
      ["}=D(s,i,c,d,t-f)", "}=formatPrintf(s,i,c,(H,M)=>j(H,M,d,{maxOperations:t,maxOutputBytes:t}))"],
      ["if(c===0&&i.length>0,n){let g=n.match(", "if(c===0&&i.length>0,n){a=beforeNul(a);let g=n.match("],
    ],
  },
  {
    mark: 'name:"echo",async execute',
    imports: { echoEscapes: textAndBytes },
    changes: [
      // Bytes were Latin-1.
      ["let l=n(t);if(t=l.output", "let l=echoEscapes(t);if(t=l.output"],
      // `-nee` and the like were printed.
      [
        'else if(l==="-ne"||l==="-en")e=!0,o=!0,a++;else break}',
        'else if(/^-[neE]+$/.test(l)){for(let z of l)z==="n"?e=!0:z!=="-"&&(o=z==="e");a++}else break}',
      ],
    ],
  },
  {
    mark: 'if(i==="hex"){let t=new Uint8Array(r.length/2)',
    imports: { escapeStrayBytes: textAndBytes, unescapeStrayBytes: textAndBytes },
    changes: [
      // The files behind `>(…)`.
      ["return u.encode(r)}function h(", "return unescapeStrayBytes(r)}function h("],
      ["return a.decode(r)}function l(", "return escapeStrayBytes(r)}function l("],
    ],
  },
];
