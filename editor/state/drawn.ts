import type { Doc } from '../model/document.ts';
import type { Marks } from '../model/marks.ts';
import type { AsRan, RunState, ShownVersion } from './run-store.ts';

/** Which state of the flow the canvas shows, and what it marks. */

/** What an opened run ran, where the flow has changed since. */
export function asRanOf({ asRan, follow, shown }: RunState): AsRan | undefined {
  return !follow && asRan !== undefined && asRan.run === shown?.id ? asRan : undefined;
}

/** The past state of the flow that the canvas shows instead of the present one. */
export function drawnPast(state: RunState): Doc | undefined {
  return (versionOf(state) ?? asRanOf(state))?.doc;
}

/** The version that the canvas shows instead of a run. */
export function versionOf({ follow, version }: RunState): ShownVersion | undefined {
  return follow ? undefined : version;
}

/** What the canvas marks beside how a run fared. */
export function marksOf(state: RunState): Marks | undefined {
  const version = versionOf(state);
  return version ? version.marks : state.coverage;
}
