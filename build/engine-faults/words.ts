/**
 * Words: arithmetic, subscripts, expansion, what a command is looked up by, what reaches other programs. The
 * rules are in `src/engine/language`; the text here only joins them to the engine's own functions. Longer than most
 * files because it is a list, each part of which stands alone.
 */
import { type EngineFault, INTERPRETER } from "./fault.ts";

/** What `evaluateArithmetic` needs of the interpreter `e`, made once for each. */
const ARITHMETIC_SHELL = String.raw`
const arithmeticShells=new WeakMap,wordsOfText=new Map;
function wordOfText(text,inDoubleQuotes){
  const name=(inDoubleQuotes?"d":"k")+text;
  let word=wordsOfText.get(name);
  if(word===undefined){
    if(wordsOfText.size>=2000)wordsOfText.clear();
    word=new Q().parseWordFromString(text,!1,!1,!1,inDoubleQuotes,!0,!1,!1);
    wordsOfText.set(name,word);
  }
  return word;
}
function arithmeticShellOf(e){
  const target=name=>ue(e,name)?Fe(e,name)??name:name;
  const place=(name,key)=>{
    const at=target(name),part=key===null?/^([A-Za-z_]\w*)\[(.+)\]$/s.exec(at):null;
    return part?[part[1],part[2]]:[at,key];
  };
  const fromEnd=(name,key)=>{
    if(typeof key!=="bigint"||key>=0n)return String(key);
    const last=Math.max(-1,...ve(e,name)),index=BigInt(last+1)+key;
    if(index<0n)throw new ArithmeticFault(name+": bad array subscript");
    return String(index);
  };
  return{
    expand:text=>se(e,wordOfText(text,!0)),
    expandKey:text=>se(e,wordOfText(text,!1)),
    isAssociative:name=>e.state.associativeArrays?.has(target(name))??!1,
    async read(name,key){
      if(key===null){
        const value=SPECIAL_INTEGERS.has(name)||ue(e,name)?void 0:e.state.env.get(name);
        return value??ie(e,name);
      }
      const[at]=place(name,key),index=fromEnd(at,key);
      let value=le(e,at,index);
      if(value===void 0&&index==="0")value=e.state.env.get(at);
      if(value===void 0&&(at==="FUNCNAME"||at==="BASH_LINENO"||at==="BASH_VERSINFO"))value=(K(e,at)[Number(index)]??[])[1];
      if(value===void 0&&e.state.options.nounset)throw new Ve(at+"["+String(key)+"]");
      return value;
    },
    write(name,key,value){
      const[at,sub]=place(name,key);
      const refused=fe(e,at);
      if(refused)return;
      value=jn(e,at,value);
      if(sub===null&&!Ne(e,at)){
        e.state.env.set(at,value);
        if(e.state.tempEnvBindings?.some(bound=>bound.has(at)))(e.state.mutatedTempEnvVars??=new Set).add(at);
        if(e.state.options.allexport)(e.state.exportedVars??=new Set).add(at);
        return;
      }
      const keyed=e.state.associativeArrays?.has(at);
      if(!Ne(e,at)&&e.state.env.has(at)){Z(e,at,0,e.state.env.get(at));e.state.env.delete(at);}
      Z(e,at,sub===null?"0":keyed?String(sub):fromEnd(at,sub),value,keyed?"associative":"indexed");
    },
  };
}
async function arithmeticValue(e,text){
  let shell=arithmeticShells.get(e);
  if(shell===undefined){shell=arithmeticShellOf(e);arithmeticShells.set(e,shell);}
  try{return await evaluateArithmetic(shell,text)}
  catch(error){
    if(error instanceof ArithmeticFault||error instanceof xe)throw new ce(error.message);
    throw error;
  }
}
async function arithmeticOrExit(e,text){
  try{return await arithmeticValue(e,text)}
  catch(error){throw error instanceof ce?new G(1,"",error.stderr):error}
}
function refusedStatus(e){return!e.state.options.errexit&&e.state.bashPid===e.state.virtualPid&&e.state.currentSource===void 0?127:1}
async function elementName(e,name,subscript){
  const shell=arithmeticShellOf(e),at=ue(e,name)?Fe(e,name)??name:name;
  if(shell.isAssociative(name))return at+"[\0"+await shell.expandKey(subscript)+"]";
  return at+"[\0"+String(await arithmeticOrExit(e,subscript))+"]";
}
`;

