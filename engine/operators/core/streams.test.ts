import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { END, type ItemStream, PENDING } from '../../base/item-stream.ts';
import { WeftError } from '../../base/errors.ts';
import type { Operator } from '../../base/operator.ts';
import { runOperator, startOperator } from '../../testing/call.ts';
import concat from './concat.ts';
import mergeStreams from './merge-streams.ts';
import reduce from './reduce.ts';
import transform from './transform-stream.ts';
import zip from './zip.ts';

/** A stream whose items the test feeds, when it feeds them. */
function fed(): { stream: AsyncIterable<unknown>; feed(item: unknown): void; stopped(): boolean } {
  const waiting: ((result: IteratorResult<unknown>) => void)[] = [];
  const items: IteratorResult<unknown>[] = [];
  let over = false;
  const iterator = {
    next: () =>
      new Promise<IteratorResult<unknown>>((resolve) => {
        const item = items.shift();
        if (item) resolve(item);
        else waiting.push(resolve);
      }),
    return: async () => {
      over = true;
      for (const resolve of waiting) resolve({ done: true, value: undefined });
      return { done: true as const, value: undefined };
    },
  };
  return {
    stream: { [Symbol.asyncIterator]: () => iterator },
    feed: (value) => {
      const result = { done: false as const, value };
      const resolve = waiting.shift();
      if (resolve) resolve(result);
      else items.push(result);
    },
    stopped: () => over,
  };
}

async function* failing(...items: unknown[]): AsyncGenerator<unknown> {
  yield* items;
  throw new WeftError('bad_input', 'broke');
}

function streamOf(
  type: string,
  operator: Operator,
  inputs: Record<string, unknown>,
  params = {},
): ItemStream {
  return startOperator(type, operator, { inputs, params }).result as ItemStream;
}

async function itemsOf(mode: string, pieces: readonly unknown[], more = {}): Promise<unknown> {
  const setup = { params: { mode, ...more }, inputs: { in: [...pieces] } };
  return (await runOperator('core.transform-stream', transform, setup))['out'];
}

/** A text, and the places where it is split. */
const cutText = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.array(fc.nat(60))).map(([whole, cuts]) => {
    const places = [...new Set([0, ...cuts.filter((at) => at < whole.length), whole.length])].sort(
      (a, b) => a - b,
    );
    return { whole, pieces: places.slice(1).map((at, i) => whole.slice(places[i], at)) };
  });

describe('lines', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', ' '), { maxLength: 30 })
    .map((p) => p.join(''));

  test('are the same wherever the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(cutText(text), async ({ whole, pieces }) => {
        const lines = whole.split(/\r\n|\n|\r/);
        if (lines.at(-1) === '') lines.pop();
        expect(await itemsOf('lines', pieces)).toEqual(lines);
      }),
    );
  });

  test('that never end are refused before they fill the memory', async () => {
    const piece = 'x'.repeat(6_000_000);
    await expect(itemsOf('lines', [piece, piece])).rejects.toMatchObject({ code: 'value_too_large' });
  });
});

