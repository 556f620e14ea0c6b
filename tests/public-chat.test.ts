import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { App } from '#shared/app.ts';
import type { ConversationPage } from '#shared/conversation.ts';
import type { PublicPage } from '#shared/public-page.ts';
import { type Answer, ask, type Owner, signIn } from './support/client.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';
import { eventually } from './support/eventually.ts';
import { write } from './support/flows.ts';
import { startSite } from './support/site.ts';

/** The public chat page of an app, over HTTP. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  const flows = tempFolder('flows');
  write(flows, 'parrot.json', {
    format: 1,
    id: 'parrot',
    nodes: {
      chat: { operator: 'trigger.chat' },
      say: {
        operator: 'text.template',
        params: { template: 'You said **{{ input.text }}** {{ input.history.length + input.files.length }}' },
      },
    },
    edges: [{ from: 'chat.out', to: 'say.in' }],
  });
  server = await startServer({ flows });
  owner = await signIn(server);
});
afterAll(() => discard(server));

/** An app with an open page; gives its code. */
async function openApp(
  settings: Partial<PublicPage> = {},
  mode: object = {},
  [at, by]: readonly [TestServer, Owner] = [server, owner],
): Promise<string> {
  const body = {
    app_name: `App <${randomUUID()}>`,
    app_describe: 'Answers.',
    team_mode: 'awel_layout',
    team_context: 'parrot',
    language: 'en',
    ...mode,
  };
  const made = await ask(`${at.url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { ...by.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { app_code: code } = (made.body as { data: App }).data;
  await by.data('PUT', `/apps/${code}/page`, { open: true, perMinute: 100, ...settings });
  return code;
}

const get = (path: string): Promise<Answer> => ask(`${server.url}/talk/${path}`);

function say(
  code: string,
  text: string,
  conversation: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return ask(`${server.url}/talk/${code}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ text, conversation }),
  });
}

const post = (
  code: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask(`${server.url}/talk/${code}`, { method: 'POST', body: new URLSearchParams(fields), headers });

const events = ({ text }: Answer): Record<string, string>[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Record<string, string>);

const policy = ({ headers }: Answer): string => headers.get('content-security-policy') ?? '';

test('an answer from documents has its quotes, and no addresses that strangers cannot open', async () => {
  const { id } = await owner.data<{ id: string }>('POST', '/knowledge/spaces', { name: 'tea' });
  const text = 'Green tea steeps for two minutes.';
  await owner.data('POST', `/knowledge/spaces/${id}/documents`, { name: 'tea.md', text });
  await owner.data('POST', '/flows', {
    flow: {
      format: 1,
      id: 'ask_tea',
      nodes: {
        chat: { operator: 'trigger.chat' },
        answer: { operator: 'knowledge.answer', params: { spaces: ['tea'], answer: 'quotes' } },
      },
      edges: [{ from: 'chat.out', to: 'answer.in' }],
    },
  });
  const code = await openApp({}, { team_context: 'ask_tea' });
  const conversation = randomUUID();
  const question = 'How long does green tea steep?';
  await eventually(async () => {
    const streamed = await say(code, question, randomUUID());
    expect(streamed.text).toContain('tea.md: “Green tea steeps for two minutes.”');
    expect(streamed.text).not.toContain('/knowledge/');
  });
  const answers = [
    await post(code, { text: question, conversation }),
    await get(`${code}?c=${conversation}`),
  ];
  for (const { text: shown } of answers) {
    expect(shown).toContain('tea.md: “Green tea steeps for two minutes.”');
    expect(shown).not.toContain('/knowledge/');
  }
  expect((await say(code, 'What is the capital of France?', conversation)).text).toContain(
    'I found nothing about this',
  );
});

describe('the page', () => {
  test('is there only while its owner keeps it open', async () => {
    const code = await openApp({ greeting: 'Hello, I am **Ada**.' });
    const shown = await get(code);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('I am <strong>Ada</strong>.')]);
    expect(shown.text).toMatch(/<h1>App &lt;/);
    expect(shown.headers.get('set-cookie')).toBeNull();
    await owner.data('PUT', `/apps/${code}/page`, { open: false });
    expect((await get(code)).status).toBe(404);
    expect((await say(code, 'Hello', randomUUID())).status).toBe(404);
    expect((await post(code, { text: 'Hello', conversation: randomUUID() })).status).toBe(404);
    expect((await get('no-such-app')).status).toBe(404);
  });

  test('runs only its own script, and only the origins of its owner may show it in a frame', async () => {
    const code = await openApp();
    expect(policy(await get(code))).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; font-src 'self'; script-src 'sha256-[^']+'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    await owner.data('PUT', `/apps/${code}/page`, {
      open: true,
      origins: ['https://shop.example', 'http://127.0.0.1:8080'],
    });
    expect(policy(await get(code))).toMatch(
      /frame-ancestors https:\/\/shop\.example http:\/\/127\.0\.0\.1:8080$/,
    );
    for (const origin of [
      'https://a.example/path',
      "'self'",
      'https://*.example',
      'javascript:alert(1)',
      'https://a.b; script-src *',
    ]) {
      const { status } = await owner.api('PUT', `/apps/${code}/page`, { open: true, origins: [origin] });
      expect([origin, status]).toEqual([origin, 400]);
    }
  });

  test('is opened by who may publish, and by nobody else', async () => {
    const code = await openApp();
    const { key } = await owner.data<{ key: string }>('POST', '/keys', {
      name: 'writer',
      scopes: ['apps:write', 'apps:read'],
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const url = `${server.url}/api/v1/apps/${code}/page`;
    expect((await ask(url, { headers })).body).toMatchObject({ data: { open: true } });
    expect((await ask(url, { method: 'PUT', headers, body: '{"open":true}' })).status).toBe(403);
    expect((await owner.api('PUT', '/apps/none/page', { open: true })).status).toBe(404);
  });
});