const arithmetic: EngineFault = {
  mark: INTERPRETER,
  imports: {
    evaluateArithmetic: "src/engine/language/arithmetic.ts",
    ArithmeticFault: "src/engine/language/arithmetic.ts",
    SPECIAL_INTEGERS: "src/engine/language/arithmetic.ts",
    arithmeticEnd: "src/engine/language/arithmetic-text.ts",
    forParts: "src/engine/language/arithmetic-text.ts",
  },
  changes: [
    // The parser keeps the text; what it means is known only when it is expanded.
    [
      "function re(e,t){let n=md(t)",
      `${ARITHMETIC_SHELL}function re(e,t){return{type:"ArithmeticExpression",expression:{type:"ArithText",text:t},originalText:t};let n=md(t)`,
    ],
    [
      "async function Y(e,t,n=!1){return Ln(",
      'async function Y(e,t,n=!1){return t.type==="ArithText"?arithmeticValue(e,t.text):Ln(',
    ],
    [
      'function pe(e){switch(e.type){case"ArithNumber"',
      'function pe(e){switch(e.type){case"ArithText":return e.text;case"ArithNumber"',
    ],
    // As in bash, a wrong expression in an expansion ends the script.
    [
      'case"ArithmeticExpansion":{let s=t.expression.originalText;',
      'case"ArithmeticExpansion":{if(t.expression.expression.type==="ArithText")return String(await arithmeticOrExit(e,t.expression.expression.text));let s=t.expression.originalText;',
    ],
    [
      "}catch(n){return D(`bash: arithmetic expression: ${n.message}",
      "}catch(n){if(!(n instanceof ce))throw n;return D(`bash: ((: ${n.message}",
    ],
    // `let` split its arguments at parentheses and read each as a command.
    [
      "let n=Hh(t),r=0;for(let s of n)try{",
      'let n=t,r=0;for(let s of n)try{r=await Y(e,{type:"ArithText",text:s});continue;',
    ],
    [
      "return D(`bash: let: ${s}: ${i.message}",
      "if(!(i instanceof ce))throw i;return D(`bash: let: ${i.message}",
    ],
    // Where `((…))` and `$((…))` end was guessed from what the first words look like.
    [
      ":this.looksLikeNestedSubshells(n+2)||this.dparenClosesWithSpacedParens(n+2)?",
      ":(this.rawArithmeticEnd=arithmeticEnd(t,n+2)??void 0)===void 0?",
    ],
    [
      "l=this.pendingHeredocDelimiterMode;if(",
      'l=this.pendingHeredocDelimiterMode,rawEnd=this.rawArithmeticEnd;if(rawEnd!==void 0&&(this.rawArithmeticEnd=void 0,rawEnd>n))return this.pos=rawEnd,this.line+=t.slice(n,rawEnd).split("\\n").length-1,{type:E.WORD,value:t.slice(n,rawEnd),start:n,end:rawEnd,line:r,column:s,quoted:!1,singleQuoted:!1};if(',
    ],
    [
      "isDollarDparenSubshell(t,n){return Ta(t,n)}",
      "isDollarDparenSubshell(t,n){return arithmeticEnd(t,n+3)===null}",
    ],
    [
      "parseArithmeticExpansion(t,n){let r=n+3,",
      "parseArithmeticExpansion(t,n){let closing=arithmeticEnd(t,n+3)??t.length;return{part:M.arithmeticExpansion(this.parseArithmeticExpression(t.slice(n+3,closing))),endIndex:closing+2};let r=n+3,",
    ],
    [
      "e.expect(E.DPAREN_END),o[0].trim()&&(r=re(",
      "e.expect(E.DPAREN_END),o=forParts(o[0]),o[0].trim()&&(r=re(",
    ],
  ],
};

