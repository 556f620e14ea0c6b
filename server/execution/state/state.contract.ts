import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { MAX_STATE_VALUE, ONCE_MS, type StateStore } from './state-store.ts';

type Open = (now: () => number) => StateStore | Promise<StateStore>;

/** The contract of every state store. `open` returns an empty one with the given clock. */
export function stateContract(name: string, open: Open): void {
  describe(`state ${name}: values`, () => valueContract(open));
  describe(`state ${name}: limits`, () => limitContract(open));
  describe(`state ${name}: lifetimes`, () => lifetimeContract(open));
  describe(`state ${name}: sums`, () => sumContract(open));
}

function valueContract(open: Open): void {
  test('returns the value that was stored last under a key, and undefined if there is none', async () => {
    const state = await open(() => 0);
    expect(await state.get('flow', 'a')).toBeUndefined();
    await state.set('flow', 'a', { n: [1, null, 'x'] });
    await state.set('flow', 'a', 2);
    expect(await state.get('flow', 'a')).toBe(2);
    expect(await state.get('flow', 'A')).toBeUndefined();
  });

  test('keeps any JSON as it is, under any key', async () => {
    const state = await open(() => 0);
    const key = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
    await fc.assert(
      fc.asyncProperty(key, fc.jsonValue(), async (name_, value) => {
        await state.set('flow', name_, value);
        // As JSON writes it: -0 becomes 0.
        expect(await state.get('flow', name_)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  test('keeps scopes apart', async () => {
    const state = await open(() => 0);
    await state.set('one', 'k', 1);
    await state.set('*', 'k', 2);
    expect(await state.get('one', 'k')).toBe(1);
    expect(await state.get('*', 'k')).toBe(2);
    expect(await state.get('two', 'k')).toBeUndefined();
  });

  test('removes a value with undefined, even if it does not exist', async () => {
    const state = await open(() => 0);
    await state.set('flow', 'a', 1);
    await state.set('flow', 'a', undefined);
    await state.set('flow', 'b', undefined);
    expect(await state.get('flow', 'a')).toBeUndefined();
  });

  test('a read value is a copy: changing it does not change the stored one', async () => {
    const state = await open(() => 0);
    const given = { list: [1] };
    await state.set('flow', 'a', given);
    given.list.push(2);
    ((await state.get('flow', 'a')) as { list: number[] }).list.push(3);
    expect(await state.get('flow', 'a')).toEqual({ list: [1] });
  });
}

function limitContract(open: Open): void {
  test('refuses a value that is too large or no JSON, or an invalid key, with a code', async () => {
    const state = await open(() => 0);
    const large = 'x'.repeat(MAX_STATE_VALUE);
    await expect(state.set('flow', 'a', large)).rejects.toMatchObject({ code: 'value_too_large' });
    await expect(state.set('flow', 'a', 1n)).rejects.toMatchObject({ code: 'not_serialisable' });
    await expect(state.set('flow', 'a', Number.NaN)).rejects.toMatchObject({ code: 'bad_number' });
    for (const key of ['', 'x'.repeat(501)]) {
      await expect(state.set('flow', key, 1)).rejects.toMatchObject({ code: 'bad_input' });
      await expect(state.get('flow', key)).rejects.toMatchObject({ code: 'bad_input' });
    }
    expect(await state.get('flow', 'a')).toBeUndefined();
  });
}

function lifetimeContract(open: Open): void {
  test('a value expires after its lifetime; without one it stays', async () => {
    let time = 1000;
    const state = await open(() => time);
    await state.set('flow', 'short', 1, { ttlMs: 50 });
    await state.set('flow', 'long', 1);
    await state.add('flow', 'count', 1, { ttlMs: 50 });
    time = 1049;
    expect(await state.get('flow', 'short')).toBe(1);
    // Further additions do not extend its lifetime.
    expect(await state.add('flow', 'count', 1, { ttlMs: 50 })).toBe(2);
    time = 1050;
    expect(await state.get('flow', 'short')).toBeUndefined();
    expect(await state.get('flow', 'count')).toBeUndefined();
    expect(await state.add('flow', 'count', 1)).toBe(1);
    expect(await state.get('flow', 'long')).toBe(1);
  });

  test('storing again begins a new lifetime', async () => {
    let time = 0;
    const state = await open(() => time);
    await state.set('flow', 'a', 1, { ttlMs: 10 });
    await state.set('flow', 'a', 2);
    time = 100;
    expect(await state.get('flow', 'a')).toBe(2);
  });
}

function sumContract(open: Open): void {
  test('loses no addition, however many happen at once', async () => {
    const state = await open(() => 0);
    const sums = await Promise.all(Array.from({ length: 100 }, () => state.add('flow', 'n', 2)));
    expect([...sums].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => 2 * (i + 1)));
    expect(await state.get('flow', 'n')).toBe(200);
  });

  test('another attempt of an addition adds nothing, within a day', async () => {
    let time = 0;
    const state = await open(() => time);
    expect(await state.add('flow', 'n', 5, { once: 'run:node' })).toBe(5);
    await state.add('flow', 'n', 1);
    expect(await state.add('flow', 'n', 5, { once: 'run:node' })).toBe(5);
    expect(await state.add('flow', 'm', 5, { once: 'run:node' })).toBe(5);
    expect(await state.get('flow', 'n')).toBe(6);
    time = ONCE_MS;
    expect(await state.add('flow', 'n', 5, { once: 'run:node' })).toBe(11);
  });

  test('adds to numbers only, and leaves other values unchanged', async () => {
    const state = await open(() => 0);
    await state.set('flow', 'text', '1');
    await state.set('flow', 'huge', Number.MAX_VALUE);
    await expect(state.add('flow', 'text', 1)).rejects.toMatchObject({ code: 'bad_state' });
    await expect(state.add('flow', 'huge', Number.MAX_VALUE)).rejects.toMatchObject({ code: 'bad_state' });
    expect(await state.get('flow', 'text')).toBe('1');
  });
}
