import type { NodeRun } from '../state/run-store.ts';

/** Whether a value passed along an output of a node in its run; unknown if the run recorded no values. */
export function edgeFlow(run: NodeRun | undefined, port: string): 'live' | 'dead' | undefined {
  if (!run) return undefined;
  if (port in run.outputs || port in run.counts) return 'live';
  if (run.status === 'skipped') return 'dead';
  const isOver = run.status === 'ok' || run.status === 'failed';
  return isOver && Object.keys(run.outputs).length > 0 ? 'dead' : undefined;
}
