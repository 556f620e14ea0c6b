import type { Headers } from './response-headers.ts';

/** A way to send a result item by item; a value that is no stream is one item. */
export type StreamFormatName = 'text' | 'sse' | 'raw-sse' | 'ndjson' | 'bytes';

export interface ResponseSettings {
  readonly as: 'json' | StreamFormatName;
  /** How a stream is written where that is not as a value is. */
  readonly streamAs?: StreamFormatName;
  readonly status: number;
  /** Undefined when there are none. */
  readonly headers: Headers | undefined;
}