describe('bytes', () => {
  const text = fc
    .array(fc.constantFrom('a', 'ä', '€', '𝄞', '\n', '\r\n', 'data: ü\n\n', '\uFEFF'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  const bytesOf = (whole: string) => new TextEncoder().encode(whole);

  test.each(['lines', 'sse'])(
    'are read as %s wherever they are cut, also within a character',
    async (mode) => {
      const cut = fc.tuple(text, fc.array(fc.nat(60))).map(([whole, cuts]) => {
        const bytes = bytesOf(whole);
        const places = [...cuts.filter((at) => at < bytes.length), bytes.length].sort((a, b) => a - b);
        return { whole, pieces: places.map((at, i) => bytes.slice(places[i - 1] ?? 0, at)) };
      });
      await fc.assert(
        fc.asyncProperty(cut, async ({ whole, pieces }) => {
          expect(await itemsOf(mode, pieces)).toEqual(await itemsOf(mode, [whole]));
        }),
      );
    },
  );

  test('may begin with a mark of byte order, which is left out, as in text', async () => {
    const marked = '\uFEFFone\ntwo';
    expect(await itemsOf('lines', [bytesOf(marked)])).toEqual(['one', 'two']);
    expect(await itemsOf('lines', [bytesOf(marked).slice(0, 2), bytesOf(marked).slice(2)])).toEqual([
      'one',
      'two',
    ]);
    expect(await itemsOf('lines', [marked])).toEqual(['one', 'two']);
    expect(await itemsOf('lines', ['one', marked])).toEqual(['one\uFEFFone', 'two']);
  });

  test('of which the last character is cut off, or that are no text, are read as far as they can be', async () => {
    expect(await itemsOf('lines', [bytesOf('a€').slice(0, 2)])).toEqual(['a\uFFFD']);
    expect(await itemsOf('lines', [bytesOf('€').slice(0, 1), 'b'])).toEqual(['\uFFFDb']);
    expect(await itemsOf('lines', [new Uint8Array([0xff, 0x0a, 0x61])])).toEqual(['\uFFFD', 'a']);
  });

  test('and text are all that can be read', async () => {
    await expect(itemsOf('lines', [[97]])).rejects.toMatchObject({ code: 'bad_input' });
    await expect(itemsOf('sse', [null])).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('server-sent events', () => {
  const text = fc
    .array(
      fc.constantFrom(
        'data: a\n\n',
        'event: x\ndata: b\r\n\r\n',
        ': note\n\n',
        'id: 1\ndata: c\ndata: d\n\n',
      ),
    )
    .map((p) => p.join(''));

  test('are the same wherever the text is cut', async () => {
    await fc.assert(
      fc.asyncProperty(cutText(text), async ({ whole, pieces }) => {
        expect(await itemsOf('sse', pieces)).toEqual(await itemsOf('sse', [whole]));
      }),
    );
  });

  test('that never end are refused before they fill the memory', async () => {
    const piece = `data: ${'x'.repeat(6_000_000)}`;
    await expect(itemsOf('sse', [piece, piece])).rejects.toMatchObject({ code: 'value_too_large' });
  });

  test('of which the last is cut off leave it out', async () => {
    expect(await itemsOf('sse', ['data: a\n\ndata: b'])).toEqual([{ event: 'message', data: 'a' }]);
  });
});

describe('taking the first items', () => {
  test('tells the source to stop with the last one, without asking for another', async () => {
    const { stream, feed, stopped } = fed();
    const out = streamOf('core.transform-stream', transform, { in: stream }, { mode: 'take', count: 2 });
    feed(1);
    expect(await out.next()).toEqual({ done: false, value: 1 });
    expect(stopped()).toBe(false);
    feed(2);
    expect(await out.next()).toEqual({ done: false, value: 2 });
    expect(stopped()).toBe(true);
    expect(await out.next()).toEqual({ done: true, value: undefined });
  });
});

describe('an expression that fails', () => {
  test('ends the stream and tells its source to stop', async () => {
    const { stream, feed, stopped } = fed();
    const out = streamOf('core.transform-stream', transform, { in: stream }, { value: '{{ item.x }}' });
    feed({ x: 1 });
    feed({});
    expect(await out.next()).toEqual({ done: false, value: 1 });
    await expect(out.next()).rejects.toMatchObject({ code: 'missing_field' });
    expect(stopped()).toBe(true);
    expect(await out.next()).toEqual({ done: true, value: undefined });
  });
});

describe('merged streams', () => {
  test('give each item when it comes, and take turns where several are there', async () => {
    const [a, b] = [fed(), fed()];
    const out = streamOf('core.merge-streams', mergeStreams, { in: [a.stream, b.stream] });
    const first = out.next();
    b.feed('b1');
    expect((await first).value).toBe('b1');
    a.feed('a1');
    expect((await out.next()).value).toBe('a1');
    const lists = {
      in: [
        [1, 2, 3],
        ['x', 'y'],
      ],
    };
    const { out: all } = await runOperator('core.merge-streams', mergeStreams, { inputs: lists });
    expect((all as unknown[]).toSorted()).toEqual([1, 2, 3, 'x', 'y']);
  });

  test('are all told to stop', async () => {
    const [a, b] = [fed(), fed()];
    const out = streamOf('core.merge-streams', mergeStreams, { in: [a.stream, b.stream] });
    void out.next();
    await out.return();
    expect([a.stopped(), b.stopped()]).toEqual([true, true]);
    expect(out.poll()).toBe(END);
  });
});

describe('zipped streams', () => {
  test('stop the longer one as soon as the shorter has ended', async () => {
    const { stream, feed, stopped } = fed();
    async function* one(): AsyncGenerator<unknown> {
      yield 'x';
    }
    const out = streamOf('core.zip', zip, { a: one(), b: stream });
    feed(1);
    expect((await out.next()).value).toEqual({ a: 'x', b: 1 });
    expect(await out.next()).toEqual({ done: true, value: undefined });
    expect(stopped()).toBe(true);
  });

  test('fail with the one that fails', async () => {
    const run = runOperator('core.zip', zip, { inputs: { a: failing(1), b: [1, 2, 3] } });
    await expect(run).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('streams one behind the other', () => {
  test('are not asked before their turn', async () => {
    const [a, b] = [fed(), fed()];
    const out = streamOf('core.concat', concat, { in: [a.stream, b.stream] });
    b.feed('b');
    expect(out.poll()).toBe(PENDING);
    await Promise.resolve();
    expect(out.poll()).toBe(PENDING);
  });

  test('end where one fails', async () => {
    const out = streamOf('core.concat', concat, { in: [failing(1), failing(2)] });
    expect((await out.next()).value).toBe(1);
    await expect(out.next()).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('a fold', () => {
  test('starts with null when that is the initial value', async () => {
    const setup = { params: { value: '{{ [acc, item] }}', initial: null }, inputs: { in: [1] } };
    expect(await runOperator('core.reduce', reduce, setup)).toEqual({ out: [null, 1] });
  });

  test('tells the source to stop when its expression fails', async () => {
    const { stream, feed, stopped } = fed();
    const { result } = startOperator('core.reduce', reduce, {
      params: { value: '{{ item.x }}' },
      inputs: { in: stream },
    });
    feed(1);
    feed({});
    await expect(result).rejects.toMatchObject({ code: 'missing_field' });
    expect(stopped()).toBe(true);
  });
});
