import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { isThere } from '../../execution/after-runs/sweep-files.ts';
import { signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { formOf } from '../../api/triggers/testing/file-bed.ts';
import { callerUploads, createUploads } from './held-values.ts';

async function content(bytes: number) {
  return (async function* () {
    yield new Uint8Array(bytes);
  })();
}

test('uploads without a login are kept until they exceed their room together, and again once some are gone', async () => {
  const { ctx } = await startBed();
  const now = Date.now();
  const uploads = createUploads(ctx.files, () => now, { guestBytes: 100 });
  const add = async (bytes: number): Promise<string> =>
    (await ctx.files.add({ content: await content(bytes) })).value.$file;
  const [own, first, second, third] = [await add(1000), await add(60), await add(60), await add(1)];
  await uploads.keep(callerUploads({ owner: 'ann' }), [own]);
  expect(await uploads.keepForGuest('page a 1', [first], 'one')).toBe(true);
  expect(await uploads.keepForGuest('page a 1', [first], 'two')).toBe(true);
  expect(await uploads.keepForGuest('form f n x', [second], 'three')).toBe(true);
  expect(await ctx.files.bytesOf('guest')).toBe(120);
  expect(await uploads.keepForGuest('page a 2', [third], 'four')).toBe(false);
  expect(await uploads.find('page a 2', third)).toBeUndefined();
  expect((await uploads.find('page a 1', first))?.value.bytes).toBe(60);
  expect(await uploads.keepForGuest('page a 2', [], 'four')).toBe(true);
  await ctx.files.sweep((holder) => isThere(ctx as never, holder, now + 3 * 86_400_000));
  expect(await uploads.keepForGuest('page a 2', [third], 'four')).toBe(true);
});

test('one stranger gets a tenth of that at most, regardless of the names used', async () => {
  const { ctx } = await startBed();
  let now = Date.now();
  const uploads = createUploads(ctx.files, () => now, { guestBytes: 100 });
  const keep = async (who: string, from: string, bytes = 6): Promise<boolean> => {
    const { value } = await ctx.files.add({ content: await content(bytes) });
    return uploads.keepForGuest(who, [value.$file], from);
  };
  expect(await keep('page a 1', 'mallory')).toBe(true);
  now += 86_400_000;
  expect(await keep('page a 2', 'mallory')).toBe(true);
  expect(await keep('form f n x', 'mallory', 1)).toBe(false);
  expect(await keep('form f n x', 'ann', 1)).toBe(true);
  expect(await ctx.files.bytesOf('guest')).toBe(13);
  now += 86_400_000;
  expect(await keep('page a 3', 'mallory')).toBe(true);
});

test('an upload in progress counts, and no longer when it is held or gone', async () => {
  const { ctx } = await startBed();
  const uploads = createUploads(ctx.files, Date.now, { guestBytes: 100, chatBytes: 10 });
  const rooms = await Promise.all(['a', 'b'].map((from) => uploads.roomForGuest(from)));
  expect(rooms.map((room) => [room.take(6), room.take(6)])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect((await uploads.roomForGuest('a')).take(6)).toBe(false);
  for (const room of rooms) room.release();
  for (const room of rooms) room.release();
  expect((await uploads.roomForGuest('a')).take(6)).toBe(true);
  const many = await Promise.all(Array.from({ length: 20 }, (_, i) => uploads.roomForGuest(`c${i}`)));
  expect(many.filter((room) => room.take(9)).length).toBe(10);
  expect((await uploads.roomForChat('ann')).take(10)).toBe(false);
});

describe('a public form', () => {
  async function openForm() {
    const flows = await tempFolder();
    const files = { name: 'files', type: 'files' };
    const form = {
      operator: 'trigger.form',
      params: {
        path: '/send',
        title: 'Send',
        fields: [files, { name: 'title' }],
        rate: { limit: 1000, by: 'all' },
      },
    };
    const flow = {
      format: 1,
      id: 'send',
      nodes: { form, end: { operator: 'core.map', params: { value: 1 } } },
    };
    const edges = [{ from: 'form.out', to: 'end.in' }];
    await writeFile(join(flows, 'send.json'), JSON.stringify({ ...flow, edges }));
    const bed = await startBed({ flows: [flows], guestFiles: 1_000_000 });
    let stored = 0;
    const { add } = bed.ctx.files;
    vi.spyOn(bed.ctx.files, 'add').mockImplementation(async (file, holder) => {
      async function* counted() {
        for await (const piece of file.content) {
          stored += piece.length;
          yield piece;
        }
      }
      return add.call(bed.ctx.files, { ...file, content: counted() }, holder);
    });
    const post = async (bytes: number, count = 1) => {
      const body = new FormData();
      body.append('data.title', 'Look');
      for (let i = 0; i < count; i++)
        body.append('data.files', new File([new Uint8Array(bytes)], `${i}.bin`));
      return fetch(`${bed.url}/form/send`, { method: 'POST', body, redirect: 'manual' });
    };
    return { bed, post, stored: () => stored };
  }

  test('accepts files of an address until they are too many, and counts those that runs have got', async () => {
    const { bed, post, stored } = await openForm();
    expect((await post(60_000)).status).toBe(303);
    expect(await bed.ctx.files.bytesOf('guest')).toBe(60_000);
    const full = await post(60_000);
    expect(full.status).toBe(503);
    const shown = await full.text();
    expect(shown).toContain('Send the form without files if you can, or try again later.');
    expect(shown).toContain('Look');
    expect((await post(0)).status).toBe(303);
    expect(stored()).toBeLessThan(101_000);
  });

  test('stores no more of an upload than it may keep', async () => {
    const { bed, post, stored } = await openForm();
    for (const count of [1, 3]) expect((await post(5_000_000, count)).status).toBe(503);
    expect(stored()).toBeLessThan(400_000);
    expect(await bed.ctx.files.bytesOf('guest')).toBe(0);
  });
});

test('a caller of chats has a total, which the files of others do not take', async () => {
  const { ctx } = await startBed();
  const uploads = createUploads(ctx.files, Date.now, { guestBytes: 100, chatBytes: 10 });
  const keep = async (owner: string): Promise<boolean> => {
    const { value } = await ctx.files.add({ content: await content(10) });
    return uploads.keepForChat(callerUploads({ owner }), [value.$file]);
  };
  expect([await keep('ann'), await keep('ann'), await keep('bob')]).toEqual([true, false, true]);
});

test('a public page reports that it accepts no more files, and goes on without them', async () => {
  const flows = await tempFolder();
  const bed = await startBed({ flows: [flows] });
  const session = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const flow = {
    format: 1,
    id: 'parrot',
    nodes: {
      chat: { operator: 'trigger.chat' },
      say: { operator: 'text.template', params: { template: 'You said {{ input.text }}' } },
    },
    edges: [{ from: 'chat.out', to: 'say.in' }],
  };
  const send = async (method: string, path: string, body: object) => {
    const init = { method, headers: session, body: JSON.stringify(body) };
    const answer = await fetch(bed.url + path, init);
    expect(answer.status).toBeLessThan(300);
    return (await answer.json()) as { data: { app_code: string } };
  };
  await send('POST', '/api/v1/flows', { flow });
  const layout = { team_mode: 'awel_layout', team_context: 'parrot', language: 'en' };
  const app = { app_name: 'A', app_describe: 'Answers.', ...layout };
  const { app_code: code } = (await send('POST', '/api/v2/serve/apps', app)).data;
  await send('PUT', `/api/v1/apps/${code}/page`, { open: true, perMinute: 100, files: true });
  vi.spyOn(bed.ctx.uploads, 'keepForGuest').mockImplementation(async (_who, { length }) => length === 0);
  const form = () => formOf({ conversation: randomUUID(), text: 'Look', files: new File(['a'], 'a.txt') });
  const post = (path: string) => fetch(`${bed.url}/talk/${code}${path}`, { method: 'POST', body: form() });
  const uploaded = await post('/files');
  expect([uploaded.status, await uploaded.json()]).toMatchObject([503, { err_code: 'uploads_full' }]);
  const page = await post('');
  expect(page.status).toBe(503);
  const shown = await page.text();
  expect(shown).toContain('No more files are taken here for now');
  expect(shown).toContain('Look');
  expect(shown).not.toContain('a.txt');
});
