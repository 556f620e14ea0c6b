import type { Host } from '#engine';
import type { FlowSnapshots } from './flow-snapshots.ts';
import type { DurableEngine } from './port.ts';

/** Runs that ended longer ago than this are only in the history, in milliseconds; and the interval of the check. */
const KEEP_MS = 30 * 24 * 3600 * 1000;
const EVERY_MS = 3600 * 1000;

interface Deps {
  readonly engine: Pick<DurableEngine, 'prune'>;
  readonly snapshots: Pick<FlowSnapshots, 'tidy'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
  /** Removes stored data of deleted runs. */
  readonly forget: (runs: readonly string[]) => void;
  readonly complain: (error: unknown) => void;
}

/** Removes runs that ended long ago from time to time; returns a function that stops it. */
export function startPruning(deps: Deps): () => void {
  const { engine, snapshots, host, forget, complain } = deps;
  let stop: (() => void) | undefined;
  let isOver = false;
  const prune = async (): Promise<void> => {
    try {
      const gone = await engine.prune(host.now() - KEEP_MS);
      forget(gone);
      if (gone.length > 0) await snapshots.tidy();
    } catch (error) {
      complain(error);
    }
    arm();
  };
  const arm = (): void => {
    if (!isOver) stop = host.timer(EVERY_MS, () => void prune());
  };
  arm();
  return () => {
    isOver = true;
    stop?.();
  };
}
