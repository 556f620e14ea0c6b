import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { idFrom } from '../../../awel/names.ts';
import { plural, type Port } from '../graph.ts';
import { itemwise, listPort, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Calls of other workflows. */

function executeWorkflow(context: Context): Given {
  const { params, step, job } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const source = params.text('source') ?? 'database';
  if (source !== 'database')
    throw new NotHere(`the workflow comes from “${source}”`, [
      'flow.call of a flow that is imported on its own',
    ]);
  const flow = calledFlow(context, params.get('workflowId'));
  params.skip(
    'workflowInputs.schema',
    'workflowInputs.mappingMode',
    'workflowInputs.matchingColumns',
    'workflowInputs.attemptToConvertTypes',
    'workflowInputs.convertFieldsToString',
  );
  if (params.get('options.waitForSubWorkflow') === false)
    context.changed('setting', 'It did not wait for the called workflow; here it does.');
  const isEach = params.text('mode') === 'each' && input.card === 'many';
  const { from, value } = sentTo(context, input, isEach);
  const id = context.add(step.name, {
    operator: 'flow.call',
    params: { flow, input: value },
    ...(isEach && { each: { concurrency: 1 } }),
  });
  context.wire(from, `${id}.in`);
  job.report.use('flow', flow, id);
  const card = plural(isEach);
  return gives(spreadItems(context, context.port(id, 'out', { card }), card));
}

/** What leads to the call, and the input of the called flow. */
function sentTo(context: Context, input: Port, isEach: boolean): { from: Port; value: unknown } {
  const named = namedInputs(context, input);
  if (isEach || input.card === 'one') return { from: input, value: named ?? '{{ input }}' };
  const list = listPort(context, input) as Port;
  return { from: named === undefined ? list : eachNamed(context, list, named), value: '{{ input }}' };
}

/** The fields that the node names for the called flow, which gets the items without them. */
function namedInputs(context: Context, input: Port): unknown {
  const given = context.params.get('workflowInputs.value');
  const isNamed = isRecord(given) && Object.keys(given).length > 0;
  return isNamed ? context.value(given, context.reads(input)) : undefined;
}

/** The named fields of each item, for a flow that is called once with all of them. */
function eachNamed(context: Context, list: Port, value: unknown): Port {
  const id = itemwise(
    context,
    list,
    { operator: 'core.map', params: { value } },
    {
      hint: `${context.step.name} inputs`,
    },
  );
  return context.port(id, 'out', { card: 'many' });
}

/** The flow that another workflow has become; if it is not among the files, a need. */
export function calledFlow({ job, step }: Context, given: unknown): string {
  const key = asText(given ?? '');
  const locator = isRecord(step.parameters['workflowId']) ? step.parameters['workflowId'] : {};
  const name = asText(locator['cachedResultName'] ?? key);
  const flow = job.around.flowOf(key) ?? job.around.flowOf(name);
  if (flow !== undefined) return flow;
  const id = idFrom(name, 'called_flow');
  job.report.need({
    kind: 'flow',
    name: id,
    nodes: [],
    message: `Import the workflow “${name}” too, as the flow ${id}, or name another flow in “${step.name}”.`,
  });
  return id;
}

export const flowEntries: readonly Entry[] = [
  {
    kind: 'executeWorkflow',
    versions: '1 to 1.2',
    word: 'equal',
    becomes: '`flow.call`',
    difference: 'It always waits for the called flow, which has to be live.',
    convert: executeWorkflow,
  },
];