const subscripts: EngineFault = {
  mark: INTERPRETER,
  imports: { closingEnd: "src/engine/language/arithmetic-text.ts" },
  changes: [
    // A subscript was expanded twice, lost its backslashes, and ended its key at a line feed. NUL marks one that is done.
    [
      'let u=di(e,t,s,"[","]");if(a+=`[${qr(t.slice(s+1,u))}]`',
      "let u=closingEnd(t,s)-1;if(a+=`[${t.slice(s+1,u)}]`",
    ],
    [
      "i=r.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[(.+)\\]$/);if(i){let[,d,p]=i;if(",
      'i=r.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[(.+)\\]$/s);if(i){let[,d,p]=i;if(p!=="@"&&p!=="*"&&p[0]!=="\\0")r=await elementName(e,d,p);else if(p[0]!=="\\0"&&',
    ],
    ["let[,h,m]=p;if(", 'let[,h,m]=p;if(m!=="@"&&m!=="*")r=await elementName(e,h,m);else if('],
    [
      "let s=t.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[(.+)\\]$/);if(s){let o=s[1],a=s[2];if(ue(e,o))",
      'let s=t.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[(.+)\\]$/s);if(s){let o=s[1],a=s[2],done=a[0]==="\\0";if(done){a=a.slice(1);if(e.state.associativeArrays?.has(o)){let d=le(e,o,a);if(d===void 0&&n&&e.state.options.nounset)throw new Ve(`${o}[${a}]`);return d||""}}if(ue(e,o))',
    ],
    [
      'if(f.length>0)return f.map(([,p])=>p).join(" ");let d=',
      'if(f.length>0)return f.map(([,p])=>p).join(a==="*"?X(e.state.env):" ");let d=',
    ],
    [
      "let r=t.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[(.+)\\]$/);if(r){let s=r[1],i=r[2];if(ue(e,s))",
      'let r=t.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[(.+)\\]$/s);if(r){let s=r[1],i=r[2];if(i[0]==="\\0"){i=i.slice(1);if(e.state.associativeArrays?.has(s))return Ut(e,s,i)}if(ue(e,s))',
    ],
    // `${m[k]:=v}` set element 0.
    [
      "let[,l,c]=a,u;if(/^\\d+$/.test(c))",
      'let[,l,c]=a,u;c=c.replace("\\0","");if(e.state.associativeArrays?.has(l))return Z(e,l,c,o,"associative"),o;if(/^\\d+$/.test(c))',
    ],
    [
      ":`${t}: parameter null or not set`;throw new G(1,",
      ':"";if(!n.word?.parts.some(p=>p.value!==""))o="parameter "+(n.checkEmpty?"null or ":"")+"not set";o=`${t.replace("\\0","")}: ${o}`;throw new G(refusedStatus(e),',
    ],
    // The keys of assignments.
    ["i=qr(n.slice(d,o))", "i=n.slice(d,o)"],
    [
      "async function rf(e,t){let n;",
      "async function rf(e,t){return arithmeticShellOf(e).expandKey(t);let n;",
    ],
  ],
};

/** `for x; do` split the arguments at blanks and dropped the empty ones. */
const loops: EngineFault = {
  mark: INTERPRETER,
  changes: [
    [
      'if(t.words===null)i=(e.state.env.get("@")||"").split(" ").filter(Boolean);',
      'if(t.words===null)i=Array.from({length:Number(e.state.env.get("#")??0)},(o,a)=>e.state.env.get(String(a+1))??"");',
    ],
  ],
};

const environment: EngineFault = {
  mark: INTERPRETER,
  imports: { environmentOf: "src/engine/language/environment.ts" },
  changes: [
    // Every variable and the interpreter's own (`?`, `IFS`, `1`) reached python3, js-exec, awk, jq, xargs …
    [
      "cwd:i.state.cwd,env:i.state.env,assign",
      "cwd:i.state.cwd,env:environmentOf(u.name,i.state.env,h),assign",
    ],
    // What a command gives to the commands that it runs is exported there, and stays there.
    [
      "arrays:u.replaceEnv?new Map:ot(this.state.arrays),cwd:p,",
      "arrays:u.replaceEnv?new Map:ot(this.state.arrays),exportedVars:new Set([...u.replaceEnv?[]:this.state.exportedVars??[],...Object.keys(u.env??{})]),readonlyVars:new Set(this.state.readonlyVars),shoptOptions:{...this.state.shoptOptions},cwd:p,",
    ],
  ],
};

