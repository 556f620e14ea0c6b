import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conversation } from '../editor/api/chat.ts';
import type { FileValue } from '#shared/file.ts';
import { paper } from '../server/integrations/documents/testing/made.ts';
import { sendChunks, startOpenAi } from '../server/integrations/models/testing/openai-server.ts';
import { type Answer, ask, type Owner, signIn } from './support/client.ts';
import { type FlowJson, write } from './support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';

/** Files of chats, over real HTTP. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = Buffer.from(PIXEL, 'base64');
const PICTURE = `data:image/png;base64,${PIXEL}`;
const CSV = 'name,count\nAda,3\n';

let server: TestServer;
let owner: Owner;
/** Two keys that may only chat. */
let mine: Record<string, string>;
let yours: Record<string, string>;

const flow = (id: string, params: object, nodes: FlowJson['nodes'], edges: FlowJson['edges']) => ({
  format: 1 as const,
  id,
  nodes: { chat: { operator: 'trigger.chat', params }, ...nodes },
  edges,
});
const step = (from: string, to: string) => ({ from: `${from}.out`, to: `${to}.in` });

beforeAll(async () => {
  const flows = tempFolder('flows');
  const say = {
    operator: 'text.template',
    params: {
      template:
        '{{ input.files.map(f => f.name + " " + f.type + " " + f.bytes).join("; ") }} / {{ input.history.length }}',
    },
  };
  write(flows, 'names.json', flow('names', {}, { say }, [step('chat', 'say')]));
  const limits = { files: { accept: ['image/*'], maxBytes: 100, most: 1 } };
  write(flows, 'strict.json', flow('strict', limits, { say }, [step('chat', 'say')]));
  const answer = {
    operator: 'model.chat',
    params: { model: 'node/m', prompt: 'Describe {{ input.text }}', documents: 'none' },
  };
  write(flows, 'describe.json', flow('describe', {}, { answer }, [step('chat', 'answer')]));
  const back = {
    operator: 'data.set',
    params: { fields: { text: 'Here it is', files: '{{ input.files }}' } },
  };
  write(flows, 'back.json', flow('back', {}, { back }, [step('chat', 'back')]));
  const forged = {
    operator: 'data.set',
    params: {
      fields: {
        text: 'Here',
        files: '{{ [{ "$file": input.text, "name": "x.txt", "type": "text/plain", "bytes": 1 }] }}',
      },
    },
  };
  write(flows, 'forged.json', flow('forged', {}, { forged }, [step('chat', 'forged')]));
  write(flows, 'documented.json', documented());
  server = await startServer({
    flows,
    env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_MODEL: 'documented/m' },
  });
  owner = await signIn(server);
  mine = await keyFor('mine');
  yours = await keyFor('yours');
});
afterAll(() => discard(server));

/** The flow that the documentation shows. */
function documented(): FlowJson {
  const docs = readFileSync(new URL('../docs/chat.md', import.meta.url), 'utf8');
  const [, json = ''] = /\n## Files\n[\s\S]*?```json\n([\s\S]*?)```/.exec(docs) ?? [];
  return { format: 1, id: 'documented', ...(JSON.parse(json) as Pick<FlowJson, 'nodes' | 'edges'>) };
}

async function keyFor(name: string): Promise<Record<string, string>> {
  const made = await owner.data<{ key: string }>('POST', '/keys', { name, scopes: ['chat'] });
  return { authorization: `Bearer ${made.key}` };
}

function upload(
  headers: Record<string, string>,
  files: readonly File[],
  path = '/api/v1/chat/files',
): Promise<Answer> {
  const body = new FormData();
  for (const file of files) body.append('file', file);
  return ask(`${server.url}${path}`, { method: 'POST', headers, body });
}

async function uploaded(headers: Record<string, string>, ...files: readonly File[]): Promise<FileValue[]> {
  const answer = await upload(headers, files);
  expect(answer.status).toBe(201);
  return (answer.body as { data: { files: FileValue[] } }).data.files;
}

