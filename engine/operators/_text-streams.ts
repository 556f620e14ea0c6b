import { createParser } from 'eventsource-parser';
import { WeftError } from '../base/operator.ts';
import { MAX_TEXT } from './_limits.ts';
import type { PipeSteps } from './_streams.ts';

/** Splits a stream of text pieces, or of UTF-8 bytes, into lines, wherever the pieces end; LF, CR LF and CR end a line. */
export function lineSteps(): PipeSteps {
  const reader = new PieceReader();
  let rest = '';
  let endedWithCr = false;
  const take = (text: string, emit: (line: string) => void): void => {
    if (text === '') return;
    const lines = (endedWithCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    endedWithCr = text.endsWith('\r');
    lines[0] = rest + (lines[0] as string);
    rest = lines.pop() as string;
    for (const line of lines) emit(line);
    if (rest.length > MAX_TEXT) throw tooLong('line');
  };
  return {
    take: (item, emit) => take(reader.read(item), emit),
    finish(emit) {
      take(reader.end(), emit);
      if (rest !== '') emit(rest);
    },
  };
}

/** Parses server-sent events from pieces of text or bytes; an event that is cut off is dropped, as in the standard. */
export function eventSteps(): PipeSteps {
  const reader = new PieceReader();
  let emit: (event: unknown) => void = () => {};
  const parser = createParser({
    maxBufferSize: MAX_TEXT,
    onEvent: ({ event, data, id }) =>
      emit({ event: event ?? 'message', data, ...(id !== undefined && { id }) }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong('event');
    },
  });
  return {
    take(item, to) {
      emit = to;
      parser.feed(reader.read(item));
    },
  };
}

/**
 * Text from pieces of text and of bytes. A character may be split between two pieces of bytes; a byte order mark at the
 * start is dropped. Invalid UTF-8 becomes `\uFFFD`.
 */
class PieceReader {
  private decoder: TextDecoder | undefined = undefined;
  private isFirst = true;

  /** @throws WeftError `bad_input` if an item is neither. */
  read(item: unknown): string {
    const text = typeof item === 'string' ? this.end() + item : this.decode(item);
    if (text === '' || !this.isFirst) return text;
    this.isFirst = false;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  /** The bytes of a character that was cut off. */
  end(): string {
    return this.decoder?.decode() ?? '';
  }

  private decode(item: unknown): string {
    if (!(item instanceof Uint8Array)) throw notReadable(item);
    this.decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.decoder.decode(item, { stream: true });
  }
}

const BYTE_ORDER_MARK = '\uFEFF';

function notReadable(item: unknown): WeftError {
  const what = item === null ? 'null' : `a ${typeof item}`;
  return new WeftError('bad_input', `An item of the stream is ${what}, neither text nor bytes.`);
}

function tooLong(what: string): WeftError {
  return new WeftError('value_too_large', `A ${what} of the stream is longer than ${MAX_TEXT} characters.`);
}
