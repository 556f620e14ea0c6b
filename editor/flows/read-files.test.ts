import { expect, test } from 'vitest';
import { readFiles } from './read-files.ts';

const good = JSON.stringify({ format: 1, id: 'hello', nodes: { a: { operator: 'core.map' } }, edges: [] });

test('a flow is read with the layout that came along', async () => {
  const layout = JSON.stringify({ format: 1, nodes: { a: { x: 1, y: 2 } } });
  const files = [
    { name: 'hello.layout.json', text: layout },
    { name: 'hello.json', text: good },
  ];
  expect(await readFiles(files)).toEqual([
    {
      name: 'hello.json',
      flow: expect.objectContaining({ id: 'hello' }),
      layout: expect.objectContaining({ nodes: { a: { x: 1, y: 2 } } }),
    },
  ]);
});

test('a broken layout is left away', async () => {
  const files = [
    { name: 'hello.json', text: good },
    { name: 'hello.layout.json', text: '{' },
  ];
  expect(await readFiles(files)).toMatchObject([{ flow: { id: 'hello' }, layout: undefined }]);
});

test('a bad file is told with the place where it breaks', async () => {
  const [read] = await readFiles([{ name: 'bad.json', text: '{\n  "format": 1,\n  "id": }' }]);
  expect(read).toMatchObject({ name: 'bad.json', problems: [{ line: 3, message: expect.any(String) }] });
});

test('JSON that is no flow is refused with all that is missing', async () => {
  const [read] = await readFiles([{ name: 'other.json', text: '{"name": "x"}' }]);
  expect(read && 'problems' in read && read.problems.length).toBeGreaterThan(0);
});

test('a layout alone is refused', async () => {
  expect(await readFiles([{ name: 'x.layout.json', text: '{}' }])).toMatchObject([
    { name: 'x.layout.json', problems: [{ message: expect.stringContaining('x.json') }] },
  ]);
});
