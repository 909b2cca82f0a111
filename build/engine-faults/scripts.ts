/** What whole scripts need of the language: words that look like assignments, names of files and callers. */
import { type EngineFault, INTERPRETER } from "./fault.ts";

/** `x=1` as a word, where no assignment can be: it was dropped from arrays, and a syntax error elsewhere. */
const words: EngineFault = {
  mark: "syntax error near unexpected token \\`${e.current().value}'",
  changes: [
    [
      "!e.check(E.SEMICOLON,E.NEWLINE,E.DO,E.EOF)&&e.isWord();)i.push(e.parseWord())",
      "!e.check(E.SEMICOLON,E.NEWLINE,E.DO,E.EOF)&&isAnyWord(e);)i.push(anyWord(e))",
    ],
    [
      "function wi(e,t){",
      `function isAnyWord(e){return e.isWord()||e.check(E.ASSIGNMENT_WORD)}
      function anyWord(e){
        if(!e.check(E.ASSIGNMENT_WORD))return e.parseWord();
        const token=e.advance(),word=e.parseWordFromString(token.value,token.quoted,token.singleQuoted,!0);
        return e.parseAdjacentWordParts(word.parts,token.end,Re.Assignment);
      }
      function wi(e,t){`,
    ],
    [
      "e.isWord()||e.error(\"Expected word after 'case'\");let n=e.parseWord()",
      "isAnyWord(e)||e.error(\"Expected word after 'case'\");let n=anyWord(e)",
    ],
    [
      "for(;e.isWord()&&(t.push(e.parseWord()),e.check(E.PIPE));)",
      "for(;isAnyWord(e)&&(t.push(anyWord(e)),e.check(E.PIPE));)",
    ],
    [
      'e.isWord()||e.error("Expected redirection target");',
      'isAnyWord(e)||e.error("Expected redirection target");',
    ],
    // Only after one slash are `#` and `%` the ends of the value.
    [
      'let c=null;t[i]==="#"?(c="start",i++):t[i]==="%"&&(c="end",i++);let u;',
      'let c=null;l||(t[i]==="#"?(c="start",i++):t[i]==="%"&&(c="end",i++));let u;',
    ],
  ],
};

/** `mapfile -d,`: a value that is attached to its letter. */
const attached: EngineFault = {
  mark: INTERPRETER,
  changes: [
    [
      "function jo(e,t,n){",
      `function jo(e,t,n){
        t=t.flatMap(arg=>{
          const[,t="",letter,value]=/^-(t*)(?:([dnOsuCc])(.*))?$/s.exec(arg)??[];
          if(letter===void 0&&t==="")return[arg];
          return[...(t===""?[]:["-t"]),...(letter===void 0?[]:["-"+letter]),...(value?[value]:[])];
        });`,
    ],
  ],
};

/** `local -`: the options of the shell, as they were, when the function ends. */
const shellOptions: EngineFault = {
  mark: INTERPRETER,
  changes: [
    [
      "async function Uo(e,t){",
      `async function Uo(e,t){
        if(t.includes("-")&&e.state.localScopes.length>0){
          const kept=e.state.localOptions??=new Map;
          if(!kept.has(e.state.callDepth))kept.set(e.state.callDepth,{...e.state.options});
          t=t.filter(arg=>arg!=="-");
          if(t.length===0)return L("","",0);
        }`,
    ],
    [
      "e.state.sourceStack?.shift(),e.state.callDepth--}",
      "e.state.sourceStack?.shift(),Object.assign(e.state.options,e.state.localOptions?.get(e.state.callDepth)),e.state.localOptions?.delete(e.state.callDepth),e.state.callDepth--}",
    ],
  ],
};

/** `BASH_SOURCE` at the top of a script, and whether an element of the call stack is set. */
const callers: EngineFault = {
  mark: INTERPRETER,
  changes: [
    [
      "function K(e,t){",
      `function sourcesOf(s){
        const files=(s.sourceStack??[]).map(file=>file==="main"?"environment":file);
        return s.currentSource?[...files,s.currentSource]:files;
      }
      function K(e,t){`,
    ],
    ['t==="BASH_SOURCE"?(e.state.sourceStack??[]).map(', 't==="BASH_SOURCE"?sourcesOf(e.state).map('],
    ['t==="BASH_SOURCE"?(e.state.sourceStack?.length??0)>0', 't==="BASH_SOURCE"?sourcesOf(e.state).length>0'],
    ['case"BASH_SOURCE":{let o=e.state.sourceStack?.[0];', 'case"BASH_SOURCE":{let o=sourcesOf(e.state)[0];'],
    [
      'f>=0?e.state.sourceStack?.[f]??"":""}if(e.state.associativeArrays',
      'f>=0?sourcesOf(e.state)[f]??"":""}if(e.state.associativeArrays',
    ],
    [
      'if(i==="@"||i==="*")return K(e,s).length>0?!0:e.state.env.has(s);',
      'if(i==="@"||i==="*")return K(e,s).length>0?!0:e.state.env.has(s);if(/^(FUNCNAME|BASH_LINENO|BASH_SOURCE)$/.test(s))return K(e,s)[Number(i)]!==void 0;',
    ],
  ],
};

export const scriptFaults: readonly EngineFault[] = [words, callers, attached, shellOptions];
