import { expect, test } from 'vitest';
import { catalog } from '../testing/catalog.ts';
import { type PastedText, readText } from './paste-text.ts';

const read = (text: string): PastedText => {
  const pasted = readText(text, catalog);
  if (typeof pasted === 'string') throw new Error(pasted);
  return pasted;
};
const nodes = (text: string) => read(text).clip.nodes;

test('a flow becomes its nodes, placed by its edges', () => {
  const flow = {
    format: 1,
    id: 'small',
    nodes: {
      start: { operator: 'trigger.http', params: { path: '/x' } },
      say: { operator: 'text.template' },
    },
    edges: [{ from: 'start.out', to: 'say.in' }],
  };
  const { clip, what } = read(JSON.stringify(flow));
  expect(what).toBe('the flow “small”');
  expect(Object.keys(clip.nodes)).toEqual(['start', 'say']);
  expect(clip.edges).toEqual(flow.edges);
  expect(clip.places['say']?.x).toBeGreaterThan(clip.places['start']?.x ?? 0);
});

test('a curl command or an address becomes a request; a password is left out and told', () => {
  expect(nodes(`$ curl -X PUT https://a.example/x -H 'Accept: text/plain'`)).toMatchObject({
    request: { operator: 'http.request', params: { method: 'PUT', url: 'https://a.example/x' } },
  });
  expect(nodes(' https://a.example/x?y=1 ')).toMatchObject({ request: { params: { method: 'GET' } } });
  const { clip, notes } = read(`curl https://a.example -u me:hunter2`);
  expect(JSON.stringify(clip)).not.toContain('hunter2');
  expect(notes[0]).toMatch(/^Its credential is not pasted: store it as the secret /);
});

test('JSON becomes a fixed value', () => {
  expect(nodes('[{"a": 1}]')).toEqual({ input: { operator: 'core.input', params: { value: [{ a: 1 }] } } });
  expect(read('{"a": "{{ b }}"}').notes).toEqual(['Text in {{ }} is an expression here.']);
});

test.each([
  ['SELECT id FROM orders;', 'sql.query', 'SELECT id FROM orders'],
  [
    '-- all\nwith x as (select 1) select * from x',
    'sql.query',
    '-- all\nwith x as (select 1) select * from x',
  ],
  ['insert into orders (id) values (1)', 'sql.execute', 'insert into orders (id) values (1)'],
  ['CREATE TABLE t (id int)', 'sql.execute', 'CREATE TABLE t (id int)'],
])('%s is a statement', (text, operator, sql) => {
  expect(Object.values(nodes(text))).toEqual([{ operator, params: { sql } }]);
});

test('a table becomes a text that is parsed, whatever is between its fields', () => {
  const { clip } = read('name,note\nAda,"first, and best"\n');
  expect(clip.nodes).toMatchObject({ rows: { operator: 'text.parse-csv', params: {} } });
  expect(clip.edges).toEqual([{ from: 'table.out', to: 'rows.in' }]);
  expect(nodes('name\tage\nAda\t36')).toMatchObject({ rows: { params: { delimiter: '\t' } } });
});

test.each([
  ['', 'The clipboard is empty.'],
  ['Select a node, then another one.', 'This text is not a flow, a curl command'],
  ['Hello, you\nand others', 'This text is not a flow, a curl command'],
  ['{"a": ', 'This looks like JSON, but cannot be read'],
  ['{"nodes": [], "connections": {}}', 'This is a workflow of another product'],
  ['{"format": 1, "id": "x", "nodes": {"a": {}}, "edges": []}', 'This flow cannot be read'],
  ['curl', 'This text is not a flow'],
  ['curl -X', ''],
])('%j becomes nothing, and the reason is told', (text, reason) => {
  const pasted = readText(text, catalog);
  expect(typeof pasted).toBe('string');
  expect(pasted).toContain(reason);
});

test('data that are too large for a flow are to stay a file', () => {
  expect(readText(JSON.stringify(['x'.repeat(600_000)]), catalog)).toContain('larger than 500 kB');
});
