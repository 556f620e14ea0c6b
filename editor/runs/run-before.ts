import type { RunState } from '../state/run-store.ts';

/** The run to compare the one on the canvas with: of the listed runs with the same start, the last one before it. */
export function runBefore({ shown, recent }: Pick<RunState, 'shown' | 'recent'>): string | undefined {
  const at = recent.findIndex(({ run }) => run === shown?.id);
  const after = recent[at];
  if (after?.ms === undefined) return undefined;
  const fits = ({ ms, recorded, trigger }: typeof after): boolean =>
    ms !== undefined && recorded === true && trigger === after.trigger;
  return recent.slice(at + 1).find(fits)?.run;
}
