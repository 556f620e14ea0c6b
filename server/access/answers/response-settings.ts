import type { Headers } from './response-headers.ts';

/** A way to send a result item by item; a value that is not a stream is one item. */
export type StreamFormatName = 'text' | 'sse' | 'raw-sse' | 'ndjson' | 'bytes';

/** A trigger's settings for its answer. */
export interface ResponseSettings {
  readonly as: 'json' | StreamFormatName;
  /** How a stream is written if not like a value. */
  readonly streamAs?: StreamFormatName;
  readonly status: number;
  /** Undefined if there are none. */
  readonly headers: Headers | undefined;
}
