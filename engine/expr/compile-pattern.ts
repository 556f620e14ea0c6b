import type { Argument } from './ast.ts';
import { chargeText } from './budget.ts';
import { type Context, nothing, report, type Run } from './context.ts';
import { type Pattern, textOf, wrongType } from './library/entry.ts';
import type { ExprTools } from './tools.ts';

/** Longest pattern, as that of the operator `text.regex`. */
const LONGEST = 1000;
/** Pattern length times the number of repetitions of its parts, with counts written out. */
const MAX_SIZE = 20_000;

/** The getter of a compiled pattern. A literal pattern is compiled here, once. */
export function compilePattern<S>(ctx: Context<S>, node: Argument | undefined, run: Run<S>): Run<S> {
  const { tools } = ctx.env;
  if (!tools || !node) return nothing;
  if (node.type !== 'literal' || typeof node.value !== 'string') return patternOf(tools, run);
  try {
    const fixed = compiled(tools, node.value);
    return () => fixed;
  } catch (error) {
    return report(ctx, { code: 'expression-syntax', message: badPattern(error), offset: node.start });
  }
}

function patternOf<S>(tools: ExprTools, run: Run<S>): Run<S> {
  // A pattern from data is usually the same as the last one.
  let last: Pattern | undefined;
  return (scope) => {
    const source = textOf(run(scope), 'pattern');
    if (last?.source !== source) last = compiledNow(tools, source);
    return last;
  };
}

function compiledNow(tools: ExprTools, source: string): Pattern {
  chargeText(source.length * repetitionsIn(source) * 16);
  try {
    return compiled(tools, source);
  } catch (error) {
    return wrongType(badPattern(error));
  }
}

function compiled(tools: ExprTools, source: string): Pattern {
  const size = source.length * repetitionsIn(source);
  if (source.length > LONGEST) throw new Error(`it is longer than ${LONGEST} characters`);
  if (size > MAX_SIZE) throw new Error('it is too large; use smaller counts');
  return { source, regex: tools.regex(source), cost: Math.max(16, size) / 64 };
}

/** How often the pattern's parts can repeat once counts are written out, as engines do; the count stops at 1000. */
function repetitionsIn(source: string): number {
  let product = 1;
  for (const [, from = '', to = ''] of source.matchAll(/\{([0-9]{1,4}),?([0-9]{0,4})\}/g)) {
    product = Math.min(1000, product * Math.max(1, Number(from), Number(to)));
  }
  return product;
}

function badPattern(error: unknown): string {
  const why = error instanceof Error ? `: ${error.message}` : '.';
  return `The regular expression is not valid${why}`;
}
