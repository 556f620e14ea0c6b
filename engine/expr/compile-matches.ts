import type { Call } from './ast.ts';
import { chargeText } from './budget.ts';
import { type Context, nothing, report } from './context.ts';
import { textOf, wrongType } from './library/entry.ts';

type Test = { test(text: string): boolean };
type Match = (...args: readonly unknown[]) => unknown;

// Linear engines cost more for each character than a plain search.
const costOfRegex = 4;

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
    const fixed = regex(pattern.value);
    return (text) => test(fixed, text);
  } catch (error) {
    report(ctx, { code: 'expression-syntax', message: badPattern(error), offset: pattern.start });
    return nothing;
  }
}

function matchAny(regex: (pattern: string) => Test): Match {
  // A pattern that comes from data is mostly the same one again.
  let last: { pattern: string; compiled: Test } | undefined;
  return (text, value) => {
    const pattern = textOf(value, 'matches');
    if (last?.pattern !== pattern) {
      chargeText(pattern.length * costOfRegex);
      last = { pattern, compiled: compiledOrRefused(regex, pattern) };
    }
    return test(last.compiled, text);
  };
}

function compiledOrRefused(regex: (pattern: string) => Test, pattern: string): Test {
  try {
    return regex(pattern);
  } catch (error) {
    return wrongType(badPattern(error));
  }
}

function test(pattern: Test, value: unknown): boolean {
  const text = textOf(value, 'matches');
  chargeText(text.length * costOfRegex);
  return pattern.test(text);
}

function badPattern(error: unknown): string {
  const why = error instanceof Error ? `: ${error.message}` : '.';
  return `The regular expression is not valid${why}`;
}
