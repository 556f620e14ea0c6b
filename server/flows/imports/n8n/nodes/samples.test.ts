import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { startBed, tempFolder } from '../../../../testing/platform-bed.ts';
import {
  behindItems,
  errorsIn,
  importedShort,
  type Node,
  postTo,
  shareServer,
} from '../testing/service-bed.ts';

shareServer();

/** Small nodes that run here: customers of the course, trials, tokens, charts, files by a pattern and watched ones. */

async function imported([kind, parameters]: Node) {
  const { flows, report } = await importedShort(behindItems([kind, parameters]));
  const words = report.nodes.filter(({ word }) => word === 'placeholder').map(({ difference }) => difference);
  return { flow: flows[0] as Flow, report, words, errors: errorsIn(flows) };
}

async function run(
  node: Node,
  items: unknown = [{}],
  settings?: Parameters<typeof postTo>[3],
): Promise<unknown> {
  const { flow, words, errors } = await imported(node);
  expect({ words, errors }).toEqual({ words: [], errors: [] });
  return postTo('http://127.0.0.1:1', [formatFlow(flow)], items, settings);
}

test('the customers of the course: one for each item, or a list for each', async () => {
  const one = (await run(['n8nTrainingCustomerDatastore@1', {}], [{}, {}])) as readonly { id: string }[];
  expect(one.map(({ id }) => id)).toEqual(['23423532', '23423532']);
  const few = await run(['n8nTrainingCustomerDatastore@1', { operation: 'getAllPeople', limit: 2 }], [{}]);
  expect(few).toMatchObject([{ name: 'Jay Gatsby' }, { name: 'José Arcadio Buendía', country: 'CO' }]);
  const all = await run(
    ['n8nTrainingCustomerDatastore@1', { operation: 'getAllPeople', returnAll: true }],
    [{}],
  );
  expect(all).toHaveLength(5);
});

test('random data has the fields of its kind', async () => {
  expect(
    await run(['debugHelper@1', { category: 'randomData', randomDataType: 'user', randomDataCount: 3 }]),
  ).toEqual(
    Array.from({ length: 3 }, () => ({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: expect.stringContaining('@example.'),
      firstname: expect.any(String),
      lastname: expect.any(String),
      password: expect.stringMatching(/^\w{12}$/),
    })),
  );
  const given = { category: 'randomData', randomDataSingleArray: true, randomDataCount: 2 };
  expect(
    await run([
      'debugHelper@1',
      { ...given, randomDataType: 'nanoid', nanoidAlphabet: 'ab', nanoidLength: '4' },
    ]),
  ).toEqual([{ generatedItems: [1, 2].map(() => ({ nanoId: expect.stringMatching(/^[ab]{4}$/) })) }]);
});

test('an error is thrown with its message, and nothing goes on behind nothing', async () => {
  const { flows } = await importedShort(
    behindItems(
      ['debugHelper@1', { throwErrorMessage: '=Bad {{ $json.n }}' }, { onError: 'continueErrorOutput' }],
      {
        nodes: { Caught: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }] },
        wires: ['Node.1 > Caught'],
      },
    ),
  );
  expect(errorsIn(flows)).toEqual([]);
  expect(await postTo('http://127.0.0.1:1', [formatFlow(flows[0] as Flow)], [{ n: 7 }])).toEqual([
    { error: expect.stringContaining('Bad 7') },
  ]);
  expect(await run(['debugHelper@1', { category: 'doNothing' }])).toEqual([]);
  expect((await imported(['debugHelper@1', { category: 'oom' }])).words).toHaveLength(1);
});

const secrets = (value: string) => ({
  secrets: { jwt: value },
  grants: { jwt: { operators: ['code.run'] } },
});
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmac = (text: string, key: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

test('a token is decoded without a key', async () => {
  const text = `${part({ alg: 'HS256' })}.${part({ sub: 'ada' })}.x`;
  expect(
    await run(['jwt@1', { operation: 'decode', token: '={{ $json.t }}' }], [{ t: text }, { t: 'no' }]),
  ).toEqual([{ payload: { sub: 'ada' } }, { payload: null }]);
  expect(
    await run(
      ['jwt@1', { operation: 'decode', token: '={{ $json.t }}', options: { complete: true } }],
      [{ t: text }],
    ),
  ).toEqual([{ header: { alg: 'HS256' }, payload: { sub: 'ada' }, signature: 'x' }]);
});

test('a token is signed and verified with the key of a secret', async () => {
  const sign: Node = [
    'jwt@1',
    { useJson: true, claimsJson: '={{ { who: $json.who } }}', options: { algorithm: 'HS256', kid: 'k1' } },
  ];
  const [{ token }] = (await run(sign, [{ who: 'ada' }], secrets('key'))) as [{ token: string }];
  const [head = '', payload = '', signature] = token.split('.');
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({
    alg: 'HS256',
    typ: 'JWT',
    kid: 'k1',
  });
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    who: 'ada',
    iat: expect.any(Number),
  });
  expect(signature).toBe(hmac(`${head}.${payload}`, 'key'));
  const verify: Node = ['jwt@1', { operation: 'verify', token: '={{ $json.t }}' }];
  expect(await run(verify, [{ t: token }], secrets('key'))).toEqual([
    { payload: { who: 'ada', iat: expect.any(Number) } },
  ]);
});

