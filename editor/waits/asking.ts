import type { Flow } from '#shared/flow.ts';
import { waitId } from '#shared/wait.ts';
import { flatFlow, holderOf } from '../model/document/flat.ts';
import { shownKey } from '../state/rounds.ts';
import type { ShownRun } from '../state/run-store.ts';

/** A node that asks people in the shown run, and has no answer yet. */
interface Asking {
  readonly node: string;
  /** Of the wait, in the round that is shown. */
  readonly wait: string;
}

/** The nodes that ask in a run, also those of bodies. */
export function askingNodes(run: ShownRun, flow: Flow): Asking[] {
  const flat = flatFlow(flow);
  return Object.entries(run.nodes)
    .filter(([id, { status, waitingFor }]) => {
      const isAsking = status === 'waiting' && waitingFor !== undefined;
      return isAsking && flat.nodes[id]?.operator.startsWith('human.');
    })
    .map(([node]) => ({ node, wait: waitId(run.id, shownKey(run, node, holderOf(flat, node))) }));
}
