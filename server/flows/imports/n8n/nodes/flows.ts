import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { idFrom } from '../../../awel/names.ts';
import { following, plural, type Port } from '../graph.ts';
import { listPort, spreadItems } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Calls of other workflows, and waits. */

const UNITS: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

function wait(context: Context): Given {
  const { params, step } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const resume = params.text('resume') ?? 'timeInterval';
  if (resume === 'webhook' || resume === 'form')
    throw new NotHere(`it waits for a ${resume === 'form' ? 'form' : 'call'}`, [
      resume === 'form' ? 'human.form' : 'human.link and logic.wait-for-call',
      'logic.wait-for-event',
    ]);
  const reads = context.reads(input.card === 'many' ? undefined : input);
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
  const from = isEach || input.card === 'one' ? input : (listPort(context, input) as Port);
  const id = context.add(step.name, {
    operator: 'flow.call',
    params: { flow, input: calledWith(context, isEach || input.card === 'one' ? input : undefined) },
    ...(isEach && { each: { concurrency: 1 } }),
  });
  context.wire(from, `${id}.in`);
  job.report.use('flow', flow, id);
  const card = plural(isEach);
  return gives(spreadItems(context, context.port(id, 'out', { card }), card));
}

/** What the called flow gets: the items, or the fields that the node names. */
function calledWith(context: Context, input: Port | undefined): unknown {
  const given = context.params.get('workflowInputs.value');
  const isNamed = isRecord(given) && Object.keys(given).length > 0;
  return isNamed ? context.value(given, context.reads(input)) : '{{ input }}';
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
    kind: 'wait',
    versions: '1 to 1.1',
    word: 'equal',
    becomes: '`logic.delay`, `logic.wait-until`',
    difference: 'Waits for a call or a form are placeholders.',
    convert: wait,
  },
  {
    kind: 'executeWorkflow',
    versions: '1 to 1.2',
    word: 'equal',
    becomes: '`flow.call`',
    difference: 'It always waits for the called flow, which has to be live.',
    convert: executeWorkflow,
  },
];
