import { compileTemplate } from './compile-template.ts';
import type { Env } from './env.ts';
import type { ExprProblem } from './problem.ts';
import { parseTemplate } from './template.ts';

/** Sees what starts the run, and nothing else: it is asked before there is one. */
const env: Env<unknown> = {
  root: (name) => (name === 'trigger' ? (request) => request : undefined),
};

/** The template of `settings.maxRunsKey`. `evaluate` throws a coded error for what the expression cannot read. */
export function compileRunsKey(
  text: string,
): { readonly evaluate: (request: unknown) => unknown } | { readonly errors: readonly ExprProblem[] } {
  const parsed = parseTemplate(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, env) : parsed;
  return compiled.ok ? { evaluate: compiled.evaluate } : { errors: compiled.errors };
}
