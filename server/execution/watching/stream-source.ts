import type { RunEvent } from '#shared/run-event.ts';
import type { FeedItem } from './feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { UNKNOWN_END } from '../history/follower.ts';
import type { RunReads } from '../history/run-reads.ts';
import type { RunWatches } from './run-watches.ts';

/** The sequence number in a run, or the cursor in a feed: a number, or a text for several servers. */
export type Position = number | string;

/** The requested source of a websocket. */
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

/** An item of the feed of several servers, which is passed on as text. */
export interface SharedItem {
  readonly cursor: string;
}

export type StreamItem = RunEvent | FeedItem | SharedItem | Gap;

/** The source of a websocket, one run or all. */
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

/** The source of a run or of the feed of this server. */
export function openSource(
  runs: RunReads & RunWatches,
  target: Exclude<StreamTarget, { kind: 'link' }>,
): StreamSource {
  if (target.kind === 'feed') {
    return {
      // A cursor of several servers has no meaning here, so the client gets a gap for the missed items.
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
