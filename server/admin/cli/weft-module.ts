/** `#weft`: the module that code-first flows and own operators import. Described in docs/code-first.md. */
export {
  type Call,
  type CodeFlow,
  defineOperator,
  input,
  lazy,
  literal,
  manyInput,
  optionalInput,
  output,
  type ResultOf,
  type Stream,
  type Value,
  WeftError,
} from '#engine';
export { flow } from '#engine/workbench';
export { z } from 'zod';
export { brokenRules } from '../../base/authored/broken-rules.ts';
export { serve } from './dev/serve-flow.ts';