const braces: EngineFault = {
  mark: INTERPRETER,
  imports: { numberRange: "src/engine/language/brace-range.ts" },
  changes: [
    ["{expanded:yp(e,t,n,r,s,i),literal:", "{expanded:numberRange(e,t,n,r,s),literal:"],
    // Counted over the whole life of a shell. Time and memory are the limits.
    ["qc=1e5;async function Kc(", "qc=Number.MAX_SAFE_INTEGER;async function Kc("],
    ["if(l&&f||c&&u){let h=n!==void 0", "if(!1){let h=n!==void 0"],
  ],
};

const declarations: EngineFault = {
  mark: INTERPRETER,
  imports: {
    declareArrays: "src/engine/language/array-words.ts",
    elementText: "src/engine/language/array-words.ts",
    beginLocal: "src/engine/language/local-attributes.ts",
    endLocals: "src/engine/language/local-attributes.ts",
    dropAttributes: "src/engine/language/local-attributes.ts",
  },
  changes: [
    // The parser keeps the list as words.
    [
      'let p=d.map(m=>hi(e,m)),h=`${f}=(${p.join(" ")})`;s.push(e.parseWordFromString(h,!1,!1,!0))',
      's.push({...M.word([M.literal(f.replace(/\\+$/,""))]),array:{name:f.replace(/\\+$/,""),append:f.endsWith("+"),elements:d}})',
    ],
    [
      "v=await this.runCommand(u,f,d,n,!1,!1,g,y)}catch(P)",
      "v=await declareArrays(this.ctx.state,u,t.args,f,()=>this.runCommand(u,f,d,n,!1,!1,g,y),list=>nf(this.ctx,{assignments:[{name:list.name,value:null,append:list.append,array:list.elements}],line:t.line}))}catch(P)",
    ],
    // An element knows its subscript as text: the engine lost variables in quoted ones.
    [
      "function mi(e){let t=[];",
      `function arrayElement(e){
        const start=e.current().start,word=anyWord(e);
        const text=e.getInput().slice(start,e.tokens[e.pos-1].end),found=elementText(text);
        if(found===null)return word;
        return{...word,element:{subscript:found.subscript,append:found.append,parts:found.value===""?[]:e.parseWordFromString(found.value,!1,!1,!0,!1,!0).parts}};
      }
      async function assignPairs(e,name,words,append,clear){
        const texts=[];
        for(const word of words)texts.push(await se(e,word));
        if(!append)clear();
        for(let i=0;i<texts.length;i+=2)Z(e,name,texts[i],texts[i+1]??"","associative");
      }
      function mi(e){let t=[];`,
    ],
    ["e.isWord()?t.push(e.parseWord()):kd.has(", "isAnyWord(e)?t.push(arrayElement(e)):kd.has("],
    [
      "function ri(e){if(e.parts.length<2)return null;",
      "function ri(e){if(e.element)return{key:e.element.subscript,valueParts:e.element.parts,append:e.element.append};if(e.parts.length<2)return null;",
    ],
    [
      'a.push({type:"keyed",key:u,value:p,append:d})',
      'a.push({type:"keyed",key:l.element?await arithmeticShellOf(e).expandKey(u):u,value:p,append:d})',
    ],
    ["function um(e){return e.some(t=>{", "function um(e){return e.some(t=>{if(t.element)return!0;"],
    [":await pm(e,n,r,s,p)}", ":a?await assignPairs(e,n,r,s,p):await pm(e,n,r,s,p)}"],
    // A list for the name that a name reference stands for.
    [
      "let m=Fe(e,n);if(m&&/^[a-zA-Z_][a-zA-Z0-9_]*\\[@\\]$/.test(m))",
      "let m=Fe(e,n);if(m)n=m;if(m&&/^[a-zA-Z_][a-zA-Z0-9_]*\\[@\\]$/.test(m))",
    ],
    // Text in parentheses is text.
    ["=\\((.*)\\)$/s);if($&&!u){", "=\\((.*)\\)$/s);if($&&!u&&(r||s)){"],
    [
      "m=d.match(/^([a-zA-Z_][a-zA-Z0-9_]*)=\\((.*)\\)$/s);if(m){p=m[1]",
      "m=c&&d.match(/^([a-zA-Z_][a-zA-Z0-9_]*)=\\((.*)\\)$/s);if(m){p=m[1]",
    ],
    [
      "let n=e.match(/^([a-zA-Z_][a-zA-Z0-9_]*)=\\((.*)\\)$/s);if(n)return{name:n[1],isArray:!0",
      "let n=null;if(n)return{name:n[1],isArray:!0",
    ],
    // `local` knows `-n` and `-a` alone; `declare` knows them all.
    [
      'if(t==="local")return Uo(c,n);',
      'if(t==="local")return c.state.localScopes.length>0&&n.some(option=>/^-[a-zA-Z]*[Ailrux]/.test(option))?Do(c,n):Uo(c,n);',
    ],
    [
      "$.has(P)||$.set(P,e.state.env.get(P))},k=P=>{if(!S)return;",
      "$.has(P)||$.set(P,e.state.env.get(P))},k=P=>{if(!S)return;beginLocal(e.state,P);",
    ],
    ["!b,v=P=>{if(!S)return;", "!b,v=P=>{k(P);return;"],
    [
      "let V=Pe(e,P);R.set(P,V?Me(V):void 0)}},A=P",
      "let V=Pe(e,P);R.set(P,V?Me(V):void 0),e.state.arrays?.delete(P),e.state.associativeArrays?.delete(P)}},A=P",
    ],
    [
      "function Jt(e,t){e.state.localVarDepth",
      "function Jt(e,t){beginLocal(e.state,t),e.state.localVarDepth",
    ],
    [
      "let p=e.state.localScopes.length-1,h=e.state.localScopes.pop",
      "endLocals(e.state);let p=e.state.localScopes.length-1,h=e.state.localScopes.pop",
    ],
    [
      'let n="both",r="",s=0;for(let i of t){',
      'let n="both",r="",s=0;for(let i of t){if(i==="-n"){n="reference";continue}if(n==="reference"){Tl(e,i),e.state.env.delete(i);continue}ue(e,i)||dropAttributes(e.state,i);',
    ],
  ],
};

