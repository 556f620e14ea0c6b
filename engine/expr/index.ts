export { clockReads } from './clock-reads.ts';
export { compileExpression } from './compile.ts';
export { compileOver, compileRunsKey, compileTemplate } from './compile-template.ts';
export type { Env } from './context.ts';
export { functionDocs } from './library.ts';
export { missingFieldError } from './failures.ts';
export { linearRegexOf } from './linear-regex.ts';
export { parseExpression } from './parse.ts';
export { readOwn } from './read.ts';
export type { ExprProblem } from './problem.ts';
export { type ReadPath, readsOf } from './reads.ts';
export {
  renameInTemplate,
  renameNodeInTemplate,
  renameNodesInTemplate,
  replaceReads,
} from './rename.ts';
export type { ExprTools, Moments, Regex } from './tools.ts';
export { hasTemplate, parseTemplate } from './template.ts';
export { toText } from '../base/text.ts';
