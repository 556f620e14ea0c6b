import type { RunSummary } from '#shared/run-event.ts';

/** Whether a run has ended; a waiting run continues when what it waits for has come. */
export function isOver(status: RunSummary['status']): boolean {
  return status !== 'running' && status !== 'waiting';
}
