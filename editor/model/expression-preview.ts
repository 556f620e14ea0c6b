import {
  compileTemplate,
  type Env,
  type ExprProblem,
  hasTemplate,
  parseTemplate,
  WeftError,
} from '#engine/check';
import type { ExpressionScope, Source } from './expression-scope.ts';

/** What a text with `{{ }}` comes to, by the values of the run on the canvas. */
export type Preview =
  /** There is nothing to evaluate. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** A value that it needs is not known. */
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

/** Makes a regular expression that needs linear time; undefined while it is being loaded. */
export type RegexMaker = (pattern: string) => { test(text: string): boolean };

class NotKnown extends Error {}

export function previewOf(text: string, scope: ExpressionScope, regex?: RegexMaker): Preview {
  if (!hasTemplate(text)) return { kind: 'plain' };
  const parsed = parseTemplate(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, previewEnv(scope, regex)) : parsed;
  if (!compiled.ok) {
    const [first] = compiled.errors;
    return { kind: 'error', code: first?.code ?? 'expression-syntax', message: first?.message ?? '' };
  }
  try {
    return { kind: 'value', value: compiled.evaluate(scope) };
  } catch (error) {
    if (error instanceof NotKnown) return { kind: 'missing', message: error.message };
    if (error instanceof WeftError) return { kind: 'error', code: error.code, message: error.message };
    return { kind: 'error', code: 'internal', message: 'The expression could not be evaluated.' };
  }
}

/** Roots whose members are known one by one. */
const BY_NAME: ReadonlySet<string> = new Set(['inputs', 'trigger', 'vars']);

/** Every expression of the editor sees the same names as in a run; what has no value stops the evaluation. */
export function previewEnv(scope: ExpressionScope, regex?: RegexMaker): Env<ExpressionScope> {
  return {
    root: (name) => {
      const source = name === 'nodes' ? undefined : scope.get(name);
      return source && (() => valueOf(source));
    },
    member: (root, name, tolerant) => {
      const source = root === 'nodes' ? scope.get('nodes')?.parts?.get(name) : undefined;
      if (source) return () => (source.skipped ? skippedValue(name, tolerant) : valueOf(source));
      const part = BY_NAME.has(root) ? scope.get(root)?.parts?.get(name) : undefined;
      return part && (() => valueOf(part));
    },
    regex: regex ?? (() => ({ test: notLoaded })),
  };
}

function valueOf(source: Source): unknown {
  if (source.value === undefined) throw new NotKnown(source.why);
  return source.value;
}

function skippedValue(id: string, tolerant: boolean): undefined {
  if (tolerant) return undefined;
  const message = `nodes.${id} was skipped in the last run; write nodes.${id}?.… or ?? where that may happen.`;
  throw new WeftError('node_skipped', message);
}

function notLoaded(): never {
  throw new NotKnown('Patterns are being loaded…');
}

/** What is wrong with the expressions of a text, by their grammar and names. */
export function templateFaults(text: string, scope: ExpressionScope): readonly ExprProblem[] {
  if (!hasTemplate(text)) return [];
  const parsed = parseTemplate(text);
  if (!parsed.ok) return parsed.errors;
  const compiled = compileTemplate(parsed.template, previewEnv(scope));
  return compiled.ok ? [] : compiled.errors;
}
