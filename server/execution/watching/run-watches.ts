import type { RunEvent } from '#shared/run-event.ts';
import type { Gap } from '../history/follower.ts';
import type { FeedItem } from './feed-ring.ts';

/** Follows runs from some point on. */
export interface RunWatches {
  /**
   * Past events after `after`, then live ones, without gaps or repeats. `json` is the event's text, serialized once for
   * all watchers. The watch ends when `fn` returns `false`. Resolves to undefined if the run is unknown.
   */
  watch(
    id: string,
    after: number,
    fn: (event: RunEvent | Gap, json: string) => unknown,
  ): Promise<(() => void) | undefined>;
  /** The cursor of the newest item of that feed. */
  feedAt(): number;
  /**
   * The feed of all runs (of one flow, if given) from a cursor on; without a cursor, from now on. `fn` as above. Parts
   * of other runs are not included.
   */
  watchAll(
    after: number | undefined,
    flow: string | undefined,
    fn: (item: FeedItem | Gap, json: string) => unknown,
  ): () => void;
}
