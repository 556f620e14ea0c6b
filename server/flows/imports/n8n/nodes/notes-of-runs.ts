import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Port } from '../graph.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { triggered } from '../trigger-item.ts';
import { asText } from '../params.ts';

/** Nodes that keep something beside a run, and those that only matter while a workflow is evaluated. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

/** Values that people find a run by. */
function executionData(context: Context): Given {
  const { params } = context;
  const input = required(context);
  const reads = context.reads(input);
  params.skip('operation');
  const values = params
    .list('dataToSave.values')
    .map((one) => [asText(one['key'] ?? ''), context.value(one['value'] ?? '', reads)] as const);
  itemwise(context, input, { operator: 'core.log', params: { message: Object.fromEntries(values) } });
  return { outputs: [input], item: input };
}

/** Nothing is judged while a flow runs: items go the way that they go there in production. */
function evaluation(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const operation = params.text('operation') ?? 'setOutputs';
  params.skip(...Object.keys(step.parameters));
  if (operation === 'checkIfEvaluating') {
    const id = context.add(step.name, {
      operator: 'logic.if',
      params: { condition: '{{ false }}' },
    });
    context.wire(input, `${id}.in`);
    const taken = (at: number): ReadonlyMap<string, number> => new Map([...input.taken, [step.name, at]]);
    const port = (output: string, at: number): Port =>
      context.port(id, output, { card: input.card, mayBeEmpty: input.mayBeEmpty, taken: taken(at) });
    return { outputs: [port('then', 0), port('else', 1)], item: input };
  }
  const id = context.add(step.name, { operator: 'core.map', params: { value: '{{ input }}' } });
  context.wire(input, `${id}.in`);
  return gives({ ...input, ref: `${id}.out`, expr: `nodes.${id}` });
}

/** A row of the table that a workflow is judged by. */
function evaluationTrigger(context: Context): Given {
  const { params, step } = context;
  params.skip(...Object.keys(step.parameters));
  return gives(triggered(context, { operator: 'trigger.manual' }, '{{ input ?? { } }}'));
}

export const runNoteEntries: readonly Entry[] = [
  {
    kind: 'executionData',
    word: 'close',
    becomes: '`core.log`',
    difference: 'The values are in the log of the run.',
    convert: executionData,
  },
  {
    kind: 'evaluation',
    word: 'close',
    becomes: '`core.map`; its question whether it is judged is `logic.if`, which says no',
    difference: 'Outputs and scores are not written into a table; evaluations of Weft store them.',
    convert: evaluation,
  },
  {
    kind: 'evaluationTrigger',
    word: 'close',
    becomes: '`trigger.manual`, whose input is a row',
    difference: 'The rows are the cases of an evaluation of Weft.',
    convert: evaluationTrigger,
  },
];
