import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import type { Bed } from '../../testing/platform-bed.ts';
import { fileBed } from '../../api/triggers/testing/file-bed.ts';

const MB = 1_000_000;
const limits = { fileBytes: MB, filesBytes: MB };
const done = { operator: 'core.map', params: { value: 'done' } };
const settings = { record: 'full' };

async function send(bed: Bed, path: string): Promise<string> {
  const body = new Uint8Array(MB / 10);
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger${path}`, { method: 'POST', body });
  await answer.arrayBuffer();
  return answer.headers.get('x-weft-run') as string;
}

const heldBy = async ({ ctx }: Bed, ids: readonly string[]): Promise<number[]> =>
  Promise.all(ids.map(async (id) => (await ctx.files.of({ kind: 'run', id })).length));

test('files of ended runs get the part of the limit that records leave, and the oldest runs lose theirs first', async () => {
  const bed = await fileBed(
    {
      keep: { trigger: { accept: ['bytes'], limits }, nodes: { done }, settings },
      wait: {
        trigger: { accept: ['bytes'], limits, answer: 'immediately' },
        nodes: { ask: { operator: 'human.approval', params: { title: 'Well?' }, output: 'approved' }, done },
        settings,
      },
    },
    { runsSize: MB },
  );
  const waiting = await send(bed, '/wait');
  const runs: string[] = [];
  for (let i = 0; i < 20; i++) runs.push(await send(bed, '/keep'));
  await eventually(async () => expect(await bed.ctx.files.bytesOf('run')).toBeLessThanOrEqual(MB));
  const held = await heldBy(bed, runs);
  expect(held.join('')).toMatch(/^0+1{4,}$/);
  expect(await heldBy(bed, [waiting])).toEqual([1]);
});
