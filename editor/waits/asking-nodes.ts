import type { FlowNode } from '#shared/flow.ts';
import type { ShownRun } from '../state/run-store.ts';

/** The nodes that ask people in a run and have no answer yet. */
export function askingNodes(
  { nodes }: Pick<ShownRun, 'nodes'>,
  flowNodes: Readonly<Record<string, Pick<FlowNode, 'operator'>>>,
): string[] {
  const waiting = Object.entries(nodes).filter(
    ([, { status, waitingFor }]) => status === 'waiting' && waitingFor !== undefined,
  );
  return waiting.map(([id]) => id).filter((id) => flowNodes[id]?.operator.startsWith('human.'));
}
