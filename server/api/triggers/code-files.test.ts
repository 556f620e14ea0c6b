import { expect, test } from 'vitest';
import type { FileValue } from '#shared/file.ts';
import { fileBed } from './testing/file-bed.ts';

const code = (source: string) => ({ operator: 'code.run', params: { source } });

test('code reads a file as bytes and text, and makes one', async () => {
  const bed = await fileBed({
    turn: {
      trigger: { accept: ['bytes'] },
      nodes: {
        code: code(`const f = ctx.file(input), bytes = await f.bytes();
          const part = await f.bytes({ start: 1, end: 3 });
          const made = await ctx.newFile({ name: 'b.txt', type: 'text/plain', bytes: Buffer.from(bytes).reverse() });
          return { name: f.name, size: f.size, text: await f.text(), part: [...part], back: await ctx.file(made).text(), made };`),
      },
    },
  });
  const { body } = await call(bed.url, 'turn', 'abcde', 'a.txt');
  expect(body).toMatchObject({
    name: 'a.txt',
    size: 5,
    text: 'abcde',
    part: [98, 99],
    back: 'edcba',
    made: { name: 'b.txt', type: 'text/plain', bytes: 5 },
  });
});

test('code opens no file of another run, and none that is too large at once', async () => {
  const bed = await fileBed({
    keep: {
      trigger: { accept: ['bytes'], limits: { fileBytes: 5_000_000 } },
      nodes: { code: code('return { file: input };') },
    },
    forge: { trigger: {}, nodes: { code: code('return await ctx.file(input.body ?? input).text();') } },
    large: {
      trigger: { accept: ['bytes'], limits: { fileBytes: 5_000_000 } },
      nodes: { code: code('return (await ctx.file(input).bytes()).length;') },
    },
    parts: {
      trigger: { accept: ['bytes'], limits: { fileBytes: 5_000_000 } },
      nodes: { code: code('return (await ctx.file(input).bytes({ start: 4_000_000 })).length;') },
    },
  });
  const { body } = await call(bed.url, 'keep', 'secret', 'a.txt');
  const { file } = body as { file: FileValue };
  const forged = await call(bed.url, 'forge', JSON.stringify(file));
  expect([forged.status, forged.body]).toEqual([
    404,
    expect.objectContaining({ error: expect.objectContaining({ code: 'file_not_found' }) as unknown }),
  ]);
  const large = 'x'.repeat(4_100_000);
  expect(JSON.stringify((await call(bed.url, 'large', large, 'l.txt')).body)).toContain('value_too_large');
  expect((await call(bed.url, 'parts', large, 'l.txt')).body).toBe(100_000);
});

/** As a file with this name, or as JSON. */
async function call(url: string, id: string, body: string, name?: string) {
  const headers: Record<string, string> =
    name === undefined
      ? { 'content-type': 'application/json' }
      : { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${name}"` };
  const answer = await fetch(`${url}/api/v1/awel/trigger/${id}`, { method: 'POST', body, headers });
  return { status: answer.status, body: (await answer.json()) as unknown };
}
