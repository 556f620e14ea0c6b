import type { Argument, Lambda as LambdaNode } from './ast.ts';
import { charge } from './budget.ts';
import { type Context, type Local, report, type Run } from './context.ts';
import type { Entry, Lambda } from './library/entry.ts';

/** Compiles the arguments of a call; `method` says whether the first one is a lambda. */
export function compileArguments<S>(ctx: Context<S>, args: readonly Argument[], method?: Entry): Run<S>[] {
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
  const locals = node.params.map((name): Local => ({ name, value: undefined }));
  ctx.locals.push(...locals);
  const body = ctx.run(node.body);
  ctx.locals.length -= locals.length;
  const [first, second] = locals;
  // A long body is not to be cheaper than what it replaces: 64 characters of it cost a step.
  const cost = 1 + ((node.body.end - node.body.start) >> 6);
  if (locals.length === 1 && first) return withOne(body, cost, first);
  return locals.length === 2 && first && second
    ? withTwo(body, cost, [first, second])
    : withMany(body, cost, locals);
}

// The old values are put back, so that an evaluation inside an evaluation disturbs nothing, and no data is held
// after the run.
function withOne<S>(body: Run<S>, cost: number, local: Local): (scope: S) => Lambda {
  return (scope) => (value) => {
    charge(cost);
    const outer = local.value;
    local.value = value;
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
    one.value = first;
    two.value = second;
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
      locals.forEach((local, index) => (local.value = values[index]));
      try {
        return body(scope);
      } finally {
        locals.forEach((local, index) => (local.value = outer[index]));
      }
    };
}
