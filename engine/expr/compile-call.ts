import type { Call, MethodLink } from './ast.ts';
import { compileArguments } from './compile-arguments.ts';
import { compileMatches } from './compile-matches.ts';
import { type Context, nothing, report, type Run } from './context.ts';
import { located, wrongTypeAt } from './failures.ts';
import { argumentsFit, findFunction, findMethods, type Methods } from './library.ts';
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
      if (args.length === 1) return run(first(scope));
      if (args.length === 2) return run(first(scope), second(scope));
      return run(...args.map((arg) => arg(scope)));
    } catch (error) {
      throw located(error, node);
    }
  };
}

/** The receiver's text for messages, and whether a missing one gives undefined. */
type Receiver = { owner: () => string; soft: boolean };

/** Compiles `.name(…)` as a step from the value that it is called on. */
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
    if (soft && (value === null || value === undefined)) return undefined;
    const run = methodFor(methods, value) ?? wrongReceiver(methods, value, { owner, link });
    try {
      if (args.length === 0) return run(value);
      if (args.length === 1) return run(value, first(scope));
      if (args.length === 2) return run(value, first(scope), second(scope));
      return run(value, ...args.map((arg) => arg(scope)));
    } catch (error) {
      throw located(error, link);
    }
  };
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
