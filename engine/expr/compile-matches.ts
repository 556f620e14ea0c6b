import type { Call } from './ast.ts';
import { charge, chargeText } from './budget.ts';
import { type Context, nothing, report } from './context.ts';
import type { Env } from './env.ts';
import { textOf, wrongType } from './library/entry.ts';

type Regex = NonNullable<Env<unknown>['regex']>;
type Match = (...args: readonly unknown[]) => unknown;

/** A compiled pattern, and the steps that a character of text costs with it. */
interface Pattern {
  readonly test: (text: string) => boolean;
  readonly cost: number;
}

/** Binds `matches(text, pattern)` to the host's engine. A pattern that is written out is compiled here, once. */
export function compileMatches<S>(ctx: Context<S>, node: Call): Match {
  const { regex } = ctx.env;
  const [, pattern] = node.args;
  if (!regex) {
    const message = '`matches` is not available here: there is no engine for regular expressions.';
    return report(ctx, { code: 'expression-unknown-function', message, offset: node.start });
  }
  if (pattern?.type !== 'literal' || typeof pattern.value !== 'string') return matchAny(regex);
  try {
    const fixed = compiled(regex, pattern.value);
    return (text) => test(fixed, text);
  } catch (error) {
    report(ctx, { code: 'expression-syntax', message: badPattern(error), offset: pattern.start });
    return nothing;
  }
}

function matchAny(regex: Regex): Match {
  // A pattern that comes from data is mostly the same one again.
  let last: { source: string; pattern: Pattern } | undefined;
  return (text, value) => {
    const source = textOf(value, 'matches');
    if (last?.source !== source) last = { source, pattern: compiledNow(regex, source) };
    return test(last.pattern, text);
  };
}

function compiledNow(regex: Regex, source: string): Pattern {
  chargeText(source.length * repetitionsIn(source) * 16);
  try {
    return compiled(regex, source);
  } catch (error) {
    return wrongType(badPattern(error));
  }
}

function compiled(regex: Regex, source: string): Pattern {
  const pattern = regex(source);
  return {
    test: (text) => pattern.test(text),
    cost: Math.max(16, source.length * repetitionsIn(source)) / 64,
  };
}

/** How often the pattern's parts can be repeated when counts are written out, as engines do; they stop at 1000. */
function repetitionsIn(source: string): number {
  let product = 1;
  for (const [, from = '', to = ''] of source.matchAll(/\{([0-9]{1,4}),?([0-9]{0,4})\}/g)) {
    product = Math.min(1000, product * Math.max(1, Number(from), Number(to)));
  }
  return product;
}

function test(pattern: Pattern, value: unknown): boolean {
  const text = textOf(value, 'matches');
  charge(text.length * pattern.cost);
  return pattern.test(text);
}

function badPattern(error: unknown): string {
  const why = error instanceof Error ? `: ${error.message}` : '.';
  return `The regular expression is not valid${why}`;
}
