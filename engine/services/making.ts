import { isRecord } from '#shared/json.ts';
import { WeftError } from '../base/operator.ts';
import { compileTemplate, type Env, type ExprTools, hasTemplate, parseTemplate } from '../expr/index.ts';

/** What expressions of a file of a service read (`shared/service-making.ts`). */
export interface Scope {
  /** By parameter; null for what is not given. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly before: Readonly<Record<string, unknown>>;
  readonly now: number;
  readonly random: number;
  readonly value?: unknown;
  readonly item?: unknown;
  readonly index?: number;
  readonly answer?: unknown;
  readonly mail?: unknown;
}

/** Evaluates the expressions of one file; each is compiled when it is first needed. */
export interface Maker {
  /** Throws the errors of expressions, and `flow_invalid` for a text that is none. */
  make(text: string, scope: Scope): unknown;
  /** A value in which any text may have expressions. */
  fill(value: unknown, scope: Scope): unknown;
}

type Evaluate = (scope: Scope) => unknown;
const ROOTS = ['params', 'before', 'value', 'item', 'index', 'answer', 'mail'] as const;

/** A maker for one file of a service; its expressions read times in UTC. */
export function createMaker(tools: ExprTools): Maker {
  const compiled = new Map<string, Evaluate>();
  const env: Env<Scope> = {
    root(name) {
      const known = ROOTS.find((one) => one === name);
      return known && ((scope) => scope[known]);
    },
    tools,
    timezone: 'UTC',
    moments: { start: ({ now }) => now, now: ({ now }) => now, random: ({ random }) => random },
  };

  function evaluatorOf(text: string): Evaluate {
    const known = compiled.get(text);
    if (known !== undefined) return known;
    const parsed = parseTemplate(text);
    const made = parsed.ok ? compileTemplate(parsed.template, env) : parsed;
    if (!made.ok)
      throw new WeftError('flow_invalid', `The file of the service: ${made.errors[0]?.message ?? text}`);
    compiled.set(text, made.evaluate);
    return made.evaluate;
  }

  const make: Maker['make'] = (text, scope) => evaluatorOf(text)(scope);
  const fill: Maker['fill'] = (value, scope) => {
    if (typeof value === 'string') return hasTemplate(value) ? make(value, scope) : value;
    if (Array.isArray(value)) return value.map((one) => fill(one, scope));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, scope)]));
  };
  return { make, fill };
}

/** What `makes` gives for a value, and then `each` for the items of the list; what is null in it is left out if `drops`. */
export function remade(
  maker: Maker,
  { makes, each }: { readonly makes?: string | undefined; readonly each?: string | undefined },
  of: { readonly value: unknown; readonly scope: Scope; readonly drops: boolean },
): unknown {
  const { scope, drops } = of;
  const value = makes === undefined ? of.value : maker.make(makes, scope);
  if (each === undefined || value === undefined || value === null) return value;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const items = list.map((item, index) => maker.make(each, { ...scope, item, index }));
  return drops ? items.filter((item) => item !== null && item !== undefined) : items;
}
