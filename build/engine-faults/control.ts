/** How scripts run and end: traps, background jobs, `set -e`, subshells, nested shells, builtins. */
import { type EngineFault, INTERPRETER } from "./fault.ts";

const CONTROL = "build/shims/script-control.ts";

export const controlFaults: readonly EngineFault[] = [
  {
    mark: INTERPRETER,
    imports: {
      enterFunction: CONTROL,
      leaveFunction: CONTROL,
      leaveFunctionThrown: CONTROL,
      runWithDebugTrap: CONTROL,
      startJob: CONTROL,
      jobTurns: CONTROL,
      takeTurn: CONTROL,
      afterStatement: CONTROL,
      keepsErrexitSafe: CONTROL,
      runSubshell: CONTROL,
      runSubstitution: CONTROL,
      runPipelinePart: CONTROL,
      runShell: CONTROL,
      runGuestScript: CONTROL,
      nestedOptions: CONTROL,
      runScriptFile: CONTROL,
      trips: CONTROL,
      exportFunctions: CONTROL,
      controlBuiltin: CONTROL,
      optionLetters: CONTROL,
      listed: CONTROL,
    },
    changes: [
      // `cmd &` ran in the foreground and gave no status. No fault: a step of the session runs without a command.
      [
        "if(this.ctx.state.options.noexec)return ne;this.ctx.state.errexitSafe=!1;",
        "if(this.ctx.state.options.noexec)return ne;if(t.step!==void 0)return await t.step(this.ctx);if(t.background)return startJob(this,t,{copy:aa,Scope:Mr,Shell:kr});this.ctx.state.errexitSafe=!1;",
      ],
      // No fault: where a session's own output goes is known, and neither expanded, looked at nor opened.
      [
        'S=mo(y);if(y.target.type==="HereDoc"){let A=await vh(e,y.target);',
        'S=mo(y);if(y.device!==void 0){s.set(g,y.device),m(S,{kind:"output",path:y.device,append:!0});continue}if(y.target.type==="HereDoc"){let A=await vh(e,y.target);',
      ],
      // A loop of one shell kept the jobs, their timers and the deadline from running.
      [
        'async executeStatement(t){if(this.assertDefenseContext("statement"),',
        'async executeStatement(t){jobTurns.running!==0&&await takeTurn();if(this.assertDefenseContext("statement"),',
      ],
      // `set -e` was in force in a function that `f || …`, `f && …` or `! f` calls.
      [
        "let f=await this.executePipeline(c);n.appendResult",
        "let f;if((l<t.pipelines.length-1||c.negated)&&!c.isGuest){let h=this.ctx.state.inCondition;this.ctx.state.inCondition=!0;try{f=await this.executePipeline(c)}finally{this.ctx.state.inCondition=h}}else f=await this.executePipeline(c);n.appendResult",
      ],
      // There were no traps; and a function whose last list had failed under `&&` did not end a `set -e` script.
      [
        "a=this.ctx.state.errexitSafe;if(this.ctx.state.errexitSafe=o||i||a,",
        "a=this.ctx.state.errexitSafe&&keepsErrexitSafe(t.pipelines[s]);if(this.ctx.state.errexitSafe=o||i||a,this.ctx.state.control!==void 0&&await afterStatement(this.ctx,t,r!==0&&s===t.pipelines.length-1&&!i&&!this.ctx.state.inCondition&&!a,n),",
      ],
      [
        'case"SimpleCommand":return this.executeSimpleCommand(t,n);',
        'case"SimpleCommand":return this.ctx.state.traps===void 0?this.executeSimpleCommand(t,n):runWithDebugTrap(this.ctx,t,()=>this.executeSimpleCommand(t,n));',
      ],
      [
        "m=await e.executeCommand(t.body,p,h);return rn(",
        "T=e.state.traps===void 0?void 0:enterFunction(e.state),m;try{m=await e.executeCommand(t.body,p,h)}catch(M){throw e.state.traps===void 0?M:await leaveFunctionThrown(e,T,M)}e.state.traps!==void 0&&(m=await leaveFunction(e,T,m));return rn(",
      ],
      [
        "l=>Om(e,t,l.stdin??n,r,s||l.stdin!==void 0))",
        "l=>runSubshell(e,()=>Om(e,t,l.stdin??n,r,s||l.stdin!==void 0)))",
      ],
      [
        "return nt(e,t.redirections,n,i=>Dm(e,t,n,r,s,i))",
        "return nt(e,t.redirections,n,i=>t.isGuest?runGuestScript(e,()=>Dm(e,t,n,r,s,i)):Dm(e,t,n,r,s,i))",
      ],
      // `$(…)`, `<(…)` and the parts of a pipeline changed options, functions and the working directory of the shell.
      [
        "let p=await e.executeScript(t.body),h=p.exitCode;",
        "let p=await runSubstitution(e,t.body,aa),h=p.exitCode;",
      ],
      ["try{h=await e.executeScript(t)}catch(m)", "try{h=await runSubstitution(e,t,aa)}catch(m)"],
      ["N=await n(y,s)}catch($)", "N=await(k?runPipelinePart(e,y,!S,aa,()=>n(y,s)):n(y,s))}catch($)"],
      ["N=await new kr(k,m).executeScript(S);", "N=await runShell(new kr(k,m),S);"],
      // Nested shells had the variables that the outermost one started with, and could change its options.
      ["signal:u.signal,extraArgs:u.args}", "signal:u.signal,extraArgs:u.args,...u.shell}"],
      ["exec:(v,k)=>i.execFn(v,k,!1),", "exec:(v,k)=>i.execFn(v,nestedOptions(i,h,k),!1),"],
      [
        'execWithInheritedStdin:(v,k)=>i.execFn(v,{...k,stdin:d,stdinKind:"bytes"},!0)',
        'execWithInheritedStdin:(v,k)=>i.execFn(v,nestedOptions(i,h,{...k,stdin:d,stdinKind:"bytes"}),!0)',
      ],
      // No fault: a name that a higher tier has ends the script where a shell would say that there is no such command.
      [
        's?"/usr/bin:/bin":void 0);',
        's?"/usr/bin:/bin":void 0);if((!c||c.error==="not_found")&&trips(i.commands,t,i.state.currentLine))throw new ze("","");',
      ],
      // A script called by its path had all variables, functions and options of its caller.
      ["async function kf(e,t,n,r,s){", "async function kf(e,t,n,r,s,exported,name){"],
      [
        "let o=e.state.loopDepth,a=aa(e.state);e.state.parentHasLoopContext=o>0,e.state.loopDepth=0,e.state.bashPid=e.state.nextVirtualPid++,r&&(e.state.groupStdin=r),",
        "return runScriptFile(e,exported,i,name,n,r);let o=e.state.loopDepth,a=aa(e.state);e.state.parentHasLoopContext=o>0,e.state.loopDepth=0,e.state.bashPid=e.state.nextVirtualPid++,r&&(e.state.groupStdin=r),",
      ],
      // Its lines were counted from the second.
      ['if(i.startsWith("#!")){let l=i.indexOf(`\n`);l!==-1&&(i=i.slice(l+1))}', ""],
      [
        'async executeUserScript(t,n,r=""){return kf(this.ctx,t,n,r,s=>this.executeScript(s))}',
        'async executeUserScript(t,n,r="",name=t){return kf(this.ctx,t,n,r,s=>this.executeScript(s),this.buildExportedEnv(),name)}',
      ],
      [
        "executeUserScript:(d,p,h)=>this.executeUserScript(d,p,h)",
        "executeUserScript:(d,p,h,m)=>this.executeUserScript(d,p,h,m)",
      ],
      ["await a(c.path,n,r)", 'await a(c.path,n,r,t.includes("/")?t:c.path)'],
      [
        'let o="";return o+="h",e.state.options.errexit&&(o+="e"),e.state.options.noglob&&(o+="f"),e.state.options.nounset&&(o+="u"),e.state.options.verbose&&(o+="v"),e.state.options.xtrace&&(o+="x"),o+="B",e.state.options.noclobber&&(o+="C"),o+="s",o',
        "return optionLetters(e.state)",
      ],
      // `set -u` ended the script at `"${x:-default}"`.
      ["c=await St(e,l),u=await ie(e,l),f=", "c=await St(e,l),u=await ie(e,l,!1),f="],
      ['t==="export")return Bo(c,n);', 't==="export")return exportFunctions(c.state,n)??Bo(c,n);'],
      // A syntax error on a line of its own ended the script with the status 1.
      [
        "if(t.deferredError)throw new xe(t.deferredError.message,t.line??1,1);",
        'if(t.deferredError)throw new G(2,"",`bash: line ${t.line??this.ctx.state.currentLine}: ${t.deferredError.message}\n`);',
      ],
      [
        'if(t==="set")return Qo(c,n);',
        'if(t==="set")return n.length===1&&n[0].length===2&&n[0][1]==="o"?listed(Qo(c,n)):Qo(c,n);',
      ],
      ['if(t==="shopt")return Ku(c,n);', 'if(t==="shopt")return listed(Ku(c,n));'],
      // Builtins that were missing or did nothing.
      ['if(t==="wait")return ne;', "let control=controlBuiltin(c,t,n);if(control!==null)return control;"],
      ['["T",null],["E",null]', '["T","functrace"],["E","errtrace"]'],
      ['["functrace",null],["errtrace",null]', '["functrace","functrace"],["errtrace","errtrace"]'],
      // `exec cmd` went on with the script.
      [
        "k=P,v=ne;else throw P}g>=0&&",
        'k=P,v=ne;else throw P}u==="exec"&&k===null&&(this.ctx.state.traps?.handlers.delete("EXIT"),k=new G(v.exitCode));g>=0&&',
      ],
      ["w.finish(),k)throw k;", "w.finish(),k)throw k instanceof G&&k.prependOutput(v.stdout,v.stderr),k;"],
    ],
  },
];
