/** Positions in the feeds of several servers, as a client gets and returns them. The text is opaque to clients. */
export interface FeedCursor {
  readonly text: string;
  /** By the tag of the server. */
  readonly positions: ReadonlyMap<string, number>;
}

/** Clients at the same position come to share one recently made cursor. */
const RECENT = 16;

/**
 * Makes cursors, and items with them. Clients get an item one after the other, mostly at the same cursor, so the latest
 * results are reused for all of them.
 */
export class FeedCursors {
  private readonly recent: FeedCursor[] = [];
  private step: { from: FeedCursor; tag: string; position: number; to: FeedCursor } | undefined;
  private item: { cursor: FeedCursor; rest: string; json: string } | undefined;

  /** Reads a text that `readTarget` accepts. */
  read(text: string): FeedCursor {
    const positions = text.split('.').map((part): [string, number] => {
      const [tag = '', position = ''] = part.split('-');
      return [tag, Math.min(Number.parseInt(position, 36), Number.MAX_SAFE_INTEGER)];
    });
    return this.of(new Map(positions));
  }

  of(positions: ReadonlyMap<string, number>): FeedCursor {
    const parts = [...positions].map(([tag, position]) => `${tag}-${position.toString(36)}`);
    const text = parts.sort().join('.');
    const known = this.recent.find((one) => one.text === text);
    if (known !== undefined) return known;
    const made = { text, positions };
    this.recent.unshift(made);
    if (this.recent.length > RECENT) this.recent.pop();
    return made;
  }

  with(from: FeedCursor, tag: string, position: number): FeedCursor {
    const { step } = this;
    if (step?.from === from && step.tag === tag && step.position === position) return step.to;
    const to = this.of(new Map(from.positions).set(tag, position));
    this.step = { from, tag, position, to };
    return to;
  }

  /** An item as text; `rest` is the text after its cursor. */
  json(cursor: FeedCursor, rest: string): string {
    const { item } = this;
    if (item?.cursor === cursor && item.rest === rest) return item.json;
    const json = `{"cursor":"${cursor.text}",${rest}`;
    this.item = { cursor, rest, json };
    return json;
  }
}
