/** `@little-stack/harness`: the public names, one by one. */
export { createHarness } from "./harness/create-harness.ts";
export { generateHarness } from "./harness/generate-harness.ts";
export type {
  Harness,
  HarnessBashOptions,
  HarnessMessage,
  HarnessModel,
  HarnessModelSettings,
  HarnessOptions,
  HarnessTurnOptions,
  HarnessTurnSettings,
} from "./harness/harness-options.ts";
export type {
  HarnessFinishReason,
  HarnessResult,
  HarnessStep,
  HarnessStream,
  HarnessStreamPart,
} from "./harness/harness-result.ts";
export { streamHarness } from "./harness/stream-harness.ts";
export type {
  HarnessHost,
  PersistentDirectory,
  PreparedTurn,
  PrepareTurnOptions,
  TurnArtifact,
  TurnOutcome,
} from "./host/host.ts";
export { type LocalHost, type LocalHostOptions, localHost } from "./host/local-host.ts";
export type { SubprocessOptions } from "./parent/options.ts";
export { localToolchainSandbox } from "./providers/local-toolchain-sandbox.ts";
export type { ToolchainLimits, ToolchainOptions } from "./providers/toolchain-options.ts";
export { type JustBashOptions, justBashSandbox } from "./sandbox/just-bash-sandbox.ts";
export { type MountOptions, type OpenSandboxOptions, openSandbox } from "./sandbox/open-sandbox.ts";
export {
  createJustBashRuntime,
  executionEnvironment,
  tieredExecutionEnvironment,
} from "./sandbox/renamed.ts";
export { subprocessSandbox } from "./sandbox/subprocess-sandbox.ts";
export { tieredSandbox } from "./sandbox/tiered-sandbox.ts";
export { ERROR_CODES, isSandboxError, SandboxError, type SandboxErrorCode } from "./shared/errors.ts";
export type { EmitEvent, HarnessEvent } from "./shared/events.ts";
export type { ExecEnding, Execute, ExecuteInput, ExecuteOutput } from "./shared/executor.ts";
export type { FileChange } from "./shared/file-change.ts";
export type { DirectoryEntry, FileStat, SandboxFileSystem } from "./shared/file-system.ts";
export type { SandboxLimits } from "./shared/limits.ts";
export type {
  CreateSandboxOptions,
  ExecOptions,
  ExecResult,
  HarnessRuntimeOptions,
  HarnessSandbox,
  HarnessSandboxFactory,
  HarnessSandboxMode,
  IsolationReport,
} from "./shared/sandbox.ts";
export type { HarnessSessionLog, SessionLogAppend, SessionLogEvent } from "./shared/session-log.ts";
export type { HarnessTool, HarnessTools, ToolBridge, ToolCallOptions } from "./shared/tools.ts";
export type { HarnessTraceLevel, HarnessTraceOptions } from "./shared/trace-options.ts";
export type {
  HarnessTurnEvent,
  LoopEvent,
  ModelToolCallEvent,
  TokenUsage,
  UnstampedTurnEvent,
} from "./shared/turn-events.ts";
export type {
  HarnessCapabilities,
  HarnessMount,
  HarnessWorkspaceSpec,
  MountAccess,
  NetworkPolicy,
} from "./shared/workspace-spec.ts";
export type { ClassificationReason, CommandClassification } from "./tiers/classification.ts";
export { type ClassifyOptions, classifyCommand } from "./tiers/classify-command.ts";
export type { TieredSandboxOptions } from "./tiers/tiered-options.ts";
