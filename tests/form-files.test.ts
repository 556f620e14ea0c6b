import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, ask, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { type NodeJson, write } from './support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';

/** Files in the pages of forms, sent as browsers without scripts send them. */
let server: TestServer;
let owner: Owner;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const FIELDS = [
  { name: 'title', required: true },
  { name: 'photo', label: 'A photo', type: 'file', required: true, accept: ['image/png'], maxBytes: 1000 },
  { name: 'notes', type: 'files', accept: ['text/*'], maxBytes: 500 },
];
const rate = { limit: 1000, by: 'all' };

interface Params {
  readonly settings?: object;
  readonly [param: string]: unknown;
}

beforeAll(async () => {
  const flows = tempFolder('flows');
  const add = (id: string, { settings = {}, ...params }: Params, ...more: NodeJson[]): void => {
    const form = {
      operator: 'trigger.form',
      params: { path: `/${id}`, title: id, fields: FIELDS, rate, ...params },
    };
    const nodes = { form, ...Object.fromEntries(more.map((node, i) => [`n${i}`, node])) };
    const names = Object.keys(nodes);
    const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` }));
    write(flows, `${id}.json`, { format: 1, id, settings: { record: 'full', ...settings }, nodes, edges });
  };
  const first = (of: string): NodeJson => ({ operator: 'core.map', params: { value: `{{ ${of}[0] }}` } });
  const read = { operator: 'file.to-text' };
  add('shown', { after: 'result' }, first('input.notes'), read);
  for (const durable of [false, true]) {
    const settings = { durable };
    const photo = durable ? 'photo_later' : 'photo';
    add(
      photo,
      { after: 'result', settings },
      { operator: 'core.map', params: { value: '{{ input.photo }}' } },
    );
    add(
      `answers_${photo}`,
      { after: 'result', settings },
      {
        operator: 'core.respond',
        params: {
          body: '{{ input.photo }}',
          headers: { 'content-disposition': 'inline; filename="shown.png"', 'x-own': 'yes' },
        },
      },
    );
  }
  add('keeps', {}, { operator: 'core.map', params: { value: '{{ input }}' } });
  add(
    'framed',
    { origins: ['https://shop.example.com'] },
    { operator: 'core.map', params: { value: '{{ input }}' } },
  );
  add('few', { rate: { limit: 1, per: 'hour', by: 'all' } }, { operator: 'core.map', params: { value: 1 } });
  const asks = { title: 'The receipt?', fields: FIELDS };
  write(flows, 'asks.json', {
    format: 1,
    id: 'asks',
    settings: { record: 'full' },
    nodes: {
      start: { operator: 'trigger.manual' },
      link: { operator: 'human.link', params: { node: 'ask' } },
      ask: { operator: 'human.form', params: { ...asks, data: { link: '{{ input.link }}' } } },
      first: first('input.data.notes'),
      read,
    },
    edges: [
      { from: 'start.out', to: 'link.in' },
      { from: 'link.out', to: 'ask.in' },
      { from: 'ask.submitted', to: 'first.in' },
      { from: 'first.out', to: 'read.in' },
    ],
  });
  server = await startServer({ flows });
  owner = await signIn(server);
});
afterAll(() => discard(server));

interface Part {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array | string;
}

function formOf(fields: Readonly<Record<string, string | Part | readonly Part[]>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else
      for (const { name: file, type, bytes } of [value].flat())
        form.append(name, new File([bytes as BlobPart], file, { type }));
  }
  return form;
}

const photo: Part = { name: 'cat.png', type: 'image/png', bytes: PNG };
const note = (bytes: string): Part => ({ name: 'note.txt', type: 'text/plain', bytes });

function send(url: string, fields: Parameters<typeof formOf>[0], headers: object = {}): Promise<Answer> {
  const init = { method: 'POST', body: formOf(fields), redirect: 'manual', headers: { ...headers } } as const;
  return ask(new URL(url, server.url).href, init);
}

async function outputOf(run: string, node: string): Promise<unknown> {
  const { events } = await eventually(async () => {
    const page = await owner.data<{ events: Record<string, unknown>[] }>('GET', `/runs/${run}/events`);
    expect(page.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
    return page;
  });
  return events.find((event) => event['kind'] === 'node-output' && event['node'] === node)?.['value'];
}

async function download(path: string, fields: Parameters<typeof formOf>[0]) {
  const answer = await fetch(new URL(path, server.url), { method: 'POST', body: formOf(fields) });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** The mark of a fresh page of a form. */
async function onceIn(path: string): Promise<string> {
  return /name="once" value="([^"]+)"/.exec((await ask(new URL(path, server.url).href)).text)?.[1] ?? '';
}

const keptIn = (text: string): string[] =>
  [...text.matchAll(/name="kept\.photo" value="([^"]+)"/g)].map(([, handle = '']) => handle);
const faultOf = (text: string, field: string): string | undefined =>
  new RegExp(`<p class="fault" id="f-${field}-fault" data-code="([^"]+)">`).exec(text)?.[1];

describe('a form with files', () => {
  test('says its limits, takes dropped files by a script of its own, and allows no other', async () => {
    const { text, headers } = await ask(`${server.url}/form/keeps`);
    expect(text).toContain('enctype="multipart/form-data"');
    expect(text).toContain('PNG; at most 1 kB.');
    expect(text).toMatch(/<input type="file" data-max-bytes="1000" accept="image\/png" id="f-photo"/);
    expect(text).toMatch(/<input type="file" data-max-bytes="500" accept="text\/\*" multiple data-most="10"/);
    expect(headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']+'; connect-src 'self';/);
  });

  test('starts a run with its files, which the run can open', async () => {
    const fields = { 'data.title': 'Hello', 'data.photo': photo, 'data.notes': [note('one'), note('two')] };
    const { status, text, headers } = await send('/form/shown', fields);
    expect([status, text]).toEqual([200, expect.stringContaining('one')]);
    const run = headers.get('x-weft-run') ?? '';
    const entered = (await outputOf(run, 'form')) as { photo: { $file: string } };
    expect(entered).toMatchObject({
      title: 'Hello',
      photo: { name: 'cat.png', type: 'image/png', bytes: PNG.length },
      notes: [{ name: 'note.txt', bytes: 3 }, { bytes: 3 }],
    });
    expect((await owner.api('GET', `/runs/${run}/files/${entered.photo.$file}`)).status).toBe(200);
  });

  test.each(['photo', 'photo_later'])('gives a file back that its flow made: %s', async (id) => {
    const fields = { 'data.title': 'Hello', 'data.photo': photo };
    const { status, bytes, headers } = await download(`/form/${id}`, fields);
    expect([status, bytes.equals(PNG)]).toEqual([200, true]);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-disposition')).toBe('attachment; filename="cat.png"');
    const own = await download(`/form/answers_${id}`, fields);
    expect([own.status, own.bytes.equals(PNG), own.headers.get('x-own')]).toEqual([200, true, 'yes']);
    expect(own.headers.get('content-disposition')).toBe('inline; filename="shown.png"');
  });

  test('a field that may stay empty has no value, and one that may not is named', async () => {
    const empty: Part = { name: '', type: 'application/octet-stream', bytes: '' };
    const left = await send('/form/keeps', {
      'data.title': 'x',
      'data.photo': photo,
      'data.notes': empty,
    });
    expect(left.status).toBe(303);
    expect(await outputOf(left.headers.get('x-weft-run') ?? '', 'form')).not.toHaveProperty('notes');
    const { status, text } = await send('/form/keeps', { 'data.title': 'x', 'data.photo': empty });
    expect([status, faultOf(text, 'photo')]).toEqual([422, 'missing']);
  });

  test.each([
    ['too large', { ...photo, bytes: Buffer.concat([PNG, Buffer.alloc(500_000)]) }, 'file_too_large'],
    ['no picture', { ...photo, bytes: 'plain words' }, 'file_type_refused'],
    ['one too many', [photo, photo], 'too_many_values'],
  ])('a file that is %s is a fault of its field, and everything else is kept', async (_, wrong, code) => {
    const { status, text } = await send('/form/keeps', {
      'data.photo': wrong,
      'data.title': '<kept>',
      'data.notes': note('a note'),
      once: await onceIn('/form/keeps'),
    });
    expect([status, faultOf(text, 'photo')]).toEqual([422, code]);
    expect(text).toContain('value="&lt;kept&gt;"');
    expect(text).toMatch(/note\.txt \(6 bytes\)<input type="hidden" name="kept\.notes"/);
  });

  test('a file that arrived need not be chosen again, and is of no use to another form', async () => {
    const once = await onceIn('/form/keeps');
    const first = await send('/form/keeps', { 'data.photo': photo, 'data.title': '', once });
    expect([first.status, faultOf(first.text, 'title')]).toEqual([422, 'missing']);
    const [handle = ''] = keptIn(first.text);
    const again = { 'data.title': 'Now', 'kept.photo': handle };
    const stolen = await send('/form/keeps', { ...again, once: await onceIn('/form/keeps') });
    expect([stolen.status, faultOf(stolen.text, 'photo')]).toEqual([422, 'missing']);
    const second = await send('/form/keeps', { ...again, once });
    expect(second.status).toBe(303);
    const run = second.headers.get('x-weft-run') ?? '';
    expect(await outputOf(run, 'form')).toMatchObject({ photo: { $file: handle, name: 'cat.png' } });
    expect((await owner.api('GET', `/runs/${run}/files/${handle}`)).status).toBe(200);
  });

  test('a file value that is typed is no file', async () => {
    const typed = JSON.stringify({ $file: `f_${'a'.repeat(32)}`, name: 'x', type: 'image/png', bytes: 1 });
    const { status, text } = await send('/form/keeps', { 'data.title': 'x', 'data.photo': typed });
    expect([status, faultOf(text, 'photo')]).toEqual([422, 'missing']);
  });

  test('files of other fields are passed over, and a body that is no form is refused', async () => {
    const fields = { 'data.title': 'x', 'data.photo': photo, 'data.other': photo };
    expect((await send('/form/keeps', fields)).status).toBe(303);
    const init = { method: 'POST', body: 'x', headers: { 'content-type': 'multipart/form-data' } };
    expect((await ask(`${server.url}/form/keeps`, init)).status).toBe(400);
  });

  test('of who sends too often nothing is kept on the disk', async () => {
    const fields = { 'data.title': 'x', 'data.photo': photo };
    expect((await send('/form/few', fields)).status).toBe(303);
    const { status, text } = await send('/form/few', { ...fields, once: await onceIn('/form/few') });
    expect([status, keptIn(text)]).toEqual([429, []]);
    expect(text).toContain('value="x"');
  });

  test('tells its script where to go on', async () => {
    const fields = { 'data.title': 'x', 'data.photo': photo };
    const { status, body } = await send('/form/keeps', fields, { accept: 'application/json' });
    expect([status, body]).toEqual([200, { location: '/form/keeps?_sent=1' }]);
  });
});

test('a form may be shown in a frame by the sites that it names, and by no others', async () => {
  const framed = await ask(`${server.url}/form/framed`);
  expect(framed.headers.get('content-security-policy')).toContain('frame-ancestors https://shop.example.com');
  const kept = await ask(`${server.url}/form/keeps`);
  expect(kept.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
});

describe('a question to people', () => {
  async function asked(): Promise<{ run: string; link: string }> {
    const { run } = await owner.data<{ run: string }>('POST', '/flows/asks/run', {});
    const wait = await eventually(() =>
      owner.data<{ ask: { data: { link: string } } }>('GET', `/waits/${run}.ask`),
    );
    return { run, link: wait.ask.data.link };
  }

  test('takes files by its link, keeps them through a correction, and gives them to its run', async () => {
    const { run, link } = await asked();
    const page = await ask(link);
    expect(page.text).toContain('enctype="multipart/form-data"');
    const sent = { decision: 'submitted', by: 'Ada', 'data.photo': photo };
    const wrong = await send(link, { ...sent, 'data.title': 'x', 'data.notes': photo });
    expect([wrong.status, faultOf(wrong.text, 'notes')]).toEqual([422, 'file_type_refused']);
    const [handle = ''] = keptIn(wrong.text);
    const again = { decision: 'submitted', by: 'Ada', 'data.title': 'x', 'kept.photo': handle };
    expect((await send(link, { ...again, 'data.notes': note('from a person') })).status).toBe(303);
    expect(await outputOf(run, 'read')).toBe('from a person');
    expect((await owner.api('GET', `/runs/${run}/files/${handle}`)).status).toBe(200);
  });
});

describe('a file that a caller uploads first', () => {
  const upload = async (headers: Readonly<Record<string, string>>, bytes: string) => {
    const init = {
      method: 'POST',
      body: bytes,
      headers: {
        ...headers,
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename="n.txt"',
      },
    };
    return ask(`${server.url}/api/v1/files`, init);
  };

  test('is of use to its runs and its decisions, and to those of no other caller', async () => {
    const { status, body } = await upload(owner.headers, 'mine');
    const file = (body as { data: Record<string, unknown> }).data;
    expect([status, file]).toEqual([201, expect.objectContaining({ name: 'n.txt', bytes: 4 })]);
    const input = { title: 'x', photo: file, notes: [file] };
    const own = await owner.data<{ status: string; answer: unknown }>('POST', '/flows/shown/run', {
      input,
      wait: true,
    });
    expect(JSON.stringify(own)).toContain('"mine"');
    const { key } = await owner.data<{ key: string }>('POST', '/keys', {
      name: 'other',
      scopes: ['runs:write', 'runs:read'],
    });
    const other = await ask(`${server.url}/api/v1/flows/shown/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input, wait: true }),
    });
    expect(other.text).toContain('file_not_found');
    const { run } = await owner.data<{ run: string }>('POST', '/flows/asks/run', {});
    await eventually(() => owner.data('GET', `/waits/${run}.ask`));
    const photoFile = { ...file, type: 'image/png' };
    const data = { title: 'x', photo: photoFile, notes: [file] };
    await owner.data('POST', `/waits/${run}.ask/decide`, { decision: 'submitted', data });
    expect(await outputOf(run, 'read')).toBe('mine');
  });

  test('needs somebody who may start runs', async () => {
    expect((await upload({}, 'x')).status).toBe(401);
  });
});
