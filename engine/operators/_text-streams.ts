import { createParser } from 'eventsource-parser';
import { WeftError } from '../operator.ts';
import { MAX_TEXT } from './_limits.ts';
import type { PipeSteps } from './_streams.ts';

/** Cuts a stream of text pieces into lines, wherever the pieces end; LF, CR LF and CR end a line. */
export function lineSteps(): PipeSteps {
  let rest = '';
  let endedWithCr = false;
  return {
    take(item, emit) {
      const text = textOf(item);
      if (text === '') return;
      const lines = (endedWithCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
      endedWithCr = text.endsWith('\r');
      lines[0] = rest + (lines[0] as string);
      rest = lines.pop() as string;
      for (const line of lines) emit(line);
      if (rest.length > MAX_TEXT) throw tooLong('line');
    },
    finish(emit) {
      if (rest !== '') emit(rest);
    },
  };
}

/** Reads server-sent events from a stream of text pieces; as the standard has it, one that is cut off is left out. */
export function eventSteps(): PipeSteps {
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
      parser.feed(textOf(item));
    },
  };
}

function textOf(item: unknown): string {
  if (typeof item === 'string') return item;
  throw new WeftError(
    'bad_input',
    `An item of the stream is ${item === null ? 'null' : `a ${typeof item}`}, not text.`,
  );
}

function tooLong(what: string): WeftError {
  return new WeftError('value_too_large', `A ${what} of the stream is longer than ${MAX_TEXT} characters.`);
}
