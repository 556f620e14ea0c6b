/** A chunk of a streamed answer. */
export interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: {
      readonly role?: string;
      readonly content?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly unknown[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Readonly<Record<string, number>>;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface StreamEvent {
  /** Undefined in a stream that cannot be resumed. */
  readonly id: string | undefined;
  readonly data: string;
}

/** The complete events of a stream's text, without pings. Throws at anything else. */
export function eventsOf(text: string): StreamEvent[] {
  const parts = text.split('\n\n').slice(0, -1);
  return parts.flatMap((part) => {
    if (part === ': ping') return [];
    const [, id, data] = /^(?:id: (\S+)\n)?data: (.*)$/.exec(part) ?? [];
    if (data === undefined) throw new Error(`This is no event: ${part}`);
    return [{ id, data }];
  });
}

/** The chunks of a whole stream, which must end with `[DONE]`. */
export function chunksOf(text: string): Chunk[] {
  const events = eventsOf(text);
  const last = events.pop();
  if (last?.data !== '[DONE]') throw new Error(`The stream ends with ${last?.data}.`);
  return events.map(({ data }) => JSON.parse(data) as Chunk);
}

export function contentOf(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
}

/** The finish reason in the last chunk with a choice. */
export function finishOf(chunks: readonly Chunk[]): string | null | undefined {
  return chunks.findLast((chunk) => chunk.choices.length > 0)?.choices[0]?.finish_reason;
}
