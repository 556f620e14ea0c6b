import type { Call, MethodLink, Name } from './ast.ts';
import type { Context } from './context.ts';
import { fieldText } from './describe.ts';
import { findFunction, functionNames, methodNames } from './library.ts';
import { nearestName } from './names.ts';
import type { ExprProblem } from './problem.ts';

const SECRETS =
  'an expression never sees a secret: choose it in `auth`, which sends it as a header, a field or (`address`) where {secret} stands in the address';

/** What people who come from JavaScript or another product write, and what to write here. */
interface Habit {
  readonly hint: string;
  /** What takes the place of the name as it stands, if that alone is right or a step towards it. */
  readonly instead?: string;
}

const ARRIVES =
  'write `input` for the value that arrives, without `.json`, `.item` or `.first()`, and `nodes.<id>` for that of an earlier node';
const OF_A_NODE = 'write `nodes.<id>`, with the id of the node, for what it gave';
const VARIABLE = 'write `vars.<name>` for a variable of the server';

const habits: ReadonlyMap<string, Habit> = new Map<string, Habit>([
  ['Math', { hint: 'write `round(…)`, `floor(…)`, `min(…)`, `pow(…)` or `random()` without `Math.`' }],
  ['JSON', { hint: 'write `json(text)` or `toJson(value)`' }],
  ['Object', { hint: 'write `keys(object)`, `values(object)`, `entries(object)` or `merge(a, b)`' }],
  ['Date', { hint: 'write `now()`, `date(text)` or `timestamp(now())`' }],
  ['DateTime', { hint: 'write `now()`, `date(text)` or `date(text, format)`' }],
  ['Number', { hint: 'write `number(value)`' }],
  ['secret', { hint: SECRETS }],
  ['secrets', { hint: SECRETS }],
  ['NaN', { hint: 'a calculation can give it, but there is no literal for it' }],
  ['Infinity', { hint: 'a calculation can give it, but there is no literal for it' }],
  ['process', { hint: VARIABLE }],
  ['env', { hint: VARIABLE }],
  // Of n8n.
  ['$json', { hint: ARRIVES, instead: 'input' }],
  ['$input', { hint: ARRIVES, instead: 'input' }],
  ['$node', { hint: OF_A_NODE, instead: 'nodes' }],
  ['$env', { hint: VARIABLE, instead: 'vars' }],
  ['$vars', { hint: VARIABLE, instead: 'vars' }],
  ['$now', { hint: 'write `now()`', instead: 'now()' }],
  ['$today', { hint: 'write `today()`', instead: 'today()' }],
  ['$itemIndex', { hint: 'write `index`, which a node with *For each item* has', instead: 'index' }],
  ['$execution', { hint: 'write `run`, such as `run.id`', instead: 'run' }],
]);

const habitsOfCalls: ReadonlyMap<string, Habit> = new Map<string, Habit>([
  ['parseInt', { hint: 'write `int(value)`', instead: 'int' }],
  ['parseFloat', { hint: 'write `number(value)`', instead: 'number' }],
  // Of n8n.
  ['$', { hint: OF_A_NODE }],
  ['$items', { hint: OF_A_NODE }],
  ['$if', { hint: 'write `condition ? value : other`' }],
  ['$ifEmpty', { hint: 'write `ifEmpty(value, other)`', instead: 'ifEmpty' }],
  ['$max', { hint: 'write `max(…)`', instead: 'max' }],
  ['$min', { hint: 'write `min(…)`', instead: 'min' }],
]);

/** The problem of a name that is neither a root nor a parameter. */
export function unknownName<S>(ctx: Context<S>, { name, start }: Name): ExprProblem {
  const nearest = nearestName(name, new Set(ctx.locals.map((local) => local.name)));
  return problem('expression-unknown-name', {
    what: `There is no \`${name}\` here`,
    habit: habits.get(name),
    nearest,
    offset: start,
  });
}

/** The problem of a root with an unknown first member. */
export function unknownMember({ name, start }: Name, member: string): ExprProblem {
  const what = `There is no \`${name}${fieldText(member)}\` here`;
  return problem('expression-unknown-name', { what, habit: habits.get(name), offset: start });
}

/** The problem of a call of a function that does not exist. */
export function unknownFunction({ name, start }: Call): ExprProblem {
  const habit = methodNames.includes(name)
    ? { hint: `it is a method: write \`value.${name}(…)\`` }
    : habitsOfCalls.get(name);
  const nearest = nearestName(name, functionNames);
  const what = `There is no function \`${name}\``;
  return problem('expression-unknown-function', { what, habit, nearest, offset: start });
}

/** The problem of a call of a method that does not exist. */
export function unknownMethod({ name, start, optional }: MethodLink): ExprProblem {
  const offset = start + (optional ? 2 : 1);
  const what = `There is no method \`${name}\``;
  if (findFunction(name)) {
    const habit = { hint: `write \`${name}(value)\`` };
    return problem('expression-unknown-function', { what, habit, offset });
  }
  const nearest = nearestName(name, methodNames);
  return problem('expression-unknown-function', { what, nearest, offset });
}

interface Finding {
  readonly what: string;
  readonly habit?: Habit | undefined;
  readonly nearest?: string | undefined;
  readonly offset: number;
}

function problem(code: ExprProblem['code'], { what, habit, nearest, offset }: Finding): ExprProblem {
  if (habit) {
    const { hint, instead } = habit;
    return { code, message: `${what}; ${hint}.`, offset, ...(instead && { suggestion: instead }) };
  }
  if (nearest === undefined) return { code, message: `${what}.`, offset };
  return { code, message: `${what}; did you mean \`${nearest}\`?`, offset, suggestion: nearest };
}