const commandWords: EngineFault = {
  mark: INTERPRETER,
  imports: {
    isPlainCommand: "src/engine/language/command-word.ts",
    holdsSubstitution: "src/engine/language/command-word.ts",
  },
  changes: [
    // The command word was taken for one word, whatever it expanded to.
    [
      "let u=await se(this.ctx,t.name),f=[],d=[],",
      'let words=isPlainCommand(t.name)?[await se(this.ctx,t.name)]:(await gt(this.ctx,t.name)).values,u=words[0]??"",f=words.slice(1),d=f.map(()=>!1),',
    ],
    [
      'let m=t.name.parts.every(P=>P.type==="CommandSubstitution"||P.type==="ParameterExpansion"||P.type==="ArithmeticExpansion");!u&&m&&f.length>0&&(u=f.shift(),d.shift());',
      "let m=words.length===0;if(m&&f.length>0){u=f.shift(),d.shift();m=!1}if(m)for(let P of c)this.ctx.state.tempExportedVars?.delete(P);",
    ],
    [
      '(w.finish(),L("","",this.ctx.state.lastExitCode)):(w.finish(),D(`bash: : command not found',
      '(w.finish(),L("",this.ctx.state.expansionStderr||"",holdsSubstitution(t)?this.ctx.state.lastExitCode:0)):(w.finish(),D(`bash: : command not found',
    ],
    // An assignment alone succeeds, whatever came before it.
    ['L("",P,this.ctx.state.lastExitCode)}', 'L("",P,holdsSubstitution(t)?this.ctx.state.lastExitCode:0)}'],
  ],
};

