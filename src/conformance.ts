/** `@little-stack/harness/conformance`: the suites by which adapters are proved, for authors of others. */
export { ConformanceError } from "./conformance/check.ts";
export type { OpenSessionLog, SessionLogUnderTest } from "./conformance/log-stage.ts";
export type {
  SandboxCapabilities,
  SandboxFaults,
  SandboxSuiteOptions,
} from "./conformance/sandbox-options.ts";
export { sandboxSuite } from "./conformance/sandbox-suite.ts";
export { type SessionLogSuite, sessionLogSuite } from "./conformance/session-log-suite.ts";
export type { OpenStore, StoreUnderTest } from "./conformance/store-stage.ts";
export { type StoreSuite, storeSuite } from "./conformance/store-suite.ts";
export {
  type CaseOutcome,
  type ConformanceCase,
  type ConformanceReport,
  type ConformanceSuite,
  formatReport,
  type RunSuiteOptions,
  runSuite,
  type UnclaimedCase,
} from "./conformance/suite.ts";
