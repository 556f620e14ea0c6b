import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createRunLinks } from '../durable/run-links.ts';

const tokenOf = (url: string) => new URL(url, 'http://x').searchParams.get('token') ?? '';

test('an address fits its own run, also after a restart, and no other', () => {
  const db = new DatabaseSync(':memory:');
  const links = createRunLinks(db);
  const token = tokenOf(links.of('run-1'));
  expect(links.of('run-1')).toMatch(/^\/api\/v1\/run-status\/run-1\?token=[\w-]{43}$/);
  expect(createRunLinks(db).fits('run-1', token)).toBe(true);
  expect(links.fits('run-2', token)).toBe(false);
  for (const wrong of ['', 'x', token.slice(1), `A${token.slice(1)}x`])
    expect(links.fits('run-1', wrong)).toBe(false);
  expect(createRunLinks(new DatabaseSync(':memory:')).fits('run-1', token)).toBe(false);
});
