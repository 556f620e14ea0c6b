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

/** The run to compare the one on the canvas with: of the listed runs with the same start, the last one before it. */
export function runBefore({ shown, recent }: Pick<RunState, 'shown' | 'recent'>): string | undefined {
  const at = recent.findIndex(({ run }) => run === shown?.id);
  const after = recent[at];
  if (after?.ms === undefined) return undefined;
  const fits = ({ ms, recorded, trigger }: typeof after): boolean =>
    ms !== undefined && recorded === true && trigger === after.trigger;
  return recent.slice(at + 1).find(fits)?.run;
}
