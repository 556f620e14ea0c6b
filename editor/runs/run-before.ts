import type { RunState } from '../state/run-store.ts';

/** The run that the one on the canvas is best compared with: of the listed ones that began like it, the last before it. */
export function runBefore({ shown, recent }: Pick<RunState, 'shown' | 'recent'>): string | undefined {
  const at = recent.findIndex(({ run }) => run === shown?.id);
  const after = recent[at];
  if (after?.ms === undefined) return undefined;
  const fits = ({ ms, recorded, trigger }: typeof after): boolean =>
    ms !== undefined && recorded === true && trigger === after.trigger;
  return recent.slice(at + 1).find(fits)?.run;
}
