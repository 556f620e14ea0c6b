import type { Call, MethodLink, Name } from './ast.ts';
import type { Context } from './context.ts';
import { fieldText } from './describe.ts';
import { findFunction, functionNames, methodNames } from './library.ts';
import { nearestName } from './names.ts';
import type { ExprProblem } from './problem.ts';

const SECRETS =
  'an expression never sees a secret: choose it in `auth`, which sends it as a header, a field or (`address`) where {secret} stands in the address';

const hints: ReadonlyMap<string, string> = new Map([
  ['Math', 'write `round(…)`, `floor(…)`, `min(…)`, `pow(…)` or `random()` without `Math.`'],
  ['JSON', 'write `json(text)` or `toJson(value)`'],
  ['Object', 'write `keys(object)`, `values(object)`, `entries(object)` or `merge(a, b)`'],
  ['Date', 'write `now()`, `date(text)` or `timestamp(now())`'],
  ['DateTime', 'write `now()`, `date(text)` or `date(text, format)`'],
  ['Number', 'write `number(value)`'],
  ['secret', SECRETS],
  ['secrets', SECRETS],
  ['NaN', 'a calculation can give it, but there is no literal for it'],
  ['Infinity', 'a calculation can give it, but there is no literal for it'],
]);

/** The problem of a name that is neither a root nor a parameter. */
export function unknownName<S>(ctx: Context<S>, { name, start }: Name): ExprProblem {
  const nearest = nearestName(name, new Set(ctx.locals.map((local) => local.name)));
  const hint = hints.get(name);
  return problem('expression-unknown-name', {
    what: `There is no \`${name}\` here`,
    hint,
    nearest,
    offset: start,
  });
}

/** The problem of a root with an unknown first member. */
export function unknownMember({ name, start }: Name, member: string): ExprProblem {
  const what = `There is no \`${name}${fieldText(member)}\` here`;
  return problem('expression-unknown-name', { what, hint: hints.get(name), offset: start });
}

/** The problem of a call of a function that does not exist. */
export function unknownFunction({ name, start }: Call): ExprProblem {
  const hint = methodNames.includes(name) ? `it is a method: write \`value.${name}(…)\`` : undefined;
  const nearest = nearestName(name, functionNames);
  const what = `There is no function \`${name}\``;
  return problem('expression-unknown-function', { what, hint, nearest, offset: start });
}

/** The problem of a call of a method that does not exist. */
export function unknownMethod({ name, start, optional }: MethodLink): ExprProblem {
  const offset = start + (optional ? 2 : 1);
  const what = `There is no method \`${name}\``;
  if (findFunction(name)) {
    return problem('expression-unknown-function', { what, hint: `write \`${name}(value)\``, offset });
  }
  const nearest = nearestName(name, methodNames);
  return problem('expression-unknown-function', { what, nearest, offset });
}

type Finding = { what: string; hint?: string | undefined; nearest?: string | undefined; offset: number };

function problem(code: ExprProblem['code'], { what, hint, nearest, offset }: Finding): ExprProblem {
  if (hint !== undefined) return { code, message: `${what}; ${hint}.`, offset };
  if (nearest === undefined) return { code, message: `${what}.`, offset };
  return { code, message: `${what}; did you mean \`${nearest}\`?`, offset, suggestion: nearest };
}
