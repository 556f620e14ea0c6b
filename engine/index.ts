/** The entry point of the engine: everything that a server needs to serve flows. `workbench.ts` exports the rest. */
export {
  type Answer,
  type Call,
  defineOperator,
  input,
  type Lazy,
  lazy,
  literal,
  manyInput,
  type Operator,
  optionalInput,
  output,
  type PartName,
  type Strand,
  type TriggerRequest,
} from './base/operator.ts';
export type {
  DurableStep,
  Host,
  RunCtx,
  Stretch,
  Stretches,
  WaitFor,
} from './base/host.ts';
export type * from './base/services.ts';
export type * from './base/document-service.ts';
export type * from './base/file-services.ts';
export type * from './base/hook-service.ts';
export type * from './base/data-service.ts';
export type * from './base/sql-service.ts';
export type * from './base/knowledge-service.ts';
export type * from './base/mcp-service.ts';
export type { SourceCall } from './base/source.ts';
export { type PackageLimits, packageOf } from './base/operator.ts';
export type { Caller, CancelReason, Outcome, Run, RunAnswer, StartOptions } from './run/state.ts';
export { callerOf, contextBelow, rootOf, spend, waitedFor } from './run/caller.ts';
export { type ModelSpent, plus, type Spent } from './run/spending.ts';
export { WeftError } from './base/errors.ts';
export { askedWait } from './base/retry-after.ts';
export { itemsOfPieces } from './base/item-stream.ts';
export { STRETCH } from './base/item-loop.ts';
export { stretchKey } from './base/host.ts';
export { scopeOf, stateKey, stateTtl } from './operators/_state-key.ts';
export { writeJson } from './operators/_write-json.ts';
export {
  extendRegistry,
  joinRegistries,
  type LivingRegistry,
  livingRegistry,
  makeLazyRegistry,
  makeRegistry,
  type Registry,
} from './catalog/registry.ts';
export type { CodeFlow, ResultOf } from './code-first/flow.ts';
export type { Stream, Value } from './code-first/values.ts';
export type { Steps } from './base/steps.ts';
export { type CompiledFlow, compile, compiling, type Plan, type Tools } from './plan/compile.ts';
export { allSteps, type Given, type Step } from './plan/plan.ts';
export { isJournaled } from './run/durable.ts';
export { compileRunsKey, linearRegexOf, type Regex } from './expr/index.ts';
export { RUN_LEFT, start } from './run/run.ts';
export type { Decision, Wanted } from './partial/decide.ts';
export type { Earlier } from './partial/earlier.ts';
export type { Likeness } from './replay/asked.ts';
export { decode, decodeError, encode, encodeError } from './replay/codec.ts';
export type { CodedError, RunRecord, RunTape } from './replay/record.ts';
export { startRecorded } from './replay/recording.ts';
export type { RecordedRun } from './replay/taped-run.ts';
export type { Replayed } from './replay/replaying.ts';
