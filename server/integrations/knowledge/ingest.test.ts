import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { expectWhole, run } from './testing/killed-ingest.ts';

// Other moments, and PostgreSQL, are in `ingest.full.test.ts`.
test('the next process finishes the work of a killed one by itself', {
  timeout: 60_000,
}, async () => {
  const data = await tempFolder();
  const { lines } = await run(data, 0, 5);
  expect(lines).toContain('put 0');
  const next = await run(data, 0, Number.POSITIVE_INFINITY);
  expect(next.lines.at(-1)).toBe('done');
  expectWhole(data, 0);
});
