import type { Argument, Call, Lambda as LambdaNode, MethodLink } from './ast.ts';
import { charge } from './budget.ts';
import { compilePattern } from './compile-pattern.ts';
import { type Context, type Local, nothing, report, type Run } from './context.ts';
import { located, wrongTypeAt } from './failures.ts';
import { argumentsFit, findFunction, findMethods, type Methods } from './library.ts';
import { formatOf } from './library/dates/format.ts';
import { unitOf } from './library/dates/units.ts';
import { checkZone } from './library/dates/zone.ts';
import type { DateWord, Entry, FunctionEntry, Lambda, MethodEntry } from './library/entry.ts';
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
  const run = bound(ctx, entry, node);
  withSurroundings(ctx, { entry, node, args, from: 0 });
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

type AnyRun = (...args: readonly unknown[]) => unknown;
type CallLike = Pick<Call, 'name' | 'args' | 'start'>;

/** The code of a function. */
function bound<S>(ctx: Context<S>, entry: FunctionEntry, { name, start }: CallLike): AnyRun {
  if ('run' in entry && entry.pattern === undefined) return entry.run;
  const { tools, timezone = 'UTC' } = ctx.env;
  if (tools) return 'run' in entry ? entry.run : entry.bind({ tools, timezone });
  const message = `\`${name}\` is not available here.`;
  return report(ctx, { code: 'expression-unknown-function', message, offset: start });
}

interface Arguments<S> {
  readonly entry: Entry;
  readonly node: CallLike;
  readonly args: Run<S>[];
  /** How many of the function's arguments come before these. */
  readonly from: number;
}

/** Puts what a function needs besides its arguments among them: compiled patterns, and what changes from run to run. */
function withSurroundings<S>(ctx: Context<S>, { entry, node, args, from }: Arguments<S>): void {
  const { pattern, reads } = entry;
  checkWords(ctx, entry, { node, from });
  if (pattern !== undefined) {
    const at = pattern - from;
    args[at] = compilePattern(ctx, node.args[at], args[at] ?? nothing);
  }
  if (reads === undefined) return;
  // It is not constant, though it reads no root.
  ctx.usesRoots = true;
  const { moments } = ctx.env;
  if (moments) args.unshift((scope) => moments[reads](scope));
  else
    report(ctx, {
      code: 'expression-unknown-function',
      message: `\`${node.name}\` is not available here.`,
      offset: node.start,
    });
}

/** Reports units, zones and formats that do not exist, where they are literal. */
function checkWords<S>(
  ctx: Context<S>,
  { takes = [], signature }: Entry,
  { node, from }: Pick<Arguments<S>, 'node' | 'from'>,
): void {
  takes.forEach((kind, i) => {
    const arg = node.args[i - from];
    if (!(kind in dateWords) || arg?.type !== 'literal' || typeof arg.value !== 'string') return;
    try {
      dateWords[kind as DateWord](arg.value, signature.slice(0, signature.indexOf('(')));
    } catch (error) {
      const message = error instanceof Error ? error.message : 'This is not a part of a date.';
      report(ctx, { code: 'expression-syntax', message, offset: arg.start });
    }
  });
}

const dateWords: Readonly<Record<DateWord, (text: string, name: string) => unknown>> = {
  unit: unitOf,
  zone: checkZone,
  format: formatOf,
};

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
  const runs = methodRuns(ctx, methods, { link, args });
  const [first = nothing, second = nothing] = args;
  return (value, scope) => {
    if (soft && (value === null || value === undefined)) return null;
    const run = methodFor(runs, value) ?? wrongReceiver(methods, value, { owner, link });
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

type MethodRuns = Readonly<Record<keyof Methods, Method | undefined>>;

/** The code of a method for each type of receiver. The type is known here and nowhere later, hence the casts. */
function methodRuns<S>(
  ctx: Context<S>,
  methods: Methods,
  { link, args }: { link: MethodLink; args: Run<S>[] },
): MethodRuns {
  const runOf = (entry: MethodEntry<never> | undefined): Method | undefined => {
    if (!entry) return undefined;
    return 'of' in entry ? bound(ctx, entry.of, link) : (entry.run as Method);
  };
  const { string, array, number } = methods;
  // Only texts have methods with patterns.
  if (string && 'of' in string) withSurroundings(ctx, { entry: string.of, node: link, args, from: 1 });
  return { string: runOf(string), array: runOf(array), number: runOf(number) };
}

function methodFor(runs: MethodRuns, value: unknown): Method | undefined {
  if (typeof value === 'string') return runs.string;
  if (Array.isArray(value)) return runs.array;
  if (typeof value === 'number') return runs.number;
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
