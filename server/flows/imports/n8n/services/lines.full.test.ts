import { expect, test } from 'vitest';
import { findingsOf } from '../../../../../engine/check/check.ts';
import { render } from '../../../../../engine/expr/testing/evaluate.ts';
import { allLines } from './all-lines.ts';
import { ELSEWHERE, importedShort } from '../testing/service-bed.ts';

/** Each line of data becomes a request that `check` accepts, and says each param that the line names. */

const lines = Object.entries(allLines).flatMap(([kind, { operations, by = 'operation' }]) =>
  Object.entries(operations).map(([name, line]) => [kind, name, line, by] as const),
);

interface Named {
  readonly path: string;
  readonly way: string | undefined;
  /** Only matters to the form there. */
  readonly isSeen: boolean;
}

/** The params that a line names, each once. */
function namedIn(line: string): Named[] {
  const [request = ''] = line.split(' -> ');
  const [, address = '', ...words] = request.split(' ');
  const inAddress = [...address.matchAll(/\{(?!secret\})([^}|?]+)(?:\?\?[^}|]*)?(?:\|(\w+))?\}/g)].map(
    ([, path, way]) => ({
      path: path as string,
      way,
      isSeen: false,
    }),
  );
  const others = words.flatMap((word): Named[] => {
    if (/^:|=["!@]/.test(word)) return [];
    if (word.startsWith('...')) return [{ path: `${word.slice(3)}.any`, way: undefined, isSeen: false }];
    const given = word.startsWith('=') ? word.slice(1) : (word.split('=')[1] ?? word);
    const [path = '', way] = given
      .replace(/^[~?^]/, '')
      .replace(/\?\?[^|]*/, '')
      .split('|');
    return [{ path, way, isSeen: word.startsWith('~') }];
  });
  const all = [...inAddress, ...others];
  return all.filter(({ path }, at) => all.findIndex((one) => one.path === path) === at);
}

const TIMES: readonly (string | undefined)[] = ['ms', 'seconds', 'day', 'dmy', 'utc'];
const VALUES: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(TIMES.map((way) => [way, '2026-01-02T03:04:05Z'])),
  json: '{"a":1}',
};

function paramsFor(
  [line, name, by]: readonly [line: string, name: string, by: string],
  valueOf: (named: Named, at: number) => unknown,
) {
  const [resource, operation] = name.split('.');
  const params: Record<string, unknown> = { ...(resource !== '' && { resource }), [by]: operation };
  namedIn(line).forEach((named, at) => {
    const path = named.path.split('.');
    let fields = params;
    for (const key of path.slice(0, -1)) fields = (fields[key] ??= {}) as Record<string, unknown>;
    fields[path.at(-1) as string] = valueOf(named, at);
  });
  return params;
}

const nodeOf = (kind: string, parameters: Record<string, unknown>, isMany: boolean) =>
  importedShort({
    nodes: {
      Hook: ['webhook@2', { path: 'job', httpMethod: 'POST', responseMode: 'lastNode' }],
      ...(isMany && { List: ['splitOut@1', { fieldToSplitOut: 'body' }] as const }),
      Node: [kind, parameters, { credentials: { any: { id: '1', name: 'Account' } } }],
    },
    wires: isMany ? ['Hook > List', 'List > Node'] : ['Hook > Node'],
  });

test.each(lines)('%s %s', async (kind, name, line, by) => {
  const fixed = paramsFor([line, name, by], ({ way }, at) => VALUES[way ?? ''] ?? `value_${at}`);
  const worked = paramsFor([line, name, by], (_, at) => `={{ $json.field_${at} }}`);
  for (const [params, isMany] of [
    [fixed, false],
    [worked, true],
  ] as const) {
    const { flows, report } = await nodeOf(kind, params, isMany);
    expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
    expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
    for (const flow of flows) {
      const { catalog } = await import('../testing/service-bed.ts');
      const found = findingsOf(flow, catalog, { routes: [], variables: [], secrets: undefined });
      expect(found.filter(({ code, severity }) => severity !== 'warning' && !ELSEWHERE.has(code))).toEqual(
        [],
      );
    }
    const text = JSON.stringify(flows);
    namedIn(line).forEach(({ isSeen, way, path }, at) => {
      if (isSeen) return;
      const said = isMany
        ? `field_${at}`
        : TIMES.includes(way)
          ? '2026-01-02'
          : way === 'json'
            ? 'json('
            : `value_${at}`;
      expect(text.includes(said), `${path} of ${line}`).toBe(true);
    });
  }
});

test('the limit of a list is no larger than the service allows, and that is told', async () => {
  const { flows, report } = await nodeOf('asana', { operation: 'getAll', returnAll: true }, false);
  const node = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'http.request');
  expect(node?.params?.['query']).toEqual({ limit: 100 });
  expect(report.changes.map(({ message }) => message)).toContain(
    'It read everything; here it reads at most 100. http.pages reads more.',
  );
});

/** The request of a node with these settings. */
async function requestOf(kind: string, parameters: Record<string, unknown>) {
  const { flows } = await nodeOf(kind, parameters, false);
  return Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'http.request')?.params;
}

test('what a form proposes, and a file leaves out, is sent', async () => {
  const decodo = '@decodo/n8n-nodes-decodo.decodo';
  expect(await requestOf(decodo, { url: 'https://example.com' })).toMatchObject({
    url: 'https://scraper-api.decodo.com/v2/scrape',
    body: { target: 'universal', url: 'https://example.com', headless: '{{ "html" }}' },
  });
  expect((await requestOf(decodo, { url: 'https://example.com', headless: false }))?.['body']).toEqual({
    target: 'universal',
    url: 'https://example.com',
  });
  expect(
    (await requestOf(decodo, { target: 'google_search', query: 'tea', results_limit: 5 }))?.['body'],
  ).toMatchObject({ target: 'google_search', query: 'tea', parse: true, limit: 5 });
  const serp = 'n8n-nodes-serpapi.serpApi';
  expect((await requestOf(serp, { q: 'tea' }))?.['query']).toEqual({ engine: 'google', q: 'tea' });
  expect((await requestOf(serp, { operation: 'google_maps', q: 'tea' }))?.['query']).toEqual({
    ...{ engine: 'google_maps', q: 'tea', type: 'search' },
  });
});

test('Trello gets all of it in the query, as it describes it', async () => {
  const made = await requestOf('trello', { name: 'Buy tea', listId: 'l1', description: 'Green' });
  expect(made).toMatchObject({ method: 'POST', query: { idList: 'l1', name: 'Buy tea', desc: 'Green' } });
  expect(made?.['body']).toBeUndefined();
});

test('a path keeps its slashes', async () => {
  const download = await requestOf('nextCloud', { operation: 'download', path: '/a b/c#1.txt' });
  expect(render(String(download?.['url']), {})).toBe('/a%20b/c%231.txt');
  const upload = await requestOf('nextCloud', {
    path: '/a b/d.txt',
    fileContent: 'x',
    binaryDataUpload: false,
  });
  expect(render(String(upload?.['url']), {})).toBe('/a%20b/d.txt');
});

test('an address without its param is a placeholder', async () => {
  const { report } = await nodeOf('trello', { operation: 'get', id: '' }, false);
  expect(report.nodes.find(({ name }) => name === 'Node')).toMatchObject({
    word: 'placeholder',
    difference: 'It cannot be taken over: id is not set.',
  });
});
