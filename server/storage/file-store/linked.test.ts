import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bed, tempFolder } from '../../testing/platform-bed.ts';
import { fileBed } from '../../api/triggers/testing/file-bed.ts';

/** Files of folders are read where they are. */

const read = { operator: 'file.read', params: { folder: 'inbox', path: 'big.txt' } };
const settings = { record: 'full' };
const TEXT = '0123456789'.repeat(100_000);

async function open() {
  const inbox = await tempFolder();
  writeFileSync(join(inbox, 'big.txt'), TEXT);
  const bed = await fileBed(
    {
      send: { trigger: { methods: ['GET'] }, nodes: { read }, settings },
      lasting: { trigger: { methods: ['GET'] }, nodes: { read }, settings: { ...settings, durable: true } },
      kept: {
        trigger: { methods: ['GET'] },
        nodes: { read, keep: { operator: 'state.set', params: { key: 'last', value: '{{ input }}' } } },
        settings,
      },
    },
    { folders: { inbox } },
  );
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${bed.url}/api/v1/awel/trigger${path}`, { headers });
  return { bed, inbox, get };
}

/** Files that are stored on the disk of a server. */
function copies({ ctx }: Bed): string[] {
  const folder = join(ctx.config.data, 'files');
  mkdirSync(folder, { recursive: true });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('a file of a folder is sent, whole and in part, without a copy', async () => {
  const { bed, get } = await open();
  const whole = await get('/send');
  expect([whole.status, await whole.text()]).toEqual([200, TEXT]);
  const part = await get('/send', { range: 'bytes=5-9' });
  expect([part.status, await part.text()]).toEqual([206, '56789']);
  expect(part.headers.get('content-range')).toBe(`bytes 5-9/${TEXT.length}`);
  const etag = whole.headers.get('etag') as string;
  expect((await get('/send', { 'if-none-match': etag })).status).toBe(304);
  expect(copies(bed)).toEqual([]);
  expect(await bed.ctx.files.bytesOf('run')).toBe(0);
});

describe('a file that was changed since', () => {
  const changes: readonly [string, (file: string) => void][] = [
    ['longer', (file) => appendFileSync(file, 'x')],
    ['of the same length', (file) => writeFileSync(file, TEXT.replace('0', '1'))],
    ['gone', (file) => rmSync(file)],
  ];
  test.each(changes)('%s, is not read as if it were the same', async (_name, change) => {
    const { bed, inbox, get } = await open();
    const run = (await get('/send')).headers.get('x-weft-run') as string;
    const holder = { kind: 'run', id: run } as const;
    const [handle] = await bed.ctx.files.of(holder);
    const stored = await bed.ctx.files.find(handle as string, holder);
    change(join(inbox, 'big.txt'));
    const reading = async (): Promise<void> => {
      for await (const _ of await bed.ctx.files.read(stored as never));
    };
    await expect(reading()).rejects.toMatchObject({ code: 'file_changed' });
  });
});

test('a durable run, and whatever keeps a file beyond its run, have a copy, which stays as it was', async () => {
  const { bed, inbox, get } = await open();
  expect(await (await get('/lasting')).text()).toBe(TEXT);
  expect(copies(bed)).toHaveLength(1);
  await (await get('/kept')).arrayBuffer();
  expect(copies(bed)).toHaveLength(2);
  const { ctx } = bed;
  const [holder] = await ctx.files.holders('state');
  const [handle] = await ctx.files.of(holder as never);
  rmSync(join(inbox, 'big.txt'));
  const stored = await ctx.files.find(handle as string, holder as never);
  let length = 0;
  for await (const piece of await ctx.files.read(stored as never)) length += piece.length;
  expect(length).toBe(TEXT.length);
});
