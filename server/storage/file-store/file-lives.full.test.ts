import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Plan } from '#engine';
import { eventually } from '../../../tests/support/eventually.ts';
import { isThere } from '../../execution/after-runs/sweep-files.ts';
import { recordingOf } from '../../execution/history/replay/recording.ts';
import { replayRecording } from '../../execution/history/replay/replay-recording.ts';
import { openWeftSql } from '../database/weft-tables.ts';
import { type Bed, signIn, tempFolder } from '../../testing/platform-bed.ts';
import { fileBed } from '../../api/triggers/testing/file-bed.ts';
import { createDiskBlobs } from './disk-blobs.ts';
import { createFiles } from './files.ts';
import { passFiles } from './held-values.ts';

/** How long files live: with a recording, a retry, a wait, a dead letter. */

const bytes = { accept: ['bytes'] };
const full = { record: 'full' };
const text = { operator: 'file.to-text' };

async function send(bed: Bed, id: string, body: BodyInit): Promise<{ run: string; status: number }> {
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/${id}`, { method: 'POST', body });
  await answer.arrayBuffer();
  const run = answer.headers.get('x-weft-run') as string;
  return { run, status: answer.status };
}

async function ended(bed: Bed, run: string): Promise<void> {
  await eventually(async () =>
    expect((await bed.ctx.runs.get(run))?.status).toMatch(/^(?:ok|failed|cancelled)$/),
  );
}

function planOf(bed: Bed, id: string): Plan {
  return bed.ctx.flows.live(id)?.compiled.plans.get('trigger') as Plan;
}

test('a run that reads, makes and packs files replays without the store of files', async () => {
  const bed = await fileBed({
    pack: {
      trigger: bytes,
      nodes: {
        text,
        back: { operator: 'file.from-text', params: { name: 'copy.txt' } },
        zip: { operator: 'file.zip' },
        unzip: { operator: 'file.unzip' },
      },
      settings: full,
    },
  });
  const { run, status } = await send(bed, 'pack', 'Hällo '.repeat(20_000));
  expect(status).toBe(200);
  await ended(bed, run);
  const recording = await recordingOf(bed.ctx, run);
  rmSync(join(bed.ctx.config.data, 'files'), { recursive: true });
  const report = await replayRecording(
    JSON.parse(JSON.stringify(recording)),
    planOf(bed, 'pack'),
    setImmediate,
  );
  expect(report).toMatchObject({ same: true, unchecked: 0, differences: [] });
  expect(report.divergence).toBeUndefined();
});

test('a run that reads more of a file than a recording stores reports that it cannot be replayed, and why', async () => {
  const size = 9_000_000;
  const bed = await fileBed({
    large: {
      trigger: { ...bytes, limits: { fileBytes: size, filesBytes: size } },
      nodes: { text, done: { operator: 'core.map', params: { value: 'read' } } },
      settings: full,
    },
  });
  const { run, status } = await send(bed, 'large', 'x'.repeat(size));
  expect(status).toBe(200);
  await ended(bed, run);
  await expect(recordingOf(bed.ctx, run)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/content of files that it read.*too large/),
  });
});

test('a large file that only passes through needs no room in the recording', async () => {
  const size = 9_000_000;
  const folder = await tempFolder();
  const write = { operator: 'file.write', params: { folder: 'out', path: 'copy.txt' } };
  const bed = await fileBed(
    {
      save: {
        trigger: { ...bytes, limits: { fileBytes: size, filesBytes: size } },
        nodes: { write },
        settings: full,
      },
    },
    { folders: { out: folder } },
  );
  const { run, status } = await send(bed, 'save', 'x'.repeat(size));
  expect(status).toBe(200);
  expect(statSync(join(folder, 'copy.txt')).size).toBe(size);
  await ended(bed, run);
  const report = await replayRecording(await recordingOf(bed.ctx, run), planOf(bed, 'save'), setImmediate);
  expect([report.same, report.divergence]).toEqual([true, undefined]);
});

/** Calls the API as the owner. */
async function owner(bed: Bed) {
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  return async (method: string, path: string, body: unknown = {}): Promise<unknown> => {
    const init = { method, headers, ...(method !== 'GET' && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${bed.url}/api/v1${path}`, init);
    const { data, ...rest } = (await answer.json()) as { data: unknown };
    if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(rest)}`);
    return data;
  };
}

/** Whether a run still holds files: a sweep in two days would leave them. */
const holds = (bed: Bed, run: string): Promise<boolean> =>
  isThere({ ...bed.ctx, state: { get: async () => undefined } }, { kind: 'run', id: run });

test('a run with a file becomes a test that passes without the file', async () => {
  const bed = await fileBed({ read: { trigger: bytes, nodes: { text }, settings: full } });
  const { run } = await send(bed, 'read', 'Hello');
  await ended(bed, run);
  const api = await owner(bed);
  await api('POST', `/runs/${run}/test`, { name: 'reads' });
  rmSync(join(bed.ctx.config.data, 'files'), { recursive: true });
  expect(await api('POST', '/flows/read/tests/run')).toMatchObject({
    results: [{ name: 'reads', passed: true, differences: [] }],
  });
});

test('a dead letter holds its files, and so does its retry', async () => {
  const bed = await fileBed({
    dead: {
      trigger: { ...bytes, answer: 'immediately' },
      nodes: { check: { operator: 'logic.assert', params: { condition: '{{ false }}' } }, text },
      settings: { record: 'off', durable: true },
    },
  });
  const { run } = await send(bed, 'dead', 'Hello');
  const { durable, files } = bed.ctx;
  expect(await durable.ended(run)).toMatchObject({ status: 'failed' });
  const [handle] = await files.of({ kind: 'run', id: run });
  expect([handle, await holds(bed, run)]).toEqual([expect.stringMatching(/^f_/), true]);
  const { run: again } = await durable.retry(run);
  await durable.ended(again);
  expect(await files.of({ kind: 'run', id: again })).toEqual([handle]);
  await durable.forget([run]);
  expect([await holds(bed, run), await holds(bed, again)]).toEqual([false, true]);
});

test('a run that waits for a person holds its files, and opens them when it goes on', async () => {
  const bed = await fileBed({
    wait: {
      trigger: { ...bytes, answer: 'immediately' },
      nodes: {
        ask: { operator: 'human.approval', params: { title: 'Fine?' }, output: 'approved' },
        file: { operator: 'core.map', params: { value: '{{ trigger.body }}' } },
        text,
      },
      settings: { record: 'off' },
    },
  });
  const { run, status } = await send(bed, 'wait', 'Hello');
  expect(status).toBe(202);
  const { durable } = bed.ctx;
  expect(await durable.settled(run)).toMatchObject({ status: 'waiting' });
  expect(await holds(bed, run)).toBe(true);
  const api = await owner(bed);
  await eventually(() => api('POST', `/waits/${run}.ask/decide`, { decision: 'approved' }));
  expect(await durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'Hello' } });
});

test('passing files on waits until their new holder is stored', async () => {
  const sql = openWeftSql(await tempFolder());
  const gate = Promise.withResolvers<void>();
  let late = false;
  const slow: typeof sql = Object.create(sql, {
    batch: {
      value: async (statements: Parameters<typeof sql.batch>[0]) => {
        if (late) await gate.promise;
        return sql.batch(statements);
      },
    },
  });
  const blobs = createDiskBlobs(await tempFolder());
  const files = createFiles({ sql: slow, blobs, now: Date.now });
  onTestFinished(() => sql.close());
  const from = { kind: 'run', id: 'a' } as const;
  const to = { kind: 'state', id: 'b' } as const;
  const { value } = await files.add({ content: Readable.from([Buffer.from('x')]) }, from);
  late = true;
  let isDone = false;
  const passed = passFiles(files, [value.$file], { from, to }).then(() => (isDone = true));
  await eventually(() => files.find(value.$file, to).then((file) => expect(file).toBeDefined()));
  expect(isDone).toBe(false);
  gate.resolve();
  await passed;
  expect(await createFiles({ sql, blobs, now: Date.now }).of(to)).toEqual([value.$file]);
});
