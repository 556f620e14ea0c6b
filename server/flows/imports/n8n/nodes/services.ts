import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { beside, following, type Port } from '../graph.ts';
import { itemwise, spreadItems } from '../items.ts';
import { gives, type Given as Made } from '../job.ts';
import type { Given, Request, Service, Use } from '../services/service.ts';
import { services } from '../services/services.ts';
import { connectionOf, givenOf, nodeOf, skipUsual } from './service-requests.ts';
import { convertSteps, stepsOf } from './service-steps.ts';
import { notInLoop } from './waits.ts';

/** Services by their documented addresses, through a connection. */

export function convertService(service: Service, context: Context): Made {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const name = operationOf(service, context);
  const steps = stepsOf(service, name, context);
  if (steps) return convertSteps(service, context, input, steps);
  const answered = service.awaited?.[name];
  return answered
    ? untilAnswered(service, context, input, answered)
    : inOneRequest(service, name, context, input);
}

function inOneRequest(service: Service, name: string, context: Context, input: Port): Made {
  const { params, job } = context;
  const given = givenOf(context, input, params);
  const made = requestOf(service, name)(given);
  skipUsual(context);
  const connection = connectionOf(service, context);
  const isUse = 'operator' in made;
  if (!isUse) refuseColumns(context);
  const id = itemwise(context, input, nodeOf(made, connection), { atOnce: 1 });
  if (connection !== undefined) job.report.use('connection', connection, id);
  if (!isUse && made.file !== undefined) return fileItem(context, { id, field: made.file }, input);
  const port = context.port(id, isUse ? 'out' : 'body', { card: input.card });
  const each = made.items === undefined ? undefined : `(one, index) => (${made.items})`;
  return gives(spreadItems(context, port, port.card, each, true));
}

/** A request has the columns that the node names. */
function refuseColumns({ params }: Context): void {
  if (params.get('columns.mappingMode') !== 'autoMapInputData') return;
  throw new NotHere('it takes the columns of whatever comes', [
    'http.request with the columns written out',
    'core.map before it',
  ]);
}

/** `resource.operation`, of which files leave out what is the first one. */
function operationOf({ first, firsts, by = 'operation' }: Service, { params }: Context): string {
  const resource = params.text('resource') ?? first[0];
  const operation = params.text(by) ?? (resource === first[0] ? first[1] : (firsts?.[resource] ?? ''));
  return `${resource}.${operation}`;
}

function requestOf({ operations }: Service, name: string): (given: Given) => Request | Use {
  const make = operations[name];
  const ways = ['http.request to the address of the service', 'code.run'];
  if (!make) throw new NotHere(`it does “${name.replace('.', ' ').trim()}”`, ways);
  return make;
}

/** A request with an address at which somebody answers later; the answer is the item. */
function untilAnswered(
  service: Service,
  context: Context,
  input: Port,
  make: (given: Given, address: string) => Request,
): Made {
  notInLoop(context);
  const { params, step, job } = context;
  skipUsual(context);
  const connection = connectionOf(service, context);
  const wait = context.add(step.name, { operator: 'logic.wait-for-call', params: {} });
  const link = context.add(`${step.name} address`, {
    operator: 'human.link',
    params: { node: wait, for: 'program' },
  });
  context.wire(input, `${link}.in`);
  const rest = context.add(`${step.name} behind address`, {
    operator: 'core.map',
    params: { value: '{{ input.input }}' },
  });
  context.wire(`${link}.out`, `${rest}.in`);
  const request = nodeOf(make(givenOf(context, input, params), `nodes.${link}.link`), connection);
  const behind: Port = { ...input, ref: `${rest}.out` };
  const sent = itemwise(context, behind, request, { hint: `${step.name} request`, atOnce: 1 });
  if (connection !== undefined) job.report.use('connection', connection, sent);
  context.wire(`${sent}.body`, `${wait}.in`);
  job.waiting.set(step.name, wait);
  const answer = context.add(`${step.name} answer`, {
    operator: 'core.map',
    params: { value: '{{ input.body ?? { } }}' },
  });
  context.wire(`${wait}.received`, `${answer}.in`);
  const taken = new Map([...input.taken, [step.name, 0]]);
  return gives(context.port(answer, 'out', { card: 'one', origin: undefined, taken }));
}

/** The item with the file that a request gave. */
function fileItem(
  context: Context,
  { id, field }: { readonly id: string; readonly field: string },
  item: Port,
): Made {
  const isList = item.card === 'many';
  const made = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ...${beside(item)}, ${JSON.stringify(field)}: input } }}` },
    ...(isList && { each: {} }),
  });
  context.wire(`${id}.file`, `${made}.in`);
  return gives(
    context.port(made, 'out', {
      card: isList ? 'many' : 'one',
      ...following(item, context.step.name),
    }),
  );
}

export const serviceEntries: readonly Entry[] = services.map((service) => ({
  kind: service.kind,
  word: 'http',
  becomes: service.becomes ?? '`http.request` through a connection',
  difference: `${service.difference ?? ''}Answers have the fields of the service's own interface. The import knows: ${Object.keys(
    { ...service.operations, ...service.several, ...service.awaited },
  )
    .map((name) => name.replace('.', ' ').trim() || 'requests')
    .join(', ')}; all else is a placeholder.`,
  convert: (context) => convertService(service, context),
}));
