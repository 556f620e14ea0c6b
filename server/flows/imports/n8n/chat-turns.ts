import type { ReportBuilder } from '../frame/report-builder.ts';
import type { Step, Wire, Workflow } from './workflow.ts';

/** Messages that a workflow sends into its chat, and waits for an answer to. */

export const isChat = ({ kind }: Pick<Step, 'kind'>): boolean => kind === 'chat';

/** Whether it waits for the next message. */
export function isWaiting({ version, parameters }: Step): boolean {
  return version < 1.1 ? parameters['waitUserReply'] !== false : parameters['operation'] === 'sendAndWait';
}

/**
 * A step that waits for the next message, and leads where the messages of the chat come in anyway, ends the run: the next message
 * starts the flow anew, at the same place.
 */
export function withoutTurns(workflow: Workflow, report: ReportBuilder): Workflow {
  const { steps, wires } = workflow;
  const triggers = new Set(
    [...steps.values()].filter(({ kind }) => kind === 'chatTrigger').map(({ name }) => name),
  );
  const begins = (wire: Wire): boolean =>
    wires.some(
      ({ from, kind, to, input }) =>
        triggers.has(from) && kind === 'main' && to === wire.to && input === wire.input,
    );
  const turning = [...steps.values()].filter((step) => {
    const own = wires.filter(({ from, kind }) => from === step.name && kind === 'main');
    return isChat(step) && isWaiting(step) && own.length > 0 && own.every(begins);
  });
  if (turning.length === 0) return workflow;
  for (const { name } of turning)
    report.change({
      what: 'wire',
      effect: 'changed',
      node: name,
      message:
        'It ends the run; the next message of the chat starts the flow anew, at the node where it led.',
    });
  const names = new Set(turning.map(({ name }) => name));
  return { ...workflow, wires: wires.filter(({ from, kind }) => kind !== 'main' || !names.has(from)) };
}
