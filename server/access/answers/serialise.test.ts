import { describe, expect, it } from 'vitest';
import { collect, toJson, toPlainText } from './serialise.ts';

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = [value];
  return value;
}

/** Thirty small lists, each containing the previous one twice: 2^30 items as JSON. */
function bomb(): unknown {
  let value: unknown = ['x'];
  for (let i = 0; i < 30; i++) value = [value, value];
  return value;
}

async function* stream(...items: unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

describe('an answer as JSON', () => {
  it.each([
    ['Hello', '"Hello"'],
    ['é\u0000\n', '"é\\u0000\\n"'],
    [42, '42'],
    [null, 'null'],
    [undefined, 'null'],
    [{ a: [1, undefined], b: undefined }, '{"a":[1,null]}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])('writes %j compactly', (value, text) => expect(toJson(value)).toBe(text));

  it.each([
    [Number.NaN, 'bad_number'],
    [{ a: [{ b: Number.POSITIVE_INFINITY }] }, 'bad_number'],
    [10n, 'not_serialisable'],
    [() => 1, 'not_serialisable'],
    [Symbol('x'), 'not_serialisable'],
    [cyclic(), 'not_serialisable'],
    [new Map(), 'not_serialisable'],
    [new Uint8Array(3), 'not_serialisable'],
    [{ items: stream() }, 'not_serialisable'],
    ['x'.repeat(10_000_001), 'value_too_large'],
    [['x'.repeat(6_000_000), 'x'.repeat(6_000_000)], 'value_too_large'],
    [bomb(), 'value_too_large'],
  ])('refuses what JSON cannot hold (%#: %o)', (value, code) => {
    expect(() => toJson(value)).toThrow(expect.objectContaining({ code }));
  });

  it('names the place of what it refuses', () => {
    expect(() => toJson({ rows: [{ price: Number.NaN }] })).toThrow(/NaN at rows\.0\.price/);
  });
});

describe('an answer as text', () => {
  it.each([
    ['x', 'x'],
    [null, ''],
    [5, '5'],
    [{ a: 1 }, '{"a":1}'],
  ])('writes %j plainly', (value, text) => expect(toPlainText(value)).toBe(text));
});

describe('a stream as one answer', () => {
  it('becomes a list, or one text', async () => {
    expect(await collect(stream('a', { b: 1 }))).toEqual(['a', { b: 1 }]);
  });

  it('ends the stream when it grows beyond the limit', async () => {
    let pulled = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          pulled++;
          yield 'x'.repeat(1_000_000);
        }
      } finally {
        closed = true;
      }
    }
    await expect(collect(endless())).rejects.toMatchObject({ code: 'value_too_large' });
    expect(pulled).toBe(10);
    expect(closed).toBe(true);
  });
});

it('refuses at once what holds one part in very many places, though each is small', () => {
  let value: unknown = [1];
  for (let i = 0; i < 60; i++) value = [value, value];
  expect(() => toJson(value)).toThrow(expect.objectContaining({ code: 'value_too_large' }));
});
