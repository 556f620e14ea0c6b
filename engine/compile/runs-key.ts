import { compileTemplate, type Env, type ExprProblem, parseTemplate } from '../expr/index.ts';
import type { TriggerRequest } from '../operator.ts';

/** Sees what started the run, and nothing else: it is asked before there is one. */
const env: Env<TriggerRequest> = {
  root: (name) => (name === 'trigger' ? (request) => request : undefined),
};

/** The template of `settings.maxRunsKey`. `evaluate` throws a coded error for what the expression cannot read. */
export function compileRunsKey(
  text: string,
): { readonly evaluate: (request: TriggerRequest) => unknown } | { readonly errors: readonly ExprProblem[] } {
  const parsed = parseTemplate(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, env) : parsed;
  return compiled.ok ? { evaluate: compiled.evaluate } : { errors: compiled.errors };
}
