import { expect, test } from 'vitest';
import { aBody } from '../../chat/apps/testing/an-app.ts';
import { startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

test('the owner of a page lists its conversations and deletes one, and no others', async () => {
  const bed = await startBed();
  const made = await bed.ctx.apps.create(aBody('Any'));
  const params = { app_code: made.app_code };
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  const begin = (id: string) => ({ id, user: undefined, target: `app:${made.app_code}` });
  await bed.ctx.conversations.add(`page:${made.app_code}`, begin('one'), messages);
  await bed.ctx.conversations.add('page:other', begin('two'), messages);
  const { call } = await routeCaller(bed);
  const list = () => call('GET /api/v1/apps/:app_code/page/conversations', { params });
  const remove = (id: string) =>
    call('DELETE /api/v1/apps/:app_code/page/conversations/:id', { params: { ...params, id } });
  expect(await list()).toMatchObject({ conversations: [{ id: 'one', title: 'Hello' }] });
  const search = (words: string) =>
    call('GET /api/v1/apps/:app_code/page/conversations', { params, query: `?limit=9&words=${words}` });
  expect(await search('hello')).toMatchObject({ conversations: [{ id: 'one' }] });
  expect(await search('absent')).toEqual({ conversations: [] });
  await expect(remove('two')).rejects.toThrow();
  expect(await remove('one')).toBeNull();
  expect(await list()).toEqual({ conversations: [] });
});
