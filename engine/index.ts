/** The door of the engine: everything other rooms may use. */
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
  type TriggerRequest,
} from './operator.ts';
export type { Host, RunCtx } from './host.ts';
export type * from './services.ts';
export type { CancelReason, Outcome, Run, RunAnswer, StartOptions } from './run/types.ts';
export { WeftError } from './errors.ts';
export { type Registry, makeRegistry } from './registry.ts';
export { type CompiledFlow, compile, type Plan, type Tools } from './compile/compile.ts';
export { start } from './run/run.ts';
