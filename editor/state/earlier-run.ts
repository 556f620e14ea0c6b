import type { RunState } from './run-store.ts';

/** A run whose outputs can replace nodes that need not run. */
export interface EarlierRun {
  readonly id: string;
  readonly startedAt: number;
}

/**
 * The run on the canvas if it has ended and its values were recorded, otherwise the newest such run; started at `trigger`,
 * if given.
 */
export function earlierRun({ shown, recent }: RunState, trigger?: string): EarlierRun | undefined {
  const fits = (run: { trigger?: string | undefined; ms?: number | undefined }): boolean =>
    run.ms !== undefined && (trigger === undefined || run.trigger === trigger);
  const isListed = recent.find(({ run }) => run === shown?.id)?.recorded ?? true;
  if (shown && fits(shown) && isListed && shown.missing === undefined) return shown;
  const row = recent.find((one) => one.recorded && fits(one));
  return row && { id: row.run, startedAt: row.startedAt };
}
