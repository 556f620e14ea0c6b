import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openWeftDb } from '../adapters/weft-db.ts';
import { redactValue } from '../secrets/redact-value.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { memoryRows } from './testing/memory-rows.ts';
import { sqliteRows } from './sqlite-rows.ts';
import { createWaits } from './waits.ts';
import { question, waitsContract } from './waits.contract.ts';

const redact = (value: unknown): unknown => value;
const APPROVED = { decision: 'approved', by: 'Ada', via: 'session', comment: '' } as const;

waitsContract('in memory', (now) => createWaits({ rows: memoryRows(), now, redact }));
waitsContract('in SQLite', (now) => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  return createWaits({ rows: sqliteRows(db), now, redact });
});

test('a decision is there again after the file was closed and opened', async () => {
  const data = await tempFolder();
  const first = openWeftDb(data);
  const before = createWaits({ rows: sqliteRows(first), now: Date.now, redact });
  await before.open(question());
  await before.decide('run1.ask', APPROVED);
  first.close();
  const second = openWeftDb(data);
  onTestFinished(() => second.close());
  const after = createWaits({ rows: sqliteRows(second), now: Date.now, redact });
  expect((await after.answer('run1', 'ask'))?.value).toMatchObject(APPROVED);
});

test('a decision that the disk does not take is refused with storage_failed, and the wait stays open', async () => {
  const db = openWeftDb(await tempFolder());
  onTestFinished(() => db.close());
  const waits = createWaits({ rows: sqliteRows(db), now: Date.now, redact });
  await waits.open(question());
  db.exec('PRAGMA query_only = ON');
  await expect(waits.decide('run1.ask', APPROVED)).rejects.toMatchObject({ code: 'storage_failed' });
  db.exec('PRAGMA query_only = OFF');
  expect(await waits.answer('run1', 'ask')).toBeUndefined();
  await waits.decide('run1.ask', APPROVED);
});

test('secrets are masked in all that people see, and the address that is told keeps its own', async () => {
  const redactor = createRedactor();
  redactor.add('hunter22');
  const db = openWeftDb(await tempFolder());
  onTestFinished(() => db.close());
  const masked = createWaits({
    rows: sqliteRows(db),
    now: Date.now,
    redact: (v) => redactValue(v, redactor),
  });
  await masked.open(
    question({ text: 'It is hunter22', data: ['hunter22'], notify: 'https://a.org/hunter22' }),
  );
  expect(await masked.get('run1.ask')).toMatchObject({
    ask: { text: 'It is ***', data: ['***'], notify: 'https://a.org/hunter22' },
  });
});
