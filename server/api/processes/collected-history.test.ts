import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunHistory } from '../../execution/history/history.ts';
import { createJournal } from '../../execution/history/journal/journal.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createCollectedHistory } from './collected-history.ts';
import { createOutbox, OUTBOX } from './outbox.ts';

const startedAt = Date.now();
const line = (run: string, more: Partial<RunSummary> = {}): RunSummary => ({
  run,
  flow: 'hello',
  version: 'v1',
  trigger: 'trigger',
  source: 'http',
  startedAt,
  ms: 1,
  status: 'ok',
  recorded: false,
  ...more,
});
const event = (seq: number) => ({ seq, json: JSON.stringify({ seq, kind: 'run-started', at: startedAt }) });

function open(data: string): RunHistory & { readonly warnings: string[] } {
  const warnings: string[] = [];
  const journal = createJournal({
    folder: join(data, 'runs'),
    blobs: join(data, 'blobs'),
    limits: { days: 7, bytes: 1e9 },
    warn: (message) => warnings.push(message),
  });
  const warn = (_: unknown, message: string): void => void warnings.push(message);
  const history = createCollectedHistory({ journal, data, warn, isAwaited: async () => false });
  onTestFinished(() => history.close());
  return { ...history, warnings };
}

async function folders(): Promise<{ data: string; outbox: string }> {
  const data = await tempFolder();
  const outbox = join(data, 'process-2', OUTBOX);
  mkdirSync(outbox, { recursive: true });
  return { data, outbox };
}

const idsIn = async (history: RunHistory): Promise<string[]> =>
  (await history.list({ limit: 100 })).map(({ run }) => run).sort();

test('runs of another process are read as soon as they are handed over, by either', async () => {
  const { data, outbox } = await folders();
  const own = createOutbox(outbox);
  const history = open(data);
  // Batches of many runs are packed, others are not.
  const many = Array.from({ length: 20 }, (_, i) => line(`r${String(i).padStart(2, '0')}`));
  const failed = line('s1', { status: 'failed', recorded: true, error: { code: 'x', message: 'm' } });
  await own.appendEvents([{ run: 's1', flow: 'hello', startedAt, events: [event(1), event(2)], tape: '[]' }]);
  await own.appendSummaries([...many, failed]);
  expect(await own.get('r07')).toEqual(line('r07'));
  expect(await own.events('s1', 1)).toEqual([event(2)]);
  expect(await idsIn(history)).toEqual([...many.map(({ run }) => run), 's1']);
  expect(await history.get('s1')).toMatchObject({ status: 'failed', recorded: true });
  expect(await history.events('s1', 0)).toEqual([event(1), event(2)]);
  expect(await history.tape('s1')).toBe('[]');
  expect(readdirSync(outbox)).toEqual([]);
});

test('a batch stored by a process that was killed before it deleted the file is not stored again', async () => {
  const { data, outbox } = await folders();
  const own = createOutbox(outbox);
  await own.appendSummaries([line('a1'), ...Array.from({ length: 20 }, (_, i) => line(`b${i}`))]);
  const [name = ''] = readdirSync(outbox);
  copyFileSync(join(outbox, name), join(data, 'kept'));
  const before = open(data);
  const ids = await idsIn(before);
  expect(ids.length).toBe(21);
  await before.close();
  copyFileSync(join(data, 'kept'), join(outbox, name));
  await own.appendSummaries([line('c1')]);
  const after = open(data);
  expect(await idsIn(after)).toEqual([...ids, 'c1']);
  expect(readdirSync(outbox)).toEqual([]);
});

test('a file that cannot be read is put aside, and the next ones are stored', async () => {
  const { data, outbox } = await folders();
  writeFileSync(join(outbox, '000000000000001-000000001.json'), '');
  await createOutbox(outbox).appendSummaries([line('a1')]);
  const history = open(data);
  expect(await idsIn(history)).toEqual(['a1']);
  expect(readdirSync(outbox)).toEqual(['000000000000001-000000001.json.broken']);
  expect(history.warnings).toEqual([expect.stringContaining('cannot be read')]);
});
