import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entries, shareTable } from './table.ts';

const kept = new URL('testing/share-table.json', import.meta.url);

test('each type is in the table once', () => {
  const kinds = entries.map(
    ({ kind, becomes }) => `${kind} ${becomes.includes('model of an agent') ? 'part' : ''}`,
  );
  expect(kinds.filter((kind, i) => kinds.indexOf(kind) !== i)).toEqual([]);
});

test('the table that the share of public workflows is counted by is this one, word for word', () => {
  expect(`${JSON.stringify(shareTable(), null, 2)}\n`).toBe(readFileSync(kept, 'utf8'));
});

test('what is close says how it differs', () => {
  const silent = entries.filter(
    ({ word, convert, difference }) => word !== 'equal' && convert && !difference,
  );
  expect(silent.map(({ kind }) => kind)).toEqual([]);
});
