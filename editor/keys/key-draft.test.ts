import { describe, expect, it } from 'vitest';
import { bodyOf, endWords, nameFault, rateFault } from './key-draft.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('bodyOf', () => {
  it('turns days into the time of the end', () => {
    expect(bodyOf({ name: ' ci ', scopes: ['triggers'], days: 7 }, now)).toEqual({
      name: 'ci',
      scopes: ['triggers'],
      expiresAt: '2026-01-08T00:00:00.000Z',
    });
  });

  it('has no end for 0 days', () => {
    expect(bodyOf({ name: 'ci', scopes: ['chat'], days: 0 }, now)).toEqual({ name: 'ci', scopes: ['chat'] });
  });

  it('has the limit that was typed, and none for an empty field', () => {
    const draft = { name: 'ci', scopes: ['chat'] as const, days: 0 };
    expect(bodyOf({ ...draft, perMinute: ' 60 ' }, now)).toMatchObject({ perMinute: 60 });
    expect(bodyOf({ ...draft, perMinute: ' ' }, now)).not.toHaveProperty('perMinute');
    expect(bodyOf({ ...draft, perMinute: 'many' }, now)).toBeUndefined();
    expect(
      ['', '1', '100000', '0', '1.5', '100001', 'x'].map((text) => rateFault(text) === undefined),
    ).toEqual([true, true, true, false, false, false, false]);
  });

  it.each([
    { name: ' ', scopes: ['chat'] as const, days: 0 },
    { name: 'ci', scopes: [], days: 0 },
  ])('is nothing yet for %j', (draft) => {
    expect(bodyOf(draft, now)).toBeUndefined();
  });
});

describe('endWords', () => {
  it.each([
    [undefined, undefined],
    ['2025-12-31T23:59:59Z', 'expired'],
    ['2026-01-01T05:00:00Z', 'within a day'],
    ['2026-01-02T05:00:00Z', 'in 1 day'],
    ['2026-03-31T00:00:00Z', 'in 89 days'],
  ])('says of %s: %s', (expiresAt, words) => {
    expect(endWords(expiresAt === undefined ? {} : { expiresAt }, now)).toBe(words);
  });
});

describe('nameFault', () => {
  it('sees a name that is taken, whatever stands around it', () => {
    const all = [{ id: '1', name: 'ci', scopes: [], source: 'kept' as const }];
    expect(nameFault(' ci ', all)).toBe('A key with this name already exists.');
    expect(nameFault('c', all)).toBeUndefined();
  });
});
