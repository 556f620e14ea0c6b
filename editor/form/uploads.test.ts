import { expect, test } from 'vitest';
import { counted, createUploads, isUploading } from './uploads.ts';

test('a form waits until all of its uploads have ended, also those that fail', async () => {
  const uploads = createUploads();
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  expect(isUploading(uploads.getState())).toBe(false);
  const [done, refused] = [counted(uploads, first.promise), counted(uploads, second.promise)];
  expect(isUploading(uploads.getState())).toBe(true);
  first.resolve('a.pdf');
  await expect(done).resolves.toBe('a.pdf');
  expect(isUploading(uploads.getState()), 'the other one is still on its way').toBe(true);
  second.reject(new Error('too large'));
  await expect(refused).rejects.toThrow('too large');
  expect(isUploading(uploads.getState())).toBe(false);
});