function chat(
  headers: Record<string, string>,
  model: string,
  content: unknown,
  more: object = {},
): Promise<Answer> {
  return ask(`${server.url}/api/v1/chat/completions`.replace('v1', 'v2'), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }], ...more }),
  });
}

const textOf = ({ body }: Answer): string =>
  (body as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? '';
const named = (file: FileValue) => ({ type: 'file', file: { file_id: file.$file } });
const codeOf = ({ status, body }: Answer) => [status, (body as { error: { code: string } }).error.code];
const png = () => new File([PNG], 'dot.png', { type: 'image/png' });
const csv = () => new File([CSV], 'people.csv', { type: 'text/csv' });

async function conversation(headers: Record<string, string>, id: string): Promise<Conversation> {
  const { body } = await ask(`${server.url}/api/v1/chat/conversations/${id}`, { headers });
  return (body as { data: Conversation }).data;
}

const download = (headers: Record<string, string>, id: string, file: FileValue): Promise<Answer> =>
  ask(`${server.url}/api/v1/chat/conversations/${id}/files/${file.$file}`, { headers });

describe('files of messages', () => {
  test('reach the flow, stay with the conversation, and go with it', async () => {
    const id = randomUUID();
    const [dot, people] = (await uploaded(mine, png(), csv())) as [FileValue, FileValue];
    const content = [{ type: 'text', text: 'What is this?' }, named(dot), named(people)];
    const first = await chat(mine, 'flow:names', content, { conv_uid: id });
    expect(textOf(first)).toBe('dot.png image/png 70; people.csv text/csv 17 / 0');
    const { messages, title } = await conversation(mine, id);
    expect(title).toBe('What is this?');
    expect(messages[0]).toMatchObject({ role: 'user', content: 'What is this?', files: [dot, people] });
    expect(messages[1]).not.toHaveProperty('files');

    const again = await chat(mine, 'flow:names', 'And now?', { conv_uid: id });
    expect(textOf(again)).toBe(' / 2');
    const got = await download(mine, id, people);
    expect([got.status, got.text]).toEqual([200, CSV]);
    expect(got.headers.get('content-type')).toBe('text/csv; charset=utf-8');

    const removed = await ask(`${server.url}/api/v1/chat/conversations/${id}`, {
      method: 'DELETE',
      headers: mine,
    });
    expect(removed.status).toBe(200);
    expect((await ask(`${server.url}/api/v1/chat/conversations/${id}`, { headers: mine })).status).toBe(404);
  });

  test('may be within the message, and a message may be nothing but files', async () => {
    const id = randomUUID();
    const file = {
      filename: 'people.csv',
      file_data: `data:text/csv;base64,${Buffer.from(CSV).toString('base64')}`,
    };
    const parts = [
      { type: 'image_url', image_url: { url: PICTURE } },
      { type: 'file', file },
    ];
    expect(textOf(await chat(mine, 'flow:names', parts, { conv_uid: id }))).toBe(
      'image.png image/png 70; people.csv text/csv 17 / 0',
    );
    const { messages, title } = await conversation(mine, id);
    expect(title).toBe('image.png');
    const kept = messages[0]?.files?.[1] as FileValue;
    expect((await download(mine, id, kept)).text).toBe(CSV);
  });

  test('belong to who uploaded them, and to their conversation: nobody else can open or name them', async () => {
    const id = randomUUID();
    const [dot] = (await uploaded(mine, png())) as [FileValue];
    const unknown = `f_${'x'.repeat(32)}`;
    await chat(mine, 'flow:names', [named(dot)], { conv_uid: id });
    expect(codeOf(await chat(yours, 'flow:names', [named(dot)], { conv_uid: id }))).toEqual([
      404,
      'file_not_found',
    ]);
    expect(codeOf(await chat(mine, 'flow:names', [named({ ...dot, $file: unknown })]))).toEqual([
      404,
      'file_not_found',
    ]);
    expect((await download(yours, id, dot)).status).toBe(404);
    expect((await download(mine, id, { ...dot, $file: unknown })).status).toBe(404);
    // A run of a flow may not pass on what it was not given.
    const forged = textOf(await chat(yours, 'flow:forged', dot.$file));
    expect(forged).toBe(
      `Here${JSON.stringify({ $file: dot.$file, name: 'x.txt', type: 'text/plain', bytes: 1 })}`,
    );
  });

  test('of answers are links that only their reader can open', async () => {
    const id = randomUUID();
    const [dot, people] = (await uploaded(mine, png(), csv())) as [FileValue, FileValue];
    const answer = textOf(await chat(mine, 'flow:back', [named(dot), named(people)], { conv_uid: id }));
    const at = `/api/v1/chat/conversations/${id}/files`;
    expect(answer.trim().split(/\n\n+/)).toEqual([
      'Here it is',
      `![dot.png](${at}/${dot.$file})`,
      `[people.csv](${at}/${people.$file})`,
    ]);
    const { messages } = await conversation(mine, id);
    expect(messages[1]).toMatchObject({ role: 'assistant', files: [dot, people] });
    const got = await ask(`${server.url}${at}/${people.$file}`, { headers: mine });
    expect(got.text).toBe(CSV);
    expect((await ask(`${server.url}${at}/${people.$file}`, { headers: yours })).status).toBe(404);
    expect((await ask(`${server.url}${at}/${people.$file}`)).status).toBe(401);
  });
});

describe('refused with a code', () => {
  const inline = (type: string, bytes: Buffer | string) =>
    `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  const file = (file_data: string, filename = 'a') => ({ type: 'file', file: { file_data, filename } });
  test.each<[string, string, object[], number, string]>([
    [
      'a type that the flow does not take',
      'strict',
      [file(inline('text/csv', CSV))],
      422,
      'file_type_refused',
    ],
    [
      'a file that is larger than the flow takes',
      'strict',
      [file(inline('image/png', Buffer.concat([PNG, Buffer.alloc(50)])))],
      413,
      'file_too_large',
    ],
    ['more files than the flow takes', 'strict', [file(PICTURE), file(PICTURE)], 413, 'too_many_values'],
    [
      'an image that is none',
      'names',
      [{ type: 'image_url', image_url: { url: inline('image/png', 'hello') } }],
      422,
      'file_type_refused',
    ],
    ['bytes that are not base64', 'names', [file('data:text/plain;base64,%%%')], 400, 'invalid_request'],
    ['no bytes and no id', 'names', [{ type: 'file', file: { filename: 'a' } }], 400, 'invalid_request'],
    [
      'an id of another form',
      'names',
      [{ type: 'file', file: { file_id: 'file-abc' } }],
      404,
      'file_not_found',
    ],
    [
      'eleven files',
      'names',
      Array.from({ length: 11 }, () => file(inline('text/plain', 'x'))),
      413,
      'too_many_values',
    ],
  ])('%s', async (_what, to, content, status, code) => {
    expect(codeOf(await chat(mine, `flow:${to}`, content))).toEqual([status, code]);
  });

  test('files that the flow of an app does not take', async () => {
    const app = { app_name: 'Strict', app_describe: '', team_mode: 'awel_layout', team_context: 'strict' };
    const made = await ask(`${server.url}/api/v2/serve/apps`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...app, language: 'en' }),
    });
    const { app_code: code } = (made.body as { data: { app_code: string } }).data;
    const text = file(inline('text/csv', CSV));
    expect(codeOf(await chat(mine, `app:${code}`, [text]))).toEqual([422, 'file_type_refused']);
    expect(textOf(await chat(mine, `app:${code}`, [file(PICTURE, 'dot.png')]))).toBe(
      'dot.png image/png 70 / 0',
    );
  });

  test('a file for a knowledge space, which would not read it', async () => {
    await owner.data('POST', '/knowledge/spaces', { name: 'tea' });
    const answer = await chat(owner.headers, 'knowledge:tea', [
      { type: 'text', text: 'What does it say?' },
      file(PICTURE),
    ]);
    expect(codeOf(answer)).toEqual([413, 'too_many_values']);
    expect(answer.text).toContain('send the message without them');
  });

  test('uploads: nothing, too much, a broken form, nobody', async () => {
    expect(codeOf(await upload(mine, []))).toEqual([400, 'invalid_request']);
    const large = new File([new Uint8Array(20_000_001)], 'large.bin');
    expect(codeOf(await upload(mine, [large]))).toEqual([413, 'file_too_large']);
    expect(codeOf(await upload(mine, Array.from({ length: 11 }, png)))).toEqual([413, 'too_many_values']);
    expect((await upload({}, [png()])).status).toBe(401);
    const broken = { ...mine, 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await ask(`${server.url}/api/v1/chat/files`, {
      method: 'POST',
      headers: broken,
      body: '--x\r\nno',
    });
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
  });
});

describe('models', () => {
  type Asked = { messages: { role: string; content: unknown }[] };

  async function provider(name: string, input: readonly string[]): Promise<() => unknown> {
    const openai = await startOpenAi((response) => sendChunks(response, [{ content: 'Seen' }], 'stop'));
    const models = [{ name: 'm', input }];
    const body = { type: 'openai-compatible', baseUrl: openai.url, models };
    await owner.data('PUT', `/providers/${name}`, body);
    return () => (openai.asked.at(-1)?.body as unknown as Asked | undefined)?.messages;
  }

  const dotPart = { type: 'image_url', image_url: { url: PICTURE } };
  const peoplePart = { type: 'text', text: '<file name="people.csv">\nname: Ada\ncount: 3\n</file>' };

  test('get pictures as image parts, texts as text, and both again with the next question', async () => {
    const asked = await provider('sees', ['text', 'image']);
    const id = randomUUID();
    const [dot, people] = (await uploaded(mine, png(), csv())) as [FileValue, FileValue];
    const content = [{ type: 'text', text: 'Look' }, named(dot), named(people)];
    expect(textOf(await chat(mine, 'sees/m', content, { conv_uid: id }))).toBe('Seen');
    const question = { role: 'user', content: [{ type: 'text', text: 'Look' }, dotPart, peoplePart] };
    expect(asked()).toEqual([question]);
    await chat(mine, 'sees/m', 'And?', { conv_uid: id });
    expect(asked()).toEqual([
      question,
      { role: 'assistant', content: 'Seen' },
      { role: 'user', content: 'And?' },
    ]);
  });

  test('that take no pictures refuse those of the question, and are told of earlier ones by name', async () => {
    await provider('seer', ['text', 'image']);
    const asked = await provider('blind', ['text']);
    const id = randomUUID();
    const [dot] = (await uploaded(mine, png())) as [FileValue];
    const content = [{ type: 'text', text: 'Look' }, named(dot)];
    const refused = await chat(mine, 'blind/m', content, { conv_uid: id });
    expect(codeOf(refused)).toEqual([400, 'input_unsupported']);
    expect(refused.text).toContain('dot.png cannot be passed on: the model blind/m does not accept images');
    expect(asked()).toBeUndefined();
    await chat(mine, 'seer/m', content, { conv_uid: id });
    expect((await chat(mine, 'blind/m', 'And?', { conv_uid: id })).status).toBe(200);
    const earlier = 'Look\n\n[picture dot.png, 70 bytes, is not shown to you]';
    expect(asked()).toMatchObject([
      { role: 'user', content: earlier },
      {},
      { role: 'user', content: 'And?' },
    ]);
  });

  test('that get a file that is neither picture nor document are not asked', async () => {
    const asked = await provider('reads', ['text', 'image', 'file']);
    const zip = new File([Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64')], 'empty.zip');
    const [file] = (await uploaded(mine, zip)) as [FileValue];
    const refused = await chat(mine, 'reads/m', [named(file)]);
    expect(codeOf(refused)).toEqual([400, 'input_unsupported']);
    expect(refused.text).toContain('empty.zip');
    const [unknown] = (await uploaded(mine, new File([new Uint8Array([0, 1, 2, 255])], 'x.bin'))) as [
      FileValue,
    ];
    expect(codeOf(await chat(mine, 'reads/m', [named(unknown)]))).toEqual([400, 'input_unsupported']);
    expect(asked()).toBeUndefined();
  });

  test('get a PDF as it is where they accept files', async () => {
    const asked = await provider('pdfs', ['text', 'file']);
    const bytes = Buffer.from('%PDF-1.4\n%%EOF');
    const [file] = (await uploaded(mine, new File([bytes], 'a.pdf', { type: 'application/pdf' }))) as [
      FileValue,
    ];
    await chat(mine, 'pdfs/m', [named(file)]);
    const data = `data:application/pdf;base64,${bytes.toString('base64')}`;
    const part = { type: 'file', file: { filename: 'a.pdf', file_data: data } };
    expect(asked()).toEqual([{ role: 'user', content: [part] }]);
  });

  test('of a node with a prompt of its own get the files too, as its `documents` says', async () => {
    const asked = await provider('node', ['text', 'image']);
    const [dot, people] = (await uploaded(mine, png(), csv())) as [FileValue, FileValue];
    const content = [{ type: 'text', text: 'it' }, named(dot), named(people)];
    const answer = await chat(mine, 'flow:describe', content);
    expect(answer.status).toBe(200);
    const left = { type: 'text', text: '[file people.csv, 17 bytes, is not shown to you]' };
    expect(asked()).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Describe it' }, dotPart, left] },
    ]);
  });

  test('of an agent get them', async () => {
    const asked = await provider('agent', ['text', 'image']);
    const made = await ask(`${server.url}/api/v2/serve/apps`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        app_name: 'Viewer',
        app_describe: 'Looks.',
        team_mode: 'single_agent',
        language: 'en',
        details: [
          {
            agent_name: 'Viewer',
            node_id: 'v',
            prompt_template: 'Look.',
            llm_strategy: 'priority',
            llm_strategy_value: 'agent/m',
            resources: [],
          },
        ],
      }),
    });
    const { app_code: code } = (made.body as { data: { app_code: string } }).data;
    const [dot] = (await uploaded(mine, png())) as [FileValue];
    const answer = await chat(mine, `app:${code}`, [{ type: 'text', text: 'Well?' }, named(dot)]);
    expect(textOf(answer)).toBe('Seen');
    expect((asked() as unknown[]).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Well?' }, dotPart],
    });
  });
});

test('OpenAI’s clients upload with their own route', async () => {
  const body = new FormData();
  body.append('purpose', 'user_data');
  body.append('file', csv());
  const { status, body: file } = await ask(`${server.url}/v1/files`, { method: 'POST', headers: mine, body });
  expect(status).toBe(200);
  expect(file).toMatchObject({ object: 'file', bytes: 17, filename: 'people.csv', purpose: 'user_data' });
  const { id } = file as { id: string };
  const part = { type: 'file', file: { file_id: id } };
  expect(textOf(await chat(mine, 'flow:names', [part]))).toBe('people.csv text/csv 17 / 0');
});

test('The flow of the documentation answers about a PDF', async () => {
  const openai = await startOpenAi((response) => sendChunks(response, [{ content: 'Read' }], 'stop'));
  const body = { type: 'openai-compatible', baseUrl: openai.url, models: [{ name: 'm' }] };
  await owner.data('PUT', '/providers/documented', body);
  const pdf = new File([Buffer.from(paper(['The answer is 42.']))], 'paper.pdf', { type: 'application/pdf' });
  const [file] = (await uploaded(mine, pdf)) as [FileValue];
  const answer = await chat(mine, 'flow:documented', [{ type: 'text', text: 'Well?' }, named(file)]);
  expect([answer.text, textOf(answer)]).toEqual([expect.any(String), 'Read']);
  const [asked] = (openai.asked[0] as unknown as { body: { messages: { content: string }[] } }).body.messages;
  expect(asked?.content).toMatch(/^Well\?\n\nThe document:\nThe answer is 42\./);
  expect(codeOf(await chat(mine, 'flow:documented', [named(file), named(file)]))).toEqual([
    413,
    'too_many_values',
  ]);
});
