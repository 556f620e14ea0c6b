import type { FlowNode } from '#shared/flow.ts';
import type { Context } from '../context.ts';
import { bodyOf, createScope, following, type Port } from '../graph.ts';
import { perItem, spreadItems } from '../items.ts';
import { gives, type Given as Made } from '../job.ts';
import type { Last, Service, Step, Steps } from '../services/service.ts';
import { connectionOf, givenOf, nodeOf, skipUsual } from './service-requests.ts';

/** Operations of services that send several requests one after the other. */

/** The steps of an operation; undefined if it takes one request with these settings. */
export function stepsOf({ several }: Service, name: string, { params }: Context): Steps | undefined {
  const found = several?.[name];
  if (found === undefined || typeof found === 'function') return found;
  return found.when(params) ? found.steps : undefined;
}

/** For each item, each with what those before it were answered. */
export function convertSteps(service: Service, context: Context, input: Port, steps: Steps): Made {
  const { params, step } = context;
  skipUsual(context);
  const connection = connectionOf(service, context);
  let isOne = false;
  const out = perItem(context, input, (inside, item) => {
    let from = item;
    const send = (hint: string, asked: Step): string => {
      from = sent(inside, from, { hint, asked, connection });
      return asked.until === undefined ? from.expr : `${from.expr}.body`;
    };
    // Behind the first request the item is no longer `input`.
    const given = givenOf(inside, item, params, true);
    const last = steps(given, (hint, asked) => send(`${step.name} ${hint}`, asked));
    send(step.name, last);
    isOne = last.item !== undefined;
    const id = inside.add(`${step.name} answer`, {
      operator: 'core.map',
      params: { value: `{{ ${answerOf(last)} }}` },
    });
    inside.wire(from, `${id}.in`);
    return inside.port(id, 'out', { card: 'one', ...following(item, step.name) });
  });
  if (isOne) return gives(out);
  const all = spreadItems(context, out, input.card);
  if (service.second === undefined) return gives(all);
  return input.card === 'many' ? parted(context, all, service.second) : either(context, all, service.second);
}

/** What the last one gives; `input` is its answer. */
function answerOf({ items, item = items, until }: Last): string {
  const answer = until === undefined ? 'input' : 'input.body';
  return item === undefined ? answer : `[${answer}].map(one => (${item}))[0]`;
}

interface Sent {
  readonly hint: string;
  readonly asked: Step;
  readonly connection: string | undefined;
}

function sent(inside: Context, from: Port, { hint, asked, connection }: Sent): Port {
  const node = nodeOf(asked, connection);
  const output = 'operator' in asked ? 'out' : asked.file === undefined ? 'body' : 'file';
  const { until } = asked;
  const id = inside.add(hint, until === undefined ? node : repeated(inside, { node, output, hint }, until));
  inside.wire(from, `${id}.in`);
  if (connection !== undefined && node.params?.['connection'] !== undefined)
    inside.job.report.use('connection', connection, id);
  return inside.port(id, until === undefined ? output : 'out', { card: 'one' });
}

interface Repeated {
  readonly node: FlowNode;
  readonly output: string;
  readonly hint: string;
}

/** A request that is sent until its answer is the one that is waited for. */
function repeated(
  { job, scope: around }: Context,
  { node, output, hint }: Repeated,
  { holds, everySeconds, seconds }: NonNullable<Step['until']>,
): FlowNode {
  const start = job.naming.id(`${hint} round`);
  const scope = createScope(around, start);
  const asked = job.naming.id(`${hint} state`);
  const answer = job.naming.id(`${hint} state answer`);
  scope.nodes.set(asked, node);
  const value = { body: '{{ input }}', status: `{{ nodes.${asked}?.status }}` };
  scope.nodes.set(answer, { operator: 'core.map', params: { value } });
  scope.edges.push(
    { from: `${start}.out`, to: `${asked}.in` },
    { from: `${asked}.${output}`, to: `${answer}.in` },
  );
  const maxRounds = Math.max(1, Math.ceil(seconds / everySeconds));
  return {
    operator: 'data.repeat-until',
    params: { until: `{{ ${holds} }}`, maxRounds, delayMs: everySeconds * 1000 },
    body: bodyOf(scope),
  };
}

/** The answer for one item leaves by one of two outputs. */
function either(context: Context, all: Port, second: string): Made {
  const id = context.add(`${context.step.name} output`, {
    operator: 'logic.if',
    params: { condition: `{{ input.some(one => ${second}) }}` },
  });
  context.wire(all, `${id}.in`);
  const [first, other] = ['else', 'then'].map((output) => context.port(id, output, { card: 'many' }));
  return { outputs: [first, other], item: first };
}

/** The answers for many items, some of which leave by the second output. */
function parted(context: Context, all: Port, second: string): Made {
  const [first, other] = [`!(${second})`, second].map((condition, at) => {
    const id = context.add(`${context.step.name} output ${at + 1}`, {
      operator: 'core.map',
      params: { value: `{{ input.filter(one => ${condition}) }}` },
    });
    context.wire(all, `${id}.in`);
    return context.port(id, 'out', { card: 'many', mayBeEmpty: true });
  });
  return { outputs: [first, other], item: first };
}
