import { testTools } from './test-tools.ts';
import { WeftError } from '../../base/errors.ts';
import { compileExpression, compileTemplate, type Env, parseExpression, parseTemplate } from '../index.ts';

/** What expressions in tests see: `input`, `vars`, and `nodes` with members that are known at compile time. */
export interface Scope {
  input: unknown;
  vars?: unknown;
  nodes?: Record<string, unknown>;
}

const knownNodes = new Set(['a', 'b', 'skipped']);

/** 2026-11-27T09:30:00Z */
const START = 1_795_771_800_000;

/** An environment as the engine gives it, with a clock that stands still. */
export const env: Env<Scope> = {
  root: (name) => {
    if (name === 'input') return (scope) => scope.input;
    return name === 'vars' ? (scope) => scope.vars : undefined;
  },
  member: (root, name, tolerant) => {
    if (root !== 'nodes' || !knownNodes.has(name)) return undefined;
    return (scope) => {
      if (scope.nodes && Object.hasOwn(scope.nodes, name)) return scope.nodes[name];
      if (tolerant) return undefined;
      throw new WeftError('node_skipped', `The node \`${name}\` was skipped.`);
    };
  },
  tools: testTools,
  moments: {
    start: () => START,
    now: () => START + 60_000,
    random: () => 0.5,
  },
};

/** The value of an expression; problems are thrown unchanged. */
export function evaluate(source: string, input: unknown = {}, more: Partial<Scope> = {}): unknown {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.error;
  const compiled = compileExpression(parsed.ast, env);
  if (!compiled.ok) throw compiled.errors[0];
  return compiled.evaluate({ input, ...more });
}

/** The value of a template; the first problem is thrown unchanged. */
export function render(text: string, input: unknown = {}): unknown {
  const parsed = parseTemplate(text);
  if (!parsed.ok) throw parsed.errors[0];
  const compiled = compileTemplate(parsed.template, env);
  if (!compiled.ok) throw compiled.errors[0];
  return compiled.evaluate({ input });
}

/** What a call throws: an error or a problem. */
export function thrown(call: () => unknown): {
  code: string;
  message: string;
  offset?: number;
  data?: unknown;
} {
  try {
    call();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('Nothing was thrown.');
}
