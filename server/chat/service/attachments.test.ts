import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { isThere } from '../../execution/after-runs/sweep-files.ts';
import { createDiskBlobs } from '../../storage/file-store/disk-blobs.ts';
import { createFiles, type Holder, UNHELD_MS } from '../../storage/file-store/files.ts';
import { conversationHolder, createUploads } from '../../storage/file-store/held-values.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createAnswerFiles } from './attachments.ts';
import { conversationsWithFiles, MAX_MESSAGES } from './conversations.ts';
import { createSqlConversations } from './sql-conversations.ts';

/** Files and conversations of one data folder, with a clock of the test. */
async function bed() {
  let time = Date.parse('2026-01-01');
  const now = (): number => time;
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const files = createFiles({ sql, blobs: createDiskBlobs(await tempFolder()), now });
  const conversations = conversationsWithFiles(createSqlConversations(sql, now), files);
  const gone = { get: async () => undefined, requestOf: () => undefined };
  const deps = { runs: gone, durable: gone, state: gone, conversations } as never;
  return {
    files,
    conversations,
    uploads: createUploads(files, now, { guestBytes: 1e9 }),
    add: async (text: string, holder?: Holder) =>
      (await files.add({ name: 'a.txt', content: Readable.from([Buffer.from(text)]) }, holder)).value,
    /** Two days later. */
    async sweep(): Promise<number> {
      await files.sweep((holder) => isThere(deps, holder, time));
      time += 2 * UNHELD_MS;
      return files.sweep((holder) => isThere(deps, holder, time));
    },
  };
}

const begin = { id: 'c', user: undefined, target: 'demo/echo' };

test('a message that made room for newer ones releases its files', async () => {
  const { conversations, files, add, sweep } = await bed();
  const [old, last] = [await add('one'), await add('two')];
  const say = (sent: (typeof old)[]) =>
    conversations.add('me', begin, [{ role: 'user', content: 'Look', files: sent }]);
  await say([old]);
  for (let n = 1; n < MAX_MESSAGES; n++) await say(n === 100 ? [last] : []);
  const holder = conversationHolder({ owner: 'me', conversation: 'c' });
  expect((await files.of(holder)).sort()).toEqual([old.$file, last.$file].sort());
  await say([]);
  expect(await files.of(holder)).toEqual([last.$file]);
  expect(await sweep()).toBe(1);
  expect(await files.find(last.$file, holder)).toMatchObject({ value: last });
});

test('a conversation holds the files of its messages as long as it exists', async () => {
  const { conversations, uploads, files, add, sweep } = await bed();
  const [kept, forgotten] = [await add('one'), await add('two')];
  await uploads.keep('me', [kept.$file, forgotten.$file]);
  await conversations.add('me', begin, [{ role: 'user', content: 'Look', files: [kept] }]);
  expect(await sweep()).toBe(1);
  const holder = conversationHolder({ owner: 'me', conversation: 'c' });
  expect(await files.find(kept.$file, holder)).toMatchObject({ value: kept });
  expect(await files.find(kept.$file, { ...holder, id: '["you","c"]' })).toBeUndefined();
  expect((await conversations.get('me', 'c'))?.messages[0]?.files).toEqual([kept]);

  expect(await conversations.remove('me', 'c')).toBe(true);
  expect(await files.find(kept.$file, holder)).toBeUndefined();
  // It has no other holder, so it is not even kept for the day.
  await expect(files.read({ value: kept, blob: 'x', sha256: '' })).rejects.toMatchObject({
    code: 'file_gone',
  });
  expect(await sweep()).toBe(0);
});

test('a file of two conversations stays with the other one', async () => {
  const { conversations, files, add, sweep } = await bed();
  const file = await add('one');
  const said = [{ role: 'user', content: '', files: [file] }] as const;
  await conversations.add('me', begin, said);
  await conversations.add('me', { ...begin, id: 'd' }, said);
  await conversations.remove('me', 'c');
  expect(await sweep()).toBe(0);
  const holder = conversationHolder({ owner: 'me', conversation: 'd' });
  expect(await files.find(file.$file, holder)).toBeDefined();
  // Its title is the name of the file, because there is no text.
  expect((await conversations.list('me', { limit: 1 }))[0]?.title).toBe('a.txt');
});

test('an answer shows only the files that its run holds, with their stored facts', async () => {
  const { files, uploads, add } = await bed();
  const run = { id: 'r' };
  const own = await add('one', { kind: 'run', id: 'r' });
  const other = await add('two', { kind: 'run', id: 'other' });
  const answer = createAnswerFiles(
    { files, uploads },
    { run, uploader: 'me', link: ({ $file }) => `/f/${$file}` },
  );
  const claimed = { ...own, name: 'evil](http://x)', type: 'image/png' };
  expect(await answer.shown({ type: 'file', file: claimed })).toEqual({
    type: 'text',
    text: `\n\n[a.txt](/f/${own.$file})\n\n`,
  });
  expect(await answer.shown({ type: 'file', file: other })).toEqual({
    type: 'text',
    text: JSON.stringify(other),
  });
  expect(answer.files).toEqual([own]);
  expect(await uploads.find('me', own.$file)).toBeDefined();
  expect(await uploads.find('me', other.$file)).toBeUndefined();
});