test.each([
  ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['PS384', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
] as const)('a token of %s is signed with a key in PEM', async (algorithm, pair) => {
  const { privateKey, publicKey } = pair();
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const [{ token }] = (await run(
    ['jwt@1', { claims: { sub: 'ada' }, options: { algorithm } }],
    [{}],
    secrets(pem),
  )) as [{ token: string }];
  const own = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const verify: Node = ['jwt@1', { operation: 'verify', token: '={{ $json.t }}', options: { algorithm } }];
  expect(await run(verify, [{ t: token }], secrets(own))).toMatchObject([{ payload: { sub: 'ada' } }]);
});

test('a token that is old, early or another’s fails, unless its time does not count', async () => {
  const made = (payload: object, key = 'key'): string => {
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(payload)}`;
    return `${text}.${hmac(text, key)}`;
  };
  const { flow, errors } = await imported([
    'jwt@1',
    { operation: 'verify', token: '={{ $json.t }}', options: { ignoreNotBefore: true, clockTolerance: 60 } },
  ]);
  expect(errors).toEqual([]);
  const texts = [
    made({ exp: 1 }),
    made({ a: 1 }, 'other'),
    'x',
    made({ nbf: 9e9, exp: Date.now() / 1000 - 9 }),
  ];
  const outcomes = await Promise.all(
    texts.map(async (t) =>
      postTo('http://127.0.0.1:1', [formatFlow(flow)], [{ t }], secrets('key')).then(
        (value) => JSON.stringify(value),
        (error: Error) => error.message,
      ),
    ),
  );
  expect(outcomes).toEqual([
    expect.stringContaining('jwt expired'),
    expect.stringContaining("can't be verified"),
    expect.stringContaining('jwt malformed'),
    expect.stringContaining('"nbf":9000000000'),
  ]);
});

test('the points of a box plot have the name that QuickChart gives them, and an empty label is “Chart”', async () => {
  const { flow } = await imported([
    'quickChart@1',
    { chartType: 'boxplot', data: '[1, 2]', datasetOptions: { pointStyle: 'star', label: '' } },
  ]);
  const [dataset] = Object.values(flow.nodes).flatMap(({ params }) => {
    const value = params?.['value'];
    return typeof value === 'object' && value !== null && 'dataset' in value ? [value.dataset] : [];
  });
  expect(dataset).toMatchObject({ label: 'Chart', itemStyle: 'star', type: 'boxplot' });
});

test('a chart has a dataset for each item', async () => {
  const { flow, words, errors } = await imported([
    'quickChart@1',
    {
      chartType: 'bar',
      labelsMode: 'array',
      labelsArray: '["a", "b"]',
      data: '={{ $json.values }}',
      chartOptions: { horizontal: true, format: 'svg', width: 300 },
      datasetOptions: { label: '={{ $json.name }}' },
      output: 'picture',
    },
  ]);
  expect({ words, errors }).toEqual({ words: [], errors: [] });
  const request = Object.values(flow.nodes).find(({ operator }) => operator === 'http.request');
  expect(request?.params).toMatchObject({
    url: 'https://quickchart.io/chart',
    query: { format: 'svg', width: 300 },
    response: 'file',
  });
  // The request is the only part that leaves the server.
  const id = Object.entries(flow.nodes).find(([, node]) => node === request)?.[0] as string;
  const { [id]: _, ...nodes } = flow.nodes;
  const shown = { ...nodes, [id]: { operator: 'core.map', params: { value: '{{ "picture" }}' } } };
  const edges = flow.edges.map((edge) => ({ ...edge, from: edge.from.replace(`${id}.file`, `${id}.out`) }));
  const drawn = { ...flow, nodes: shown, edges };
  expect(
    await postTo(
      'http://127.0.0.1:1',
      [formatFlow(drawn)],
      [
        { name: 'One', values: [1, 2] },
        { name: 'Two', values: [3, 4] },
      ],
    ),
  ).toEqual([
    {
      chart: {
        type: 'horizontalBar',
        data: {
          labels: ['a', 'b'],
          datasets: [
            { label: 'One', data: [1, 2], type: 'horizontalBar' },
            { label: 'Two', data: [3, 4], type: 'horizontalBar' },
          ],
        },
      },
      picture: 'picture',
    },
  ]);
});

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await tempFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test.each([
  ['/data/*.txt', ['a.txt', 'b.txt']],
  ['data/**/*.{txt,md}', ['a.txt', 'b.txt', 'c.md', 'd.txt']],
  ['./data/?.md', ['c.md']],
  ['data/none*', []],
])('files that fit %s are read', async (fileSelector, names) => {
  const n8n_files = await folderWith({
    'data/a.txt': 'A',
    'data/b.txt': 'B',
    'data/c.md': 'C',
    'data/deep/d.txt': 'D',
    'data/e.pdf': 'E',
  });
  for (const kind of ['readBinaryFiles@1', 'readWriteFile@1'])
    expect(await run([kind, { fileSelector }], [{}], { folders: { n8n_files } })).toEqual(
      names.map((name) => ({ data: expect.objectContaining({ name }) })),
    );
});

test('a pattern with other signs is a placeholder', async () => {
  expect((await imported(['readBinaryFiles@1', { fileSelector: '/data/[ab].txt' }])).words).toHaveLength(1);
  expect((await imported(['readWriteFile@1', { fileSelector: '=/{{ $json.a }}/*.txt' }])).words).toHaveLength(
    1,
  );
});

/** Looks at the files again, as the schedule does each minute. */
async function watching(parameters: Record<string, unknown>, files: Record<string, string>) {
  const { flows, report } = await importedShort({
    nodes: {
      Files: ['localFileTrigger@1', parameters],
      Set: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }],
    },
    wires: ['Files > Set'],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(errorsIn(flows)).toEqual([]);
  const [flow] = flows as [Flow];
  expect(flow.nodes['files']).toMatchObject({ operator: 'trigger.schedule', params: { cron: '* * * * *' } });
  const start = { operator: 'trigger.http', params: { path: '/job', methods: ['POST'], auth: 'none' } };
  const n8n_files = await folderWith(files);
  const folder = await tempFolder();
  await writeFile(join(folder, 'job.json'), formatFlow({ ...flow, nodes: { ...flow.nodes, files: start } }));
  const bed = await startBed({ flows: [folder], folders: { n8n_files } });
  const look = async (): Promise<unknown> => {
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/job`, { method: 'POST' });
    expect(answer.status, await answer.clone().text()).toBe(200);
    return answer.json();
  };
  return { look, at: (path: string) => join(n8n_files, path) };
}

