/** Start-up: work that the engine does before the first command and that no script needs. */
import { type EngineFault, INTERPRETER } from "./fault.ts";

export const startFaults: readonly EngineFault[] = [
  {
    mark: INTERPRETER,
    changes: [
      // `$SHELLOPTS` was sorted by the rules of a human language, whose tables took 6 % of a worker's start to load.
      [
        "sort((r,s)=>r.name.localeCompare(s.name));for(let r of n)r.enabled&&t.push(r.name)",
        "sort((r,s)=>r.name<s.name?-1:1);for(let r of n)r.enabled&&t.push(r.name)",
      ],
    ],
  },
  {
    mark: "re2js/build/index.esm.js",
    changes: [
      // RE2 with its tables of Unicode was made by each worker: a sixth of the engine's start, for scripts without a pattern.
      [
        "var g=class i{static FOLD_CASE=1;",
        "var madeRe2,re2=()=>madeRe2??=(()=>{var g=class i{static FOLD_CASE=1;",
      ],
      [
        ";var I1=1e6,y1=64*1024*1024;function _1",
        ";return{RE2JS:_,Failure:T}})();var I1=1e6,y1=64*1024*1024;function _1",
      ],
      ["(t|=_.CASE_INSENSITIVE),", "(t|=re2().RE2JS.CASE_INSENSITIVE),"],
      ["(t|=_.MULTILINE),", "(t|=re2().RE2JS.MULTILINE),"],
      ["(t|=_.DOTALL),t}", "(t|=re2().RE2JS.DOTALL),t}"],
      ["return _.translateRegExp(i)}", "return re2().RE2JS.translateRegExp(i)}"],
      [
        "this._re2=_.compile(n,r)}catch(n){if(n instanceof T){",
        "this._re2=re2().RE2JS.compile(n,r)}catch(n){if(n instanceof re2().Failure){",
      ],
    ],
  },
];