/** What `expandFields` needs of the interpreter, made once for each. */
const FIELD_SHELL = String.raw`
const fieldShells=new WeakMap;
function fieldShellOf(e){
  let shell=fieldShells.get(e);
  if(shell!==void 0)return shell;
  const named=async parameter=>{
    const found=/^([A-Za-z_]\w*)\[(.+)\]$/s.exec(parameter);
    return found&&found[2]!=="@"&&found[2]!=="*"&&found[2][0]!=="\0"?elementName(e,found[1],found[2]):parameter;
  };
  shell={
    ifs:()=>ke(e.state.env),
    joint:()=>X(e.state.env),
    part:part=>et(e,part,!1),
    parameter:(part,quoted)=>as(e,part,quoted),
    pattern:async pattern=>nc(pattern)?await sc(e,pattern):Wi(e,pattern),
    async value(parameter){
      const name=await named(parameter);
      return await St(e,name)?ie(e,name,!1):null;
    },
    positional(){
      const count=Number.parseInt(e.state.env.get("#")||"0",10),values=[];
      for(let i=1;i<=count;i++)values.push(e.state.env.get(String(i))||"");
      return values;
    },
    scriptName:()=>e.state.env.get("0")||"bash",
    elements:name=>K(e,name),
    isAssociative:name=>e.state.associativeArrays?.has(name)??!1,
    target:name=>ue(e,name)?Fe(e,name)??name:name,
    isReference:name=>ue(e,name),
    namesWith:prefix=>In(e,prefix).filter(name=>/^[A-Za-z_]\w*$/.test(name)),
    async apply(value,operation,name){
      switch(operation.type){
        case"PatternRemoval":return Gl(e,value,operation,yt,et);
        case"PatternReplacement":return Zl(e,value,operation,yt,et);
        case"CaseModification":return Kl(e,value,operation,yt,as);
        default:return Xl(e,name,value,!1,operation);
      }
    },
    number:async expression=>Number(await arithmeticOrExit(e,expression.expression.text??String(expression.expression.value))),
    async glob(pattern,text){
      const options=e.state.shoptOptions,ignore=e.state.env.get("GLOBIGNORE")??"";
      const found=await matchFiles({
        cwd:e.state.cwd,
        list:path=>e.fs.readdirWithFileTypes(path).catch(()=>[]),
        isDirectory:path=>e.fs.stat(path).then(stat=>stat.isDirectory,()=>!1),
        exists:path=>e.fs.lstat(path).then(()=>!0,()=>!1),
        dotglob:options.dotglob,globstar:options.globstar,nocaseglob:options.nocaseglob,ignore,
      },pattern);
      if(found.length>0)return found;
      if(options.failglob)throw new Lt(text);
      return options.nullglob?[]:null;
    },
    get globs(){return!e.state.options.noglob},
    get extendedPatterns(){return e.state.shoptOptions.extglob},
  };
  fieldShells.set(e,shell);
  return shell;
}
async function joinedList(e,part){
  const list=await listOf(fieldShellOf(e),part);
  return list===null?null:list.values.join(list.star?X(e.state.env):" ");
}
`;

const fields: EngineFault = {
  mark: INTERPRETER,
  imports: {
    expandFields: "src/engine/language/expand-fields.ts",
    listOf: "src/engine/language/expand-fields.ts",
    matchFiles: "src/engine/language/match-files.ts",
  },
  changes: [
    [
      "async function gt(e,t){return Ic(",
      `${FIELD_SHELL}async function gt(e,t){return{values:await expandFields(fieldShellOf(e),t),quoted:fr(t.parts).hasQuoted};return Ic(`,
    ],
    // A list with an operation, where it becomes one value: each element has its own.
    [
      "async function as(e,t,n=!1){let{parameter:r}=t,{operation:s}=t,",
      'async function as(e,t,n=!1){let{parameter:r}=t,{operation:s}=t;if(s!==null&&(s.type==="Substring"||s.type==="PatternRemoval"||s.type==="PatternReplacement"||s.type==="CaseModification"||s.type==="Transform"||s.type==="ArrayKeys"||s.type==="Indirection"&&!ue(e,r))){const joined=await joinedList(e,t);if(joined!==null)return joined}let ',
    ],
  ],
};

