import type { RunError, RunEvent } from '#shared/run-event.ts';
import type { RunNodeState } from '#shared/run-diff.ts';

/** The state of a node at the end of a run. */
export interface RunNode {
  state: RunNodeState;
  ms: number | undefined;
  error: Pick<RunError, 'code' | 'message'> | undefined;
  /** By port; `{$items: n}` for a stream. */
  readonly outputs: Record<string, unknown>;
}

/** The nodes of a run, those of bodies excepted, in the order in which the run reached them. */
export function runNodes(events: Iterable<RunEvent>): Map<string, RunNode> {
  const nodes = new Map<string, RunNode>();
  for (const event of events) {
    if (!('node' in event) || event.node === undefined || !isOfNode(event)) continue;
    let node = nodes.get(event.node);
    if (node === undefined)
      nodes.set(event.node, (node = { state: 'open', ms: undefined, error: undefined, outputs: {} }));
    take(node, event);
  }
  return nodes;
}

/** The input of the run; undefined if its first events are not stored. */
export function inputOf(events: readonly RunEvent[]): unknown {
  return events.find((event) => event.kind === 'run-started')?.input;
}

function isOfNode({ kind, round }: RunEvent): boolean {
  return kind.startsWith('node-') && round === undefined;
}

function take(node: RunNode, event: RunEvent): void {
  switch (event.kind) {
    case 'node-output':
      node.outputs[event.port] = event.value;
      break;
    case 'node-chunk':
      node.outputs[event.port] = { $items: event.count };
      break;
    case 'node-finished':
      node.ms = event.ms;
      if (node.state === 'open') node.state = 'ok';
      break;
    case 'node-skipped':
      node.state = 'skipped';
      break;
    case 'node-failed':
      node.state = 'failed';
      node.error = { code: event.error.code, message: event.error.message };
      break;
    default:
  }
}
