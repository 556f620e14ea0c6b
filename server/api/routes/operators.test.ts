import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Catalog } from '#shared/catalog.ts';
import { makeRegistry } from '#engine';
import { builtIns } from '../../../engine/testing/play.ts';
import { signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';

/** The drawings that the editor receives for operators with these icons. */
async function drawingsOf(
  icons: Readonly<Record<string, string>>,
  editorFiles: string,
): Promise<Record<string, string | undefined>> {
  const template = builtIns.operators.get('text.template');
  if (template === undefined) throw new Error('There is no text.template.');
  const operators = Object.entries(icons).map(([type, icon]) => [type, { ...template, icon }] as const);
  const bed = await startBed({}, { registry: makeRegistry(new Map(operators)), editorFiles });
  const answer = await fetch(`${bed.url}/api/v1/operators`, { headers: await signIn(bed) });
  const { data } = (await answer.json()) as { data: Catalog };
  return Object.fromEntries(Object.entries(data.operators).map(([type, { drawing }]) => [type, drawing]));
}

const icons = {
  'my.named': 'ship',
  'my.drawn': 'm4 20 8-16 8 16z',
  'my.unknown': 'of-my-own',
  'my.text': 'M12 <script>',
};

test('an operator comes with the drawing that its icon names, or with its own', async () => {
  const editor = await tempFolder();
  await writeFile(join(editor, 'icons.json'), '{"ship": "M1 2L3 4", "box": "M5 6L7 8"}');
  expect(await drawingsOf(icons, editor)).toEqual({ 'my.named': 'M1 2L3 4', 'my.drawn': 'm4 20 8-16 8 16z' });
});

test('where no editor was built names have no drawing', async () => {
  expect(await drawingsOf(icons, '/nonexistent')).toEqual({ 'my.drawn': 'm4 20 8-16 8 16z' });
});

test('a browser keeps the catalog and is not sent it again', async () => {
  const bed = await startBed({});
  const headers = await signIn(bed);
  const first = await fetch(`${bed.url}/api/v1/operators`, { headers });
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  const known = { ...headers, 'if-none-match': first.headers.get('etag') ?? '' };
  const again = await fetch(`${bed.url}/api/v1/operators`, { headers: known });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const stranger = await fetch(`${bed.url}/api/v1/operators`, {
    headers: { 'if-none-match': known['if-none-match'] },
  });
  expect(stranger.status).toBe(401);
});
