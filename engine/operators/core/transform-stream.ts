import { z } from 'zod';
import { defineOperator, END, input, type Lazy, lazy, output, WeftError } from '../../base/operator.ts';
import { PipedStream, type PipeSteps } from '../_streams.ts';
import { eventSteps, lineSteps } from '../_text-streams.ts';

const event = z.object({ event: z.string(), data: z.string(), id: z.string().optional() });

export default defineOperator({
  title: 'Transform stream',
  doc: 'Turns a stream into another one, item by item: map, filter, take the first items, group several, or split text into lines or server-sent events.',
  icon: 'waves',
  summary: '{mode}[ · {value}][ · {keep}]',
  synonyms: 'map stream, filter stream, throttle items, take, window, lines',
  purpose: 'data',
  params: z.object({
    mode: z
      .enum(['map', 'filter', 'take', 'window', 'lines', 'sse'])
      .default('map')
      .describe(
        '`map` changes each item, `filter` keeps some, `take` ends after the first ones, `window` groups several into lists, `lines` and `sse` split text, or UTF-8 bytes, into lines and server-sent events.',
      ),
    value: lazy('With `map`: the new item, an expression over `item` and `index`.')
      .meta({ widget: 'value' })
      .optional()
      .meta({ when: { param: 'mode', is: ['map'] } }),
    keep: lazy('With `filter`: whether the item stays, a condition over `item` and `index`.')
      .meta({ widget: 'expression' })
      .optional()
      .meta({ when: { param: 'mode', is: ['filter'] } }),
    count: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10)
      .describe('With `take`: how many items; with `window`: how many items per list.')
      .meta({ when: { param: 'mode', is: ['take', 'window'] } }),
  }),
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'A stream.' }) },
  outputs: { out: output({ kind: 'stream', doc: 'The resulting items, in order.' }) },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'mode',
          cases: {
            map: { param: 'value' },
            window: { array: { input: 'in' } },
            lines: { schema: { type: 'string' } },
            sse: { schema: z.toJSONSchema(event) },
          },
          else: { input: 'in' },
        },
      },
    },
    item: { input: 'in' },
  },
  effects: 'pure',
  examples: [
    {
      title: 'Map',
      params: { value: '{{ item * 10 + index }}' },
      inputs: { in: [1, 2] },
      outputs: { out: [10, 21] },
    },
    {
      title: 'Filter',
      params: { mode: 'filter', keep: '{{ item > 1 }}' },
      inputs: { in: [1, 2, 3] },
      outputs: { out: [2, 3] },
    },
    {
      title: 'Take',
      params: { mode: 'take', count: 2 },
      inputs: { in: [1, 2, 3] },
      outputs: { out: [1, 2] },
    },
    {
      title: 'Lists of two',
      params: { mode: 'window', count: 2 },
      inputs: { in: [1, 2, 3] },
      outputs: { out: [[1, 2], [3]] },
    },
    {
      title: 'Lines, wherever the text was cut',
      params: { mode: 'lines' },
      inputs: { in: ['one\ntw', 'o\n', 'three'] },
      outputs: { out: ['one', 'two', 'three'] },
    },
    {
      title: 'Server-sent events',
      params: { mode: 'sse' },
      inputs: { in: ['data: a\n\nid: 7\nevent: add\nda', 'ta: b\n\n'] },
      outputs: {
        out: [
          { event: 'message', data: 'a' },
          { event: 'add', data: 'b', id: '7' },
        ],
      },
    },
    { title: 'Lines of what is no text', params: { mode: 'lines' }, inputs: { in: [1] }, error: 'bad_input' },
    {
      title: 'A filter without a condition',
      params: { mode: 'filter' },
      inputs: { in: [1] },
      error: 'bad_params',
    },
  ],
  run: ({ input: stream, params }) => new PipedStream(stream, stepsOf(params)),
});

interface Params {
  readonly mode: 'map' | 'filter' | 'take' | 'window' | 'lines' | 'sse';
  readonly value?: Lazy | undefined;
  readonly keep?: Lazy | undefined;
  readonly count: number;
}

function stepsOf(params: Params): PipeSteps {
  switch (params.mode) {
    case 'map':
      return mapSteps(needed(params.value, 'value', 'map'));
    case 'filter':
      return filterSteps(needed(params.keep, 'keep', 'filter'));
    case 'take':
      return takeSteps(params.count);
    case 'window':
      return windowSteps(params.count);
    case 'lines':
      return lineSteps();
    case 'sse':
      return eventSteps();
  }
}

function needed(expression: Lazy | undefined, name: string, mode: string): Lazy {
  if (expression) return expression;
  const field = `params.${name}`;
  throw new WeftError('bad_params', `${field}: the mode ${mode} needs an expression here.`, { field });
}

function mapSteps(value: Lazy): PipeSteps {
  const local = { item: undefined as unknown, index: -1 };
  return {
    take(item, emit) {
      local.item = item;
      local.index++;
      emit(value(local));
    },
  };
}

function filterSteps(keep: Lazy): PipeSteps {
  const local = { item: undefined as unknown, index: -1 };
  return {
    take(item, emit) {
      local.item = item;
      local.index++;
      if (keep(local)) emit(item);
    },
  };
}

function takeSteps(count: number): PipeSteps {
  let left = count;
  return {
    take(item, emit) {
      emit(item);
      return --left === 0 ? END : undefined;
    },
  };
}

function windowSteps(count: number): PipeSteps {
  let window: unknown[] = [];
  return {
    take(item, emit) {
      if (window.push(item) < count) return;
      emit(window);
      window = [];
    },
    finish(emit) {
      if (window.length > 0) emit(window);
    },
  };
}
