import { z } from 'zod';
import { defineOperator, END, output, PENDING } from '../../base/operator.ts';
import { portList } from '../_port-list.ts';
import { JoinedStream } from '../_streams.ts';

export default defineOperator({
  title: 'Zip',
  doc: 'Combines the items of several streams, the first with the first, the second with the second. It stops at the end of the shortest stream, or at the end of the longest.',
  icon: 'between-horizontal-start',
  summary: '{inputs: {name}}, until the {until} ends',
  synonyms: 'pair streams, combine by position',
  purpose: 'data',
  params: z.object({
    inputs: portList({})
      .default([{ name: 'a' }, { name: 'b' }])
      .describe('The streams by name.'),
    until: z
      .enum(['shortest', 'longest'])
      .default('shortest')
      .describe('Which stream determines the end; with `longest`, missing items are null.'),
  }),
  inputs: {},
  derivedInputs: { param: 'inputs', nameKey: 'name', kind: 'stream', doc: 'One of the streams.' },
  outputs: { out: output({ kind: 'stream', doc: 'Objects with one item of each stream, by its name.' }) },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'until',
          cases: { shortest: { inputs: 'all' } },
          else: { schema: { type: 'object' } },
        },
      },
    },
  },
  effects: 'pure',
  examples: [
    {
      title: 'To the end of the shortest',
      inputs: { a: [1, 2, 3], b: ['x', 'y'] },
      outputs: {
        out: [
          { a: 1, b: 'x' },
          { a: 2, b: 'y' },
        ],
      },
    },
    {
      title: 'To the end of the longest',
      params: { until: 'longest' },
      inputs: { a: [1, 2], b: ['x'] },
      outputs: {
        out: [
          { a: 1, b: 'x' },
          { a: 2, b: null },
        ],
      },
    },
  ],
  run: ({ params, inputs }) => new ZippedStream(inputs, params.until === 'longest'),
});

class ZippedStream extends JoinedStream {
  private readonly names: readonly string[];
  private readonly toLongest: boolean;
  /** The items for the next object: `PENDING` where none has arrived, `END` where none will. */
  private row: unknown[];

  constructor(inputs: Readonly<Record<string, unknown>>, toLongest: boolean) {
    super(Object.values(inputs));
    this.names = Object.keys(inputs);
    this.toLongest = toLongest;
    this.row = this.sources.map(() => PENDING);
  }

  poll(): unknown {
    this.pending.length = 0;
    this.sources.forEach((source, i) => this.fill(source, i));
    if (this.isOver()) {
      void this.close();
      return END;
    }
    return this.pending.length > 0 ? PENDING : this.nextRow();
  }

  private fill(source: JoinedStream['sources'][number], at: number): void {
    if (this.row[at] === PENDING) this.row[at] = source.poll();
    if (this.row[at] === PENDING) this.pending.push(source);
  }

  private isOver(): boolean {
    const isEnd = (item: unknown): boolean => item === END;
    return this.toLongest ? this.row.every(isEnd) : this.row.some(isEnd);
  }

  private nextRow(): Record<string, unknown> {
    const { row } = this;
    this.row = row.map((item) => (item === END ? END : PENDING));
    return Object.fromEntries(this.names.map((name, i) => [name, row[i] === END ? null : row[i]]));
  }
}
