import type { Doc } from '../model/document/document.ts';
import type { Marks } from '../model/drawing/marks.ts';
import type { AsRan, RunState, ShownVersion } from './run-store.ts';

/** Which state of the flow the canvas shows, and what it marks. */

/** The flow that an opened run executed, if the flow has changed since. */
export function asRanOf({ asRan, follow, shown }: RunState): AsRan | undefined {
  return !follow && asRan !== undefined && asRan.run === shown?.id ? asRan : undefined;
}

/** The past state of the flow that the canvas shows in place of the current one. */
export function drawnPast(state: RunState): Doc | undefined {
  return (versionOf(state) ?? asRanOf(state))?.doc;
}

/** The version that the canvas shows in place of a run. */
export function versionOf({ follow, version }: RunState): ShownVersion | undefined {
  return follow ? undefined : version;
}

/** The marks on the canvas besides the status of a run. */
export function marksOf(state: RunState): Marks | undefined {
  const version = versionOf(state);
  return version ? version.marks : state.coverage;
}
