import type { Earlier } from '#engine';
import { earlierOutputs } from '#engine/workbench';
import type { EvaluationCase, EvaluationTarget } from '#shared/evaluation.ts';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import { wholeEvents } from '../history/blobs/whole-events.ts';
import type { RunHub } from '../runs/run-types.ts';
import { isWholeValue } from '../starts/partial/whole-value.ts';
import { documentsOf } from './ask-target.ts';

interface CaseDeps {
  readonly runs: Pick<RunHub, 'get' | 'events' | 'value'>;
  readonly flows: Pick<FlowService, 'get'>;
}

/**
 * A case with the input of a run; its answer and retrieved documents are the expected ones, and a wrong answer is to be
 * corrected in the file. Throws `run_not_found`, and `conflict` if the run was not stored completely.
 */
export async function caseOfRun(
  id: string,
  { name, target }: { readonly name: string | undefined; readonly target: EvaluationTarget },
  { runs, flows }: CaseDeps,
): Promise<EvaluationCase> {
  const [summary, events] = await Promise.all([runs.get(id), runs.events(id, 0)]);
  if (summary === undefined || events === undefined) throw new ServiceError('run_not_found');
  const { flow } = await flows.get(summary.flow);
  const whole = await wholeEvents(events, (hash) => runs.value(id, hash));
  const own = whole.filter((event): event is RunEvent => event.kind !== 'gap');
  const outputs = earlierOutputs(own, isWholeValue);
  const begun = outputs.get(summary.trigger);
  if (!summary.recorded || begun === undefined || 'lack' in begun)
    throw new ServiceError(
      'conflict',
      'No case can be made of this run: its values were not stored; `record: full` of the flow stores them.',
    );
  const documents = flow === undefined ? [] : [...new Set(await documentsOf(id, { flow }, { runs }))];
  const answer = flow && fieldOf(answerIn(own, outputs, flow), target);
  return {
    name: name ?? `run ${id}`,
    input: asJson(Object.values(begun.outputs)[0]),
    expect: {
      ...(answer !== undefined && { answer: asJson(answer) }),
      ...(documents.length > 0 && { documents: documents.slice(0, 100) }),
    },
    run: id,
  };
}

/**
 * The answer of the run: the output of the answering node, or its input if it has no output; otherwise the only leaf.
 */
function answerIn(
  events: readonly RunEvent[],
  outputs: ReadonlyMap<string, Earlier>,
  { edges }: Flow,
): unknown {
  const answered = events.find((event) => event.kind === 'run-answered');
  if (answered && 'body' in answered) return answered.body;
  const node = answered?.node ?? onlyLeaf(outputs, edges);
  if (node === undefined) return undefined;
  const own = valuesOf(outputs.get(node));
  return own.length > 0 ? own[0] : inputOf(node, outputs, edges);
}

function inputOf(node: string, outputs: ReadonlyMap<string, Earlier>, edges: Flow['edges']): unknown {
  const from = edges.find(({ to }) => to.startsWith(`${node}.`))?.from ?? '';
  const [before = '', port = ''] = from.split('.', 2);
  const earlier = outputs.get(before);
  return earlier && 'outputs' in earlier ? earlier.outputs[port] : undefined;
}

function onlyLeaf(outputs: ReadonlyMap<string, Earlier>, edges: Flow['edges']): string | undefined {
  const leaves = [...outputs].filter(
    ([node, earlier]) =>
      valuesOf(earlier).length > 0 && !edges.some(({ from }) => from.startsWith(`${node}.`)),
  );
  return leaves.length === 1 ? leaves[0]?.[0] : undefined;
}

function valuesOf(earlier: Earlier | undefined): unknown[] {
  return earlier !== undefined && 'outputs' in earlier ? Object.values(earlier.outputs) : [];
}

function fieldOf(answer: unknown, target: EvaluationTarget): unknown {
  if (!('flow' in target) || target.answer === undefined) return answer;
  return (answer as Record<string, unknown> | null | undefined)?.[target.answer];
}

/** The value as it would be written to a file. */
function asJson(value: unknown): EvaluationCase['input'] {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as EvaluationCase['input']);
}
