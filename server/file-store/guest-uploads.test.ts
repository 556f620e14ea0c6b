import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { isThere } from '../after-runs/sweep-files.ts';
import { signIn, startBed, tempFolder } from '../testing/platform-bed.ts';
import { formOf } from '../triggers/testing/file-bed.ts';
import { callerUploads, createUploads } from './held-values.ts';

async function content(bytes: number) {
  return (async function* () {
    yield new Uint8Array(bytes);
  })();
}

test('what people without a login upload is kept until all of it takes too much, and from then on again when it is gone', async () => {
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

test('one stranger takes a tenth of that at most, whatever names they use', async () => {
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

test('a caller of chats has a total, which the files of others do not take', async () => {
  const { ctx } = await startBed();
  const uploads = createUploads(ctx.files, Date.now, { chatBytes: 10 });
  const keep = async (owner: string): Promise<boolean> => {
    const { value } = await ctx.files.add({ content: await content(10) });
    return uploads.keepForChat(callerUploads({ owner }), [value.$file]);
  };
  expect([await keep('ann'), await keep('ann'), await keep('bob')]).toEqual([true, false, true]);
});

test('a public page says that it takes no more files, and goes on without them', async () => {
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
