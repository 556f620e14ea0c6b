import { concatenated, type Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { firstReads, type Reads } from '../expressions/reads.ts';
import { following, type Port, SPREAD } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { formOf, tellBlocks } from './forms.ts';

/** Waits: for a time, a call, or a form. */

const UNITS: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

function wait(context: Context): Given {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const resume = context.params.text('resume') ?? 'timeInterval';
  if (resume === 'webhook') return forCall(context, input);
  return resume === 'form' ? forForm(context, input) : forTime(context, input, resume);
}

/** It waits once, as the first item says. */
function readsOnce(context: Context, input: Port): Reads {
  const reads = context.reads(input);
  return input.card === 'one' ? reads : { ...firstReads(reads), from: undefined, item: () => 'input?.[0]' };
}

function forTime(context: Context, input: Port, resume: string): Given {
  const { params, step } = context;
  const reads = readsOnce(context, input);
  const passed = {
    card: input.card,
    mayBeEmpty: input.mayBeEmpty,
    ...following(input, step.name),
  };
  const node =
    resume === 'specificTime'
      ? { operator: 'logic.wait-until', params: { at: context.text(params.get('dateTime'), reads) } }
      : interval(context, reads);
  const id = context.add(step.name, node);
  context.wire(input, `${id}.in`);
  return gives(context.port(id, 'out', passed));
}

/** The call is the item, and what led to the wait is it if none comes in time. */
function forCall(context: Context, input: Port): Given {
  const { params } = context;
  notInLoop(context);
  const method = params.text('httpMethod') ?? 'GET';
  if (method !== 'POST')
    context.changed(
      'setting',
      `It took a call by ${method}; here it takes a POST with JSON, so nobody resumes it by a click on the address.`,
      { before: method, lost: true },
    );
  params.skip('responseMode', 'responseCode', 'options.ignoreBots', 'options.noResponseBody');
  for (const path of [
    'responseMode',
    'options.responseData',
    'options.webhookSuffix',
    'incomingAuthentication',
  ])
    if (params.text(path) !== undefined && !/^(?:onReceived|none)$/.test(params.text(path) as string))
      context.changed(
        'setting',
        'Whoever calls gets a short confirmation; the address has a token and no other sign-in.',
        { before: `${path}: ${params.text(path)}`, lost: path !== 'options.webhookSuffix' },
      );
  return waiting(context, input, {
    node: { operator: 'logic.wait-for-call', params: expiry(context) },
    output: 'received',
    item: { headers: {}, params: {}, query: {}, body: '{{ input.body ?? { } }}' },
  });
}

function forForm(context: Context, input: Port): Given {
  notInLoop(context);
  const { params, step } = context;
  const { fields, value } = formOf(params);
  tellBlocks(context, params.list('formFields.values'));
  const text = params.text('formDescription');
  params.skip('responseMode', 'incomingAuthentication', 'options.appendAttribution');
  const reads = readsOnce(context, input);
  const said = (given: string): string => context.text(given, reads);
  return waiting(context, input, {
    node: {
      operator: 'human.form',
      params: {
        title: said(params.text('formTitle') ?? step.name),
        ...(text !== undefined && { text: said(text) }),
        fields: fields.length > 0 ? fields : [{ name: 'note', label: 'Note', type: 'text' }],
        ...expiry(context),
      },
    },
    output: 'submitted',
    item: value((name) => `{{ input.data?.${name} }}`),
  });
}

/** The address of a wait is for one wait of a run. */
export function notInLoop({ scope }: Context): void {
  if (scope.start !== undefined)
    throw new NotHere('it waits for somebody in each round of a loop', [
      'a flow of its own that waits, called in the loop',
      'logic.wait-for-event',
    ]);
}

interface Waiting {
  readonly node: { readonly operator: string; readonly params: Record<string, unknown> };
  /** The output for the answer, and the item that it is. */
  readonly output: string;
  readonly item: Record<string, unknown>;
}

function waiting(context: Context, input: Port, { node, output, item }: Waiting): Given {
  const { step, job } = context;
  const id = context.add(step.name, node);
  context.wire(input, `${id}.in`);
  job.waiting.set(step.name, id);
  const taken = (at: number): ReadonlyMap<string, number> => new Map([...input.taken, [step.name, at]]);
  const answer = context.add(`${step.name} answer`, { operator: 'core.map', params: { value: item } });
  context.wire(`${id}.${output}`, `${answer}.in`);
  const own = context.port(answer, 'out', { card: 'one', origin: undefined, taken: taken(0) });
  if (!('expiresAfter' in node.params)) return gives(own);
  const late = context.add(`${step.name} expired`, {
    operator: 'core.map',
    params: { value: '{{ input.input }}' },
  });
  context.wire(`${id}.expired`, `${late}.in`);
  const { card, mayBeEmpty } = input;
  const expired = context.port(late, 'out', { card, mayBeEmpty, taken: taken(1) });
  return gives(concatenated(context, [own, expired]));
}

/** The longest wait. */
function expiry(context: Context): { expiresAfter?: number } {
  const { params } = context;
  const limited = params.flag('limitWaitTime');
  const type = params.text('limitType') ?? 'afterTimeInterval';
  const unit = UNITS[params.text('resumeUnit') ?? 'hours'] ?? 3_600_000;
  const amount = params.number('resumeAmount') ?? 1;
  if (!limited) return {};
  if (type === 'afterTimeInterval') return { expiresAfter: Math.max(1, Math.round(amount * unit)) };
  context.changed('setting', 'It waited up to a point in time; here it waits without a limit.', {
    before: JSON.stringify(params.get('maxDateAndTime')),
    lost: true,
  });
  return {};
}

function interval(
  context: Context,
  reads: ReturnType<Context['reads']>,
): { operator: string; params: Record<string, unknown> } {
  const { params, step } = context;
  const unit = UNITS[params.text('unit') ?? (step.version >= 1.1 ? 'seconds' : 'hours')] ?? 1000;
  const amount = params.get('amount') ?? (step.version >= 1.1 ? 5 : 1);
  if (typeof amount === 'string' && amount.startsWith('='))
    return {
      operator: 'logic.wait-until',
      params: { for: `{{ number(${context.expr(amount, reads)}) * ${unit} }}` },
    };
  const ms = Math.max(0, Number(amount) || 0) * unit;
  return ms <= 60_000
    ? { operator: 'logic.delay', params: { ms: Math.round(ms) } }
    : { operator: 'logic.wait-until', params: { for: Math.round(ms) } };
}

/** Puts the node that makes the address between what leads to the step and its nodes. */
export function insertLink(context: Context): void {
  const { job, step, scope, added } = context;
  const link = job.links.get(step.name);
  const port = context.input();
  if (link === undefined || port === undefined) return;
  scope.nodes.set(link.id, { operator: 'human.link', params: link.params });
  job.naming.place(link.id, { x: step.position.x * SPREAD, y: step.position.y * SPREAD - 90 });
  const readers = new Set(added);
  const rest = context.add(`${step.name} behind address`, {
    operator: 'core.map',
    params: { value: '{{ input.input }}' },
  });
  for (const [i, edge] of scope.edges.entries())
    if (edge.from === port.ref && readers.has(edge.to.split('.')[0] as string))
      scope.edges[i] = { ...edge, from: `${rest}.out` };
  context.wire(port, `${link.id}.in`);
  context.wire(`${link.id}.out`, `${rest}.in`);
  added.push(link.id);
}

export const waitEntries: readonly Entry[] = [
  {
    kind: 'wait',
    versions: '1 to 1.1',
    word: 'equal',
    becomes: '`logic.delay`, `logic.wait-until`; for a call `logic.wait-for-call`, for a form `human.form`',
    difference:
      'A call must be a POST with JSON; the item has its body. People fill in a form under *Waiting* or by a link. In a loop both are placeholders.',
    convert: wait,
  },
];
