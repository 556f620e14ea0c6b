import {
  compileTemplate,
  type Env,
  type ExprProblem,
  type ExprTools,
  hasTemplate,
  parseTemplate,
  WeftError,
} from '#engine/check';
import type { ExpressionScope } from './expression-scope.ts';
import type { Source } from './source.ts';

/** The value of a text with `{{ }}`, from the values of the run on the canvas. */
export type Preview =
  /** There is nothing to evaluate. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'value'; readonly value: unknown }
  /** A value that it needs is unknown. */
  | { readonly kind: 'missing'; readonly message: string; readonly needs?: Library | undefined }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

/** Libraries that are large, and loaded with the first expression that needs them. */
export type Library = 'regex' | 'dates';

/** The libraries that are loaded by now, and the zone for times. */
export interface PreviewTools extends Partial<Pick<ExprTools, Library>> {
  /** The zone of the flow; UTC if it is absent. */
  readonly timezone?: string;
}

class NotKnown extends Error {
  readonly needs: Library | undefined;

  constructor(message: string | undefined, needs?: Library) {
    super(message);
    this.needs = needs;
  }
}

/** Evaluates a text with the values of `scope`. Never throws: a failure is a `Preview` too. */
export function previewOf(text: string, scope: ExpressionScope, tools?: PreviewTools): Preview {
  if (!hasTemplate(text)) return { kind: 'plain' };
  const parsed = parseTemplate(text);
  const compiled = parsed.ok ? compileTemplate(parsed.template, previewEnv(scope, tools)) : parsed;
  if (!compiled.ok) {
    const [first] = compiled.errors;
    return { kind: 'error', code: first?.code ?? 'expression-syntax', message: first?.message ?? '' };
  }
  try {
    return { kind: 'value', value: compiled.evaluate(scope) };
  } catch (error) {
    if (error instanceof NotKnown) return { kind: 'missing', message: error.message, needs: error.needs };
    if (error instanceof WeftError) return { kind: 'error', code: error.code, message: error.message };
    return { kind: 'error', code: 'internal', message: 'The expression could not be evaluated.' };
  }
}

/** Roots whose members are known individually. */
const BY_NAME: ReadonlySet<string> = new Set(['inputs', 'trigger', 'vars']);

/** Every expression of the editor sees the same names as in a run; a name without a value stops the evaluation. */
export function previewEnv(scope: ExpressionScope, tools: PreviewTools = {}): Env<ExpressionScope> {
  const { timezone = 'UTC' } = tools;
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
    tools: {
      regex: tools.regex ?? (() => patternsToLoad),
      dates: tools.dates ?? datesToLoad,
      digest: () => notKnown('A digest is made when the flow runs.'),
    },
    timezone,
    moments: {
      start: startOf,
      now: Date.now,
      random: () => notKnown('A random number is made when the flow runs.'),
    },
  };
}

function valueOf(source: Source): unknown {
  if (source.value === undefined) throw new NotKnown(source.why);
  return source.value;
}

function skippedValue(id: string, tolerant: boolean): undefined {
  if (tolerant) return undefined;
  const message = `nodes.${id} was skipped in the last run; write nodes.${id}?.… or ?? if that may happen.`;
  throw new WeftError('node_skipped', message);
}

/** The start of the run on the canvas; without one, a run would start now. A fixed value has no time. */
function startOf(scope: ExpressionScope): number {
  const run = scope.get('run') ?? notKnown('The time is that of a run.');
  const startedAt = (run.value as { startedAt?: unknown } | undefined)?.startedAt;
  return typeof startedAt === 'number' ? startedAt : Date.now();
}

function notKnown(why: string, needs?: Library): never {
  throw new NotKnown(why, needs);
}

const waitForPatterns = (): never => notKnown('Patterns are being loaded…', 'regex');
const patternsToLoad = { test: waitForPatterns, matches: waitForPatterns };
const datesToLoad = (): never => notKnown('Dates are being loaded…', 'dates');

/** Problems of the expressions of a text, by grammar and names. */
export function templateFaults(text: string, scope: ExpressionScope): readonly ExprProblem[] {
  if (!hasTemplate(text)) return [];
  const parsed = parseTemplate(text);
  if (!parsed.ok) return parsed.errors;
  const compiled = compileTemplate(parsed.template, previewEnv(scope));
  return compiled.ok ? [] : compiled.errors;
}