test('files that are added, changed and deleted since the last look', async () => {
  const { look, at } = await watching(
    {
      triggerOn: 'folder',
      path: '/inbox/',
      events: ['add', 'change', 'unlink'],
      options: { ignored: '**/*.tmp' },
    },
    { 'inbox/old.txt': 'old', 'inbox/gone.txt': 'x', 'other/o.txt': 'x' },
  );
  expect(await look()).toEqual([]);
  await writeFile(at('inbox/new.txt'), 'new');
  await writeFile(at('inbox/half.tmp'), 'half');
  await writeFile(at('other/p.txt'), 'p');
  await rm(at('inbox/gone.txt'));
  await writeFile(at('inbox/old.txt'), 'older');
  expect(await look()).toEqual([
    { event: 'add', path: 'inbox/new.txt' },
    { event: 'change', path: 'inbox/old.txt' },
    { event: 'unlink', path: 'inbox/gone.txt' },
  ]);
  expect(await look()).toEqual([]);
});

test('a file that is watched, and folders at a depth', async () => {
  const one = await watching({ triggerOn: 'file', path: '/a/b.txt' }, { 'a/b.txt': '1', 'a/c.txt': '1' });
  expect(await one.look()).toEqual([]);
  await writeFile(one.at('a/b.txt'), '22');
  await writeFile(one.at('a/c.txt'), '22');
  expect(await one.look()).toEqual([{ event: 'change', path: 'a/b.txt' }]);
  const { look } = await watching(
    {
      triggerOn: 'folder',
      path: '/a',
      events: ['addDir', 'add'],
      options: { depth: 1, ignoreInitial: false },
    },
    { 'a/b/c.txt': '1', 'a/b/d/e.txt': '1' },
  );
  expect(await look()).toEqual([
    { event: 'addDir', path: 'a/b' },
    { event: 'addDir', path: 'a/b/d' },
    { event: 'add', path: 'a/b/c.txt' },
  ]);
});
