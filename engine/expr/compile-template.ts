import { longestText, toText } from '../base/text.ts';
import { bounded } from './budget.ts';
import { compileExpression, type CompileResult } from './compile.ts';
import type { Env, Run } from './context.ts';
import type { ExprProblem } from './problem.ts';
import { parseExpression } from './parse.ts';
import { parseTemplate, type Template } from './template.ts';

/** Texts around holes: one more text than holes. */
interface Shape<S> {
  readonly texts: string[];
  readonly holes: Run<S>[];
}

/**
 * Compiles a template. A `whole` template gives its value unchanged, others give text. Offsets of problems are into the
 * template's text.
 */
export function compileTemplate<S>(template: Template, env: Env<S>): CompileResult<S> {
  const errors: ExprProblem[] = [];
  const shape: Shape<S> = { texts: [''], holes: [] };
  let constant = true;
  for (const part of template.parts) {
    if (typeof part === 'string') {
      shape.texts[shape.texts.length - 1] += part;
      continue;
    }
    const compiled = compileExpression(part.ast, env);
    if (!compiled.ok) {
      errors.push(...compiled.errors.map((error) => ({ ...error, offset: error.offset + part.offset })));
      continue;
    }
    if (template.whole) return compiled;
    constant &&= compiled.constant;
    shape.holes.push(compiled.evaluate);
    shape.texts.push('');
  }
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, evaluate: constant ? folded(joined(shape)) : joined(shape), constant };
}

/** The text, made once. If that throws, it throws again in each run. */
function folded<S>(evaluate: Run<S>): Run<S> {
  try {
    const value = evaluate(undefined as S);
    return () => value;
  } catch {
    return evaluate;
  }
}

/** Templates have few holes, and for one or two a loop costs as much as the rest. */
function joined<S>({ texts, holes }: Shape<S>): Run<S> {
  const [t0 = '', t1 = '', t2 = '', t3 = '', t4 = ''] = texts;
  const [h0, h1, h2, h3] = holes;
  if (!h0) return () => t0;
  if (!h1) return (s) => bounded(t0 + text(h0(s)) + t1);
  if (!h2) return (s) => bounded(t0 + text(h0(s)) + t1 + text(h1(s)) + t2);
  if (!h3) return (s) => bounded(t0 + text(h0(s)) + t1 + text(h1(s)) + t2 + text(h2(s)) + t3);
  if (holes.length === 4) {
    return (s) => bounded(t0 + text(h0(s)) + t1 + text(h1(s)) + t2 + text(h2(s)) + t3 + text(h3(s)) + t4);
  }
  return (scope) => {
    let out = t0;
    for (let i = 0; i < holes.length; i++) {
      out += text(holes[i]?.(scope)) + texts[i + 1];
      if (out.length > longestText) break;
    }
    return bounded(out);
  };
}

/** `toText` with its usual cases inlined, so that the compiler can optimise them. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  // Small whole numbers are never NaN or Infinity.
  if (typeof value === 'number' && (value | 0) === value) return `${value}`;
  return toText(value);
}

/** Sees only the input of the run, since it is evaluated before the run exists. */
const env: Env<unknown> = {
  root: (name) => (name === 'trigger' ? (request) => request : undefined),
};

/** The template of `settings.maxRunsKey`. `evaluate` throws a coded error if the expression cannot be evaluated. */
export function compileRunsKey(
  text: string,
): { readonly evaluate: (request: unknown) => unknown } | { readonly errors: readonly ExprProblem[] } {
  const parsed = parseTemplate(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, env) : parsed;
  return compiled.ok ? { evaluate: compiled.evaluate } : { errors: compiled.errors };
}

/** An expression over values of these names. `evaluate` gets them by name, and throws a coded error if it cannot be evaluated. */
export function compileOver<Name extends string>(
  text: string,
  names: readonly Name[],
):
  | { readonly evaluate: (values: Readonly<Record<Name, unknown>>) => unknown }
  | { readonly errors: readonly ExprProblem[] } {
  const over: Env<Readonly<Record<Name, unknown>>> = {
    root: (name) => {
      const known = names.find((one) => one === name);
      return known && ((values) => values[known]);
    },
  };
  const parsed = parseExpression(text);
  if (!parsed.ok) return { errors: [parsed.error] };
  const compiled = compileExpression(parsed.ast, over);
  return compiled.ok ? { evaluate: compiled.evaluate } : { errors: compiled.errors };
}
