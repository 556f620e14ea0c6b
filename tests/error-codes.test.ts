import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable } from '#shared/errors.ts';
import { root } from './support/server.ts';

/** Descriptions name codes without throwing them. */
const isOther = /\.test\.ts$|\/\.cache\/|\/testing\/|^server\/openapi\//;

const sources = ['engine', 'server'].flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .map((path) => `${room}/${path}`)
    .filter((path) => path.endsWith('.ts') && !isOther.test(path)),
);
const text = sources.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
const codes = new Set(Object.keys(errorTable));

test('every code of the table is one that something can fail with', () => {
  const unused = [...codes].filter((code) => !new RegExp(`['"\`]${code}['"\`]`).test(text));
  expect(unused).toEqual([]);
});

test('every code that is thrown is in the table', () => {
  const thrown = [...text.matchAll(/new (?:WeftError|ServiceError)\(\s*'([^']+)'/g)].map(([, code]) => code);
  expect(thrown.length).toBeGreaterThan(100);
  expect(thrown.filter((code) => !codes.has(code as string))).toEqual([]);
});
