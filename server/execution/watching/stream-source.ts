import type { RunEvent } from '#shared/run-event.ts';
import type { FeedItem } from './feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { UNKNOWN_END } from '../history/follower.ts';
import type { RunReads } from '../history/run-reads.ts';
import type { RunWatches } from './run-watches.ts';

/** Of a run its sequence number, of a feed its cursor: a number, or of several servers a text. */
export type Position = number | string;

/** What a websocket wants to follow. */
export type StreamTarget =
  | { readonly kind: 'run'; readonly id: string; readonly after: number }
  | {
      readonly kind: 'feed';
      readonly flow: string | undefined;
      readonly after: Position | undefined;
      /** It also gets the changes of the flow itself. */
      readonly changes: boolean;
    }
  /** Another server, for its clients. */
  | { readonly kind: 'link' };

/** An item of the feed of several servers; only its text says more. */
export interface SharedItem {
  readonly cursor: string;
}

export type StreamItem = RunEvent | FeedItem | SharedItem | Gap;

/** What a websocket follows, whether one run or all. */
export interface StreamSource {
  /** Passes on items after a position until `fn` returns `false`; undefined if there is nothing to follow. */
  follow(
    after: Position | undefined,
    fn: (item: StreamItem, json: string) => unknown,
  ): Promise<(() => void) | undefined>;
  /** The position of a client that has received this item. */
  position(item: StreamItem): Position;
  /** Whether nothing can come after this item. */
  isLast(item: StreamItem): boolean;
  /** Whether nothing more will come at all. */
  isOver(): Promise<boolean>;
}

export function openSource(
  runs: RunReads & RunWatches,
  target: Exclude<StreamTarget, { kind: 'link' }>,
): StreamSource {
  if (target.kind === 'feed') {
    return {
      // A cursor of several servers says nothing here, so what it missed is a gap.
      follow: async (after, fn) => runs.watchAll(typeof after === 'string' ? 0 : after, target.flow, fn),
      position: (item) => ('cursor' in item ? item.cursor : item.kind === 'gap' ? item.to : 0),
      isLast: () => false,
      isOver: async () => false,
    };
  }
  return {
    follow: (after, fn) => runs.watch(target.id, Number(after ?? 0), fn),
    position: (item) => ('seq' in item ? item.seq : 'to' in item ? item.to : 0),
    isLast: (item) =>
      'kind' in item && (item.kind === 'run-finished' || (item.kind === 'gap' && item.to === UNKNOWN_END)),
    isOver: async () => (await runs.get(target.id))?.status !== 'running',
  };
}