const patterns: EngineFault = {
  mark: INTERPRETER,
  imports: {
    matchesExtended: "src/engine/language/extended-pattern.ts",
    patternMayStart: "src/engine/language/extended-pattern.ts",
  },
  changes: [
    // `!(…)` was `!` and a subshell wherever it stood.
    [
      'i==="!"?o==="="?',
      'i==="!"?o==="("&&patternMayStart(this.tokens)&&this.scanExtglobPattern(n+1)!==null?this.readWord(n,r,s):o==="="?',
    ],
    [
      "function Mn(e,t,n=!1,r=!1,s=256){r&&ch(t,s);",
      'function Mn(e,t,n=!1,r=!1,s=256){r&&ch(t,s);if(r&&t.includes("!("))return matchesExtended(e,t,n);',
    ],
    // `&` in the replacement is what was found, unless it is quoted.
    [
      'let a=n.replacement?await r(e,n.replacement.parts):"";if(n.a',
      'let a=n.replacement?await replacementOf(e,n.replacement.parts,r,s):"";if(n.a',
    ],
    [
      "async function Zl(e,t,n,r,s){",
      `async function replacementOf(e,parts,quoted,single){
        const pieces=[];
        for(const part of parts){
          const value=part.type==="DoubleQuoted"?await quoted(e,part.parts):await single(e,part);
          if(part.type!=="Literal"&&part.type!=="Glob"&&part.type!=="ParameterExpansion"&&part.type!=="CommandSubstitution"||!value.includes("&"))pieces.push(value);
          else value.split(/(\\\\&|&)/).forEach((piece,i)=>pieces.push(i%2===0?piece:piece==="&"?null:"&"));
        }
        return pieces.includes(null)?pieces:pieces.join("");
      }
      async function Zl(e,t,n,r,s){`,
    ],
    [
      "i.append(r),o=a.index+",
      'i.append(typeof r=="string"?r:r.map(piece=>piece??a[0]).join("")),o=a.index+',
    ],
  ],
};

const values: EngineFault = {
  mark: INTERPRETER,
  imports: {
    testInteger: "src/engine/language/integers.ts",
    keysAsBashLists: "src/engine/language/key-order.ts",
  },
  changes: [
    // Numbers above 2^53 were rounded before they were compared.
    [
      "function Ss(e){if(e=e.trim(),",
      "function Ss(e){const integer=testInteger(e);return integer===null?{value:0,valid:!1}:{value:integer,valid:!0};if(e=e.trim(),",
    ],
    [
      "async function ou(e,t){if(t=t.trim(),",
      "async function ou(e,t){return arithmeticValue(e,t);if(t=t.trim(),",
    ],
    // Keys were sorted.
    [
      "return Array.from(Pe(e,t)?.elements.keys()??[]).sort()",
      "return keysAsBashLists(Pe(e,t)?.elements.keys()??[])",
    ],
    [
      "let s=r[1],i=K(e,s);return i.length>0?String(i.length)",
      "let s=ue(e,r[1])?Fe(e,r[1])??r[1]:r[1],i=K(e,s);return i.length>0?String(i.length)",
    ],
    // A script's `$0` is what it was called by.
    [
      'c=await Xu(i,t,s?"/usr/bin:/bin":void 0);',
      'c=await Xu(i,t,s?"/usr/bin:/bin":void 0);if(t.includes("/")&&c&&"script"in c)i.state.calledAs=t;',
    ],
    [
      'e.state.currentSource=t,e.state.env.set("0",t),',
      'e.state.currentSource=t,e.state.env.set("0",e.state.calledAs??t),e.state.calledAs=void 0,',
    ],
  ],
};

const regularExpressions: EngineFault = {
  mark: INTERPRETER,
  imports: {
    regexEnd: "src/engine/language/regex-text.ts",
    expectsRegex: "src/engine/language/regex-text.ts",
  },
  changes: [
    [
      "if(rawEnd!==void 0&&(this.rawArithmeticEnd=void 0,",
      "if(expectsRegex(this.tokens)){const end=regexEnd(t,n);if(end>n)return this.pos=end,{type:E.WORD,value:t.slice(n,end),start:n,end,line:r,column:s,quoted:!1,singleQuoted:!1}}if(rawEnd!==void 0&&(this.rawArithmeticEnd=void 0,",
    ],
    [
      'if("@*+?!".includes(m)&&d+1<t.length&&t[d+1]==="("){',
      'if(!l&&"@*+?!".includes(m)&&d+1<t.length&&t[d+1]==="("){',
    ],
    ['if((m==="<"||m===">")&&t[d+1]==="("&&!i&&!o){', 'if(!l&&(m==="<"||m===">")&&t[d+1]==="("&&!i&&!o){'],
    // Quoted parts are text.
    [
      'if(r.type==="Escaped")n.push(Dn(r.value));else if(r.type==="SingleQuoted")n.push(r.value);else if(r.type==="DoubleQuoted"){let s=await yt(e,r.parts);n.push(s)}',
      'if(r.type==="Escaped"||r.type==="SingleQuoted")n.push(Dn(r.value));else if(r.type==="DoubleQuoted"){let s=await yt(e,r.parts);n.push(Dn(s))}',
    ],
  ],
};