describe('a message', () => {
  test('is answered as it arrives, and goes on with its conversation, which the page shows again', async () => {
    const code = await openApp();
    const conversation = randomUUID();
    const first = events(await say(code, 'one', conversation));
    expect(first.map(({ text }) => text ?? '').join('')).toBe('You said **one** 0');
    expect(first.at(-1)).toEqual({ html: '<p>You said <strong>one</strong> 0</p>' });
    expect(events(await say(code, '<b>two</b>', conversation)).at(-1)?.['html']).toBe(
      '<p>You said <strong>&lt;b&gt;two&lt;/b&gt;</strong> 2</p>',
    );
    const { text } = await get(`${code}?c=${conversation}`);
    expect(text).toContain('<div class="words">&lt;b&gt;two&lt;/b&gt;</div>');
    expect((await get(`${code}?c=${randomUUID()}`)).text).not.toContain('You said');
  });

  test('works without scripts: a form is sent, and the page comes back with the answer', async () => {
    const code = await openApp();
    const conversation = randomUUID();
    const first = await post(code, { text: 'one', conversation });
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(first.text).toContain('You said <strong>one</strong> 0');
    const second = await post(code, { text: 'two', conversation });
    expect(second.text).toContain('You said <strong>one</strong> 0');
    expect(second.text).toContain('You said <strong>two</strong> 2');
    expect(second.text).toContain(`action="/talk/${code}?c=${conversation}"`);
    const empty = await post(code, { text: ' ', conversation });
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('Write a message')]);
  });

  test('of one app does not reach the conversation of another', async () => {
    const [one, other] = [await openApp(), await openApp()];
    const conversation = randomUUID();
    await say(one, 'secret', conversation);
    expect((await get(`${other}?c=${conversation}`)).text).not.toContain('secret');
    expect(events(await say(other, 'again', conversation)).at(-1)?.['html']).toContain('again</strong> 0');
  });

  test('comes only so often from one address, and keeps what was typed', async () => {
    const code = await openApp({ perMinute: 1 });
    const conversation = randomUUID();
    expect((await say(code, 'one', conversation)).status).toBe(200);
    const refused = await say(code, 'two', conversation);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(refused.body).toMatchObject({
      err_code: 'rate_limited',
      err_msg: expect.stringContaining('This page takes 1'),
    });
    const page = await post(code, { text: 'three & more', conversation });
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '60']);
    expect(page.text).toContain('three &amp; more</textarea>');
  });

  test('is shown with those before it only so often to one address', async () => {
    const code = await openApp({ perMinute: 1 });
    const conversation = randomUUID();
    await say(code, 'hello', conversation);
    const shown = async (): Promise<Answer> => get(`${code}?c=${conversation}`);
    for (let n = 0; n < 3; n++) expect((await shown()).text).toContain('<strong>hello</strong>');
    const refused = await shown();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    expect(refused.text).toContain('This page takes 3');
    expect(refused.text).not.toContain('<strong>hello</strong>');
    expect((await get(code)).status, 'a new conversation costs nothing').toBe(200);
  });

  test('that the server has no room for is told to come again', async () => {
    const flows = tempFolder('flows');
    write(flows, 'waits.json', {
      format: 1,
      id: 'waits',
      nodes: {
        chat: { operator: 'trigger.chat' },
        wait: { operator: 'logic.delay', params: { ms: 600_000 } },
      },
      edges: [{ from: 'chat.out', to: 'wait.in' }],
    });
    const busy = await startServer({ flows, env: { WEFT_MAX_RUNS: '1' } });
    onTestFinished(() => discard(busy));
    const own = await signIn(busy);
    const code = await openApp({}, { team_context: 'waits' }, [busy, own]);
    const talk = (init: RequestInit, path = ''): Promise<Answer> =>
      ask(`${busy.url}/talk/${code}${path}`, { method: 'POST', ...init });
    const message = (): RequestInit => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hello', conversation: randomUUID() }),
    });
    const leaving = new AbortController();
    const first = talk({ ...message(), signal: leaving.signal }, '/messages').catch(() => undefined);
    await eventually(async () => {
      const refused = await talk(message(), '/messages');
      expect([refused.status, refused.body]).toMatchObject([503, { err_code: 'overloaded' }]);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    });
    const page = await talk({ body: new URLSearchParams({ text: 'kept', conversation: randomUUID() }) });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(page.text).toContain('kept</textarea>');
    leaving.abort();
    await first;
  });

  test('of a page of another site is refused, and so is all that is no message', async () => {
    const code = await openApp();
    const conversation = randomUUID();
    expect((await say(code, 'x', conversation, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(code, { text: 'x', conversation }, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    expect((await say(code, '', conversation)).status).toBe(400);
    expect((await say(code, 'x'.repeat(10_001), conversation)).status).toBe(400);
    expect((await say(code, 'x', 'mine')).status).toBe(400);
    expect((await say(code, 'x'.repeat(70_000), conversation)).status).toBe(413);
  });

  test('that cannot be answered tells strangers nothing of why', async () => {
    const code = await openApp({}, { team_context: 'no_such_flow' });
    const answer = await say(code, 'x', randomUUID());
    expect(answer.text).toContain('The answer could not be completed');
    expect(answer.text).not.toContain('no_such_flow');
  });
});

describe('files', () => {
  const csv = (): File => new File(['a,b\n1,2\n'], 'people.csv', { type: 'text/csv' });

  function upload(
    code: string,
    conversation: string,
    files: readonly File[],
    path = '/files',
  ): Promise<Answer> {
    const body = new FormData();
    body.append('conversation', conversation);
    body.append('text', 'Look');
    for (const file of files) body.append('files', file);
    return ask(`${server.url}/talk/${code}${path}`, { method: 'POST', body });
  }

  const uploadedIn = ({ body }: Answer): { $file: string }[] =>
    (body as { data: { files: { $file: string }[] } }).data.files;

  test('are taken where the owner allows them, and only by their conversation', async () => {
    const code = await openApp({ files: true });
    const id = randomUUID();
    const sent = await upload(code, id, [csv()]);
    expect(sent.status).toBe(201);
    const files = uploadedIn(sent).map(({ $file }) => $file);
    const answer = await ask(`${server.url}/talk/${code}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: '', conversation: id, files }),
    });
    expect(events(answer).at(-1)).toEqual({ html: '<p>You said **** 1</p>' });
    const page = await get(`${code}?c=${id}`);
    const address = `/talk/${code}/files/${id}/${files[0] ?? ''}`;
    expect(page.text).toContain(`<a class="file" href="${address}" download="people.csv">people.csv</a>`);
    expect((await ask(server.url + address)).text).toBe('a,b\n1,2\n');
    const other = randomUUID();
    expect((await ask(server.url + address.replace(id, other))).status).toBe(404);
    const stolen = await ask(`${server.url}/talk/${code}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'x', conversation: other, files }),
    });
    expect(stolen.status).toBe(404);
    expect((stolen.body as { err_code: string }).err_code).toBe('file_not_found');
  });

  test('come with the form of the page without scripts, and stay with it when it comes back', async () => {
    const code = await openApp({ files: true });
    const id = randomUUID();
    expect((await get(code)).text).toContain('<input id="choose" type="file" name="files" multiple');
    const sent = await upload(code, id, [csv()], `?c=${id}`);
    expect(sent.status).toBe(200);
    expect(sent.text).toContain('download="people.csv"');
    expect(sent.text).toContain('You said <strong>Look</strong>');
    const long = new FormData();
    long.append('conversation', id);
    long.append('text', 'x'.repeat(10_001));
    long.append('files', csv());
    const again = await ask(`${server.url}/talk/${code}?c=${id}`, { method: 'POST', body: long });
    expect(again.status).toBe(422);
    const kept = /<input type="hidden" name="file" value="(f_[^"]+)">/.exec(again.text)?.[1];
    const next = await post(code, { conversation: id, text: 'Now', file: kept ?? '' });
    expect(next.text).toContain('You said <strong>Now</strong> 3');
    expect(next.text.match(/download="people.csv"/g)).toHaveLength(2);
  });

  test('are refused where the owner does not allow them, and nothing is stored', async () => {
    const code = await openApp();
    const id = randomUUID();
    expect((await get(code)).text).not.toContain('type="file"');
    for (const path of ['/files', `?c=${id}`]) {
      const { status, body } = await upload(code, id, [csv()], path);
      expect([status, (body as { err_code: string }).err_code]).toEqual([422, 'file_type_refused']);
    }
    const many = await openApp({ files: true, perMinute: 1 });
    expect((await upload(many, id, [csv()])).status).toBe(201);
    expect((await upload(many, id, [csv()])).status).toBe(429);
  });
});

