import type { Argument, Call, Lambda as LambdaNode, MethodLink } from './ast.ts';
import { charge, chargeText } from './budget.ts';
import { type Context, type Env, type Local, nothing, report, type Run } from './context.ts';
import { located, wrongTypeAt } from './failures.ts';
import { argumentsFit, findFunction, findMethods, type Methods } from './library.ts';
import { type Entry, type Lambda, textOf, wrongType } from './library/entry.ts';
import { aType } from './read.ts';
import { unknownFunction, unknownMethod } from './unknown-name.ts';

/** Compiles `name(…)`. */
export function compileCall<S>(ctx: Context<S>, node: Call): Run<S> {
  ctx.metered = true;
  const args = compileArguments(ctx, node.args);
  const entry = findFunction(node.name);
  if (!entry) return report(ctx, unknownFunction(node));
  const unfit = argumentsFit([entry], node.args.length);
  if (unfit !== undefined) return misfit(ctx, unfit, node.start);
  const run = node.name === 'matches' ? compileMatches(ctx, node) : entry.run;
  const [first = nothing, second = nothing] = args;
  return (scope) => {
    try {
      if (args.length === 1) return found(run(first(scope)));
      if (args.length === 2) return found(run(first(scope), second(scope)));
      return found(run(...args.map((arg) => arg(scope))));
    } catch (error) {
      throw located(error, node);
    }
  };
}

/** The receiver's text for messages, and whether a missing receiver results in null. */
type Receiver = { owner: () => string; soft: boolean };

/** Compiles `.name(…)` as a step from its receiver. */
export function compileMethod<S>(
  ctx: Context<S>,
  link: MethodLink,
  { owner, soft }: Receiver,
): (value: unknown, scope: S) => unknown {
  ctx.metered = true;
  const methods = findMethods(link.name);
  const args = compileArguments(ctx, link.args, methods?.array);
  if (!methods) return report(ctx, unknownMethod(link));
  const entries = [methods.string, methods.array, methods.number].filter((entry) => entry !== undefined);
  const unfit = argumentsFit(entries, link.args.length);
  if (unfit !== undefined) return misfit(ctx, unfit, link.start);
  const [first = nothing, second = nothing] = args;
  return (value, scope) => {
    if (soft && (value === null || value === undefined)) return null;
    const run = methodFor(methods, value) ?? wrongReceiver(methods, value, { owner, link });
    try {
      if (args.length === 0) return found(run(value));
      if (args.length === 1) return found(run(value, first(scope)));
      if (args.length === 2) return found(run(value, first(scope), second(scope)));
      return found(run(value, ...args.map((arg) => arg(scope))));
    } catch (error) {
      throw located(error, link);
    }
  };
}

/** The result of a function: null where JavaScript's own, such as `find`, have undefined. */
function found(result: unknown): unknown {
  return result === undefined ? null : result;
}

function misfit<S>(ctx: Context<S>, message: string, offset: number): () => undefined {
  return report(ctx, { code: 'expression-syntax', message, offset });
}

type Method = (self: unknown, ...args: readonly unknown[]) => unknown;

/** The method for the type of this value. The type is known here and nowhere later, hence the cast. */
function methodFor(methods: Methods, value: unknown): Method | undefined {
  if (typeof value === 'string') return methods.string?.run as Method | undefined;
  if (Array.isArray(value)) return methods.array?.run as Method | undefined;
  if (typeof value === 'number') return methods.number?.run as Method | undefined;
  return undefined;
}

function wrongReceiver(
  methods: Methods,
  value: unknown,
  { owner, link }: { owner: () => string; link: MethodLink },
): never {
  const kinds = [methods.string && 'text', methods.array && 'arrays', methods.number && 'numbers'];
  const takes = kinds.filter((kind) => kind !== undefined).join(' and ');
  const message = `\`${link.name}\` is a method of ${takes}, but \`${owner()}\` is ${aType(value)}.`;
  return wrongTypeAt(message, link);
}

/** Compiles the arguments of a call; `method` determines whether the first one is a lambda. */
function compileArguments<S>(ctx: Context<S>, args: readonly Argument[], method?: Entry): Run<S>[] {
  return args.map((arg, index) => {
    const wanted = index === 0 && method?.lambda !== undefined;
    if ((arg.type === 'lambda') !== wanted) {
      const message = wanted
        ? `The first argument is a function, as in \`${method?.signature}\`.`
        : 'Only the first argument can be a function.';
      return report(ctx, { code: 'expression-syntax', message, offset: arg.start });
    }
    return arg.type === 'lambda' ? compileLambda(ctx, arg) : ctx.run(arg);
  });
}

function compileLambda<S>(ctx: Context<S>, node: LambdaNode): Run<S> {
  const locals = node.params.map((name): Local => ({ name, value: null }));
  ctx.locals.push(...locals);
  const body = ctx.run(node.body);
  ctx.locals.length -= locals.length;
  const [first, second] = locals;
  // A long body must not be cheaper than the code it replaces: 64 characters of it cost a step.
  const cost = 1 + ((node.body.end - node.body.start) >> 6);
  if (locals.length === 1 && first) return withOne(body, cost, first);
  return locals.length === 2 && first && second
    ? withTwo(body, cost, [first, second])
    : withMany(body, cost, locals);
}

// The old values are restored, so that nested evaluations do not interfere, and no data is held after the run.
function withOne<S>(body: Run<S>, cost: number, local: Local): (scope: S) => Lambda {
  return (scope) => (value) => {
    charge(cost);
    const outer = local.value;
    local.value = found(value);
    try {
      return body(scope);
    } finally {
      local.value = outer;
    }
  };
}

function withTwo<S>(body: Run<S>, cost: number, [one, two]: readonly [Local, Local]): (scope: S) => Lambda {
  return (scope) => (first, second) => {
    charge(cost);
    const outerOne = one.value;
    const outerTwo = two.value;
    one.value = found(first);
    two.value = found(second);
    try {
      return body(scope);
    } finally {
      one.value = outerOne;
      two.value = outerTwo;
    }
  };
}

function withMany<S>(body: Run<S>, cost: number, locals: readonly Local[]): (scope: S) => Lambda {
  return (scope) =>
    (...values) => {
      charge(cost);
      const outer = locals.map((local) => local.value);
      locals.forEach((local, index) => (local.value = found(values[index])));
      try {
        return body(scope);
      } finally {
        locals.forEach((local, index) => (local.value = outer[index]));
      }
    };
}

type Regex = NonNullable<Env<unknown>['regex']>;
type Match = (...args: readonly unknown[]) => unknown;

/** A compiled pattern, and the steps that a character of text costs with it. */
interface Pattern {
  readonly test: (text: string) => boolean;
  readonly cost: number;
}

/** Binds `matches(text, pattern)` to the host's regex engine. A literal pattern is compiled here, once. */
function compileMatches<S>(ctx: Context<S>, node: Call): Match {
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
  // A pattern from data is usually the same as the last one.
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

/** How often the pattern's parts can repeat once counts are written out, as engines do; the count stops at 1000. */
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