const special: EngineFault = {
  mark: INTERPRETER,
  imports: {
    specialVariable: "src/engine/language/special-variables.ts",
    BASH_VERSINFO: "src/engine/language/special-variables.ts",
  },
  changes: [
    [
      'case"RANDOM":return String(Math.floor(',
      'case"RANDOM":case"SRANDOM":case"SECONDS":case"EPOCHSECONDS":case"EPOCHREALTIME":return specialVariable(e.state,t);case"RANDOM":return String(Math.floor(',
    ],
    ['"BASHPID","LINENO"]).has(t)', '"BASHPID","LINENO","SRANDOM","EPOCHSECONDS","EPOCHREALTIME"]).has(t)'],
    [
      'if(o==="FUNCNAME"){let f',
      'if(o==="BASH_VERSINFO"&&/^[0-5]$/.test(a))return BASH_VERSINFO[Number(a)];if(o==="FUNCNAME"){let f',
    ],
    [
      'return t==="FUNCNAME"?(e.state.funcNameStack??[])',
      'return t==="BASH_VERSINFO"?BASH_VERSINFO.map((i,o)=>[o,i]):t==="FUNCNAME"?(e.state.funcNameStack??[])',
    ],
    // An element of what was one value: that is element 0.
    [
      't.name||Z(e,a,c,u,l?"associative":"indexed")',
      't.name||(!l&&!Ne(e,a)&&e.state.env.has(a)&&(Z(e,a,0,e.state.env.get(a)),e.state.env.delete(a)),Z(e,a,c,u,l?"associative":"indexed"))',
    ],
  ],
};

const printed: EngineFault = {
  mark: INTERPRETER,
  changes: [
    // `declare -p` of an associative array, as bash prints it.
    ["function $o(e){return Ae(e)}", "function $o(e){return sn(e)}"],
    ["function Co(e){return`", "function Co(e){return/^[\\w.,:@%+/-]+$/.test(e)?e:sn(e);return`"],
    ['n+=`declare -A ${i}=(${f.join(" ")})', 'n+=`declare -A ${i}=(${f.join(" ")} )'],
    ['l+=`declare -A ${f}=(${g.join(" ")})', 'l+=`declare -A ${f}=(${g.join(" ")} )'],
    [
      ',2):L("","",1)}if(t.length===3)',
      ",2):D(`bash: [: ${r}: unary operator expected\n`,2)}if(t.length===3)",
    ],
  ],
};

const endings: EngineFault = {
  mark: INTERPRETER,
  changes: [
    // In functions, loops, groups and tests the script went on after a name that `set -u` refuses.
    [
      "throw await qi(this.ctx,s).catch(()=>{}),a}",
      "throw await qi(this.ctx,s).catch(()=>{}),a instanceof Ve?new G(refusedStatus(this.ctx),a.stdout,a.stderr):a}",
    ],
    [
      "}catch(n){let r=n instanceof ce?1:2;return D(`bash: cond",
      "}catch(n){if(n instanceof Ve||n instanceof G)throw n;let r=n instanceof ce?1:2;return D(`bash: cond",
    ],
    // `exec program` ends the shell.
    ["w.finish(),k)throw k;", 'w.finish(),k)throw k;if(u==="exec")throw new G(v.exitCode,Ys(v),v.stderr);'],
  ],
};

export const wordFaults: readonly EngineFault[] = [
  arithmetic,
  subscripts,
  environment,
  braces,
  declarations,
  commandWords,
  fields,
  loops,
  patterns,
  values,
  regularExpressions,
  special,
  printed,
  endings,
];