describe('the owner of a page', () => {
  test('limits the messages of a day of all visitors together', async () => {
    const code = await openApp({ perDay: 2 });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await say(code, 'Hello', randomUUID())).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(await owner.data<PublicPage>('GET', `/apps/${code}/page`)).toMatchObject({ perDay: 2 });
  });

  test('lists its conversations and deletes one', async () => {
    const [code, other] = [await openApp(), await openApp()];
    const [first, second] = [randomUUID(), randomUUID()];
    await say(code, 'My secret', first);
    await say(code, 'Hello', second);
    const conversations = `/apps/${code}/page/conversations`;
    const listed = async () =>
      (await owner.data<ConversationPage>('GET', conversations)).conversations.map(({ id }) => id);
    expect(await listed()).toEqual([second, first]);
    await expect(owner.data('DELETE', `/apps/${other}/page/conversations/${first}`)).rejects.toThrow();
    await owner.data('DELETE', `${conversations}/${first}`);
    expect(await listed()).toEqual([second]);
    expect((await get(`${code}?c=${first}`)).text).not.toContain('My secret');
  });
});

test('strangers beyond what the server can do at once are told to come again', async () => {
  const flows = tempFolder('flows');
  write(flows, 'slow.json', {
    format: 1,
    id: 'slow',
    nodes: { chat: { operator: 'trigger.chat' }, wait: { operator: 'logic.delay', params: { ms: 500 } } },
    edges: [{ from: 'chat.out', to: 'wait.in' }],
  });
  const provider = await startSite((_, response) => {
    response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"message":"Too much"}}');
  });
  const limits = { [provider.address]: { calls: 1, streams: 1, queue: 0 } };
  const busy = await startServer({
    flows,
    env: {
      WEFT_MAX_RUNS: '5',
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      WEFT_OUTBOUND_LIMITS: JSON.stringify(limits),
      WEFT_PROVIDERS: JSON.stringify({
        full: { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] },
      }),
    },
  });
  onTestFinished(() => discard(busy));
  const at = [busy, await signIn(busy)] as const;
  const single = { team_mode: 'single_agent', team_context: null };
  for (const mode of [{ team_context: 'slow' }, single]) {
    const code = await openApp({ perMinute: 1000 }, mode, at);
    const sent = Array.from({ length: 20 }, (_, i) => {
      const fields = { text: 'Hi', conversation: randomUUID() };
      const page = `${busy.url}/talk/${code}`;
      if (i % 2 === 0) return ask(page, { method: 'POST', body: new URLSearchParams(fields) });
      const headers = { 'content-type': 'application/json' };
      return ask(`${page}/messages`, { method: 'POST', headers, body: JSON.stringify(fields) });
    });
    const refused = (await Promise.all(sent)).filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
      refused.map(() => [503, expect.stringMatching(/^[1-9]/)]),
    );
    expect(refused.filter(({ text }) => /full|Too much|127\.0/.test(text))).toEqual([]);
  }
});

test('strangers are told that nothing answers, and not that too many ask, while the model is down', async () => {
  const provider = await startSite((_, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('down');
  });
  const down = await startServer({
    env: {
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      WEFT_PROVIDERS: JSON.stringify({
        down: { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] },
      }),
    },
  });
  onTestFinished(() => discard(down));
  const code = await openApp({}, { team_mode: 'single_agent', team_context: null }, [
    down,
    await signIn(down),
  ]);
  const fields = new URLSearchParams({ text: 'Hi', conversation: randomUUID() });
  const { status, text } = await ask(`${down.url}/talk/${code}`, { method: 'POST', body: fields });
  expect(status).toBe(503);
  expect(text).toContain('No answer can be given at the moment.');
});
