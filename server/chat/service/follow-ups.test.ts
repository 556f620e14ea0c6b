import { expect, test } from 'vitest';
import type { ModelCall } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { Config } from '../../base/config/config.ts';
import { type ChatBed, startChatBed } from './testing/chat-bed.ts';

/** Questions to a knowledge space that depend on the conversation, and the addresses of citations. */

const DOCUMENTS = {
  'travel.md':
    '# Per diem\n\nThe per diem for France is 55 euro.\n\n# Norway\n\nThe per diem for Norway is 70 euro.',
  'supply.md': '# Contract\n\nThe other party delivers to the northern one of two warehouses.',
};

const finish: ChatItem = {
  type: 'finish',
  reason: 'stop',
  usage: { inputTokens: 10, outputTokens: 5 },
  model: 'test/model',
};
const isRewrite = ({ messages }: ModelCall) =>
  String(messages[0]?.content).includes('understandable without');

/** `rewritten` is the question as the model rewrites it; an error fails its call. */
async function startTravel(rewritten: string | Error, changes: Partial<Config> = {}) {
  const calls: ModelCall[] = [];
  const bed = await startChatBed(
    {
      async *model(call) {
        calls.push(call);
        if (isRewrite(call) && rewritten instanceof Error) throw rewritten;
        yield { type: 'text', text: isRewrite(call) ? (rewritten as string) : 'It is known [1].' };
        yield finish;
      },
    },
    changes,
  );
  const knowledge = await bed.ctx.knowledge.opened();
  await knowledge.addSpace({ name: 'travel', model: null });
  const by = { flow: 't', version: '', run: 't', node: 't', operator: 'knowledge.load' };
  for (const [name, content] of Object.entries(DOCUMENTS))
    await knowledge.load({ space: 'travel', name, content, metadata: {} }, by, new AbortController().signal);
  return { bed, calls };
}

const FIRST = 'What is the per diem for France?';
const NEXT = 'And for the other northern one?';
const conversation = [
  { role: 'user', content: FIRST },
  { role: 'assistant', content: 'The per diem for France is 55 euro [1].' },
  { role: 'user', content: NEXT },
];

async function ask(bed: ChatBed, body: object, path = '/v1/chat/completions') {
  const { ctx, url } = bed;
  const scopes = ['chat', 'knowledge:read', 'runs:read'] as const;
  const { key } = await ctx.keys.create({ name: `k${Math.random()}`, scopes: [...scopes] });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
  const run = answer.headers.get('x-weft-run') ?? '';
  const content = (JSON.parse(text) as { choices: [{ message: { content: string } }] }).choices[0].message
    .content;
  const read = async (): Promise<string> =>
    (await fetch(`${url}/api/v1/runs/${run}/export`, { headers })).text();
  return { content, read };
}

const first = (content: string): string => /\n\n(\[1\] .*)/.exec(content)?.[1] ?? '';

test('the model rewrites a follow-up question once, and the answer and the run show the searched text', async () => {
  const { bed, calls } = await startTravel('“What is the per diem for Norway?”\n');
  const { content, read } = await ask(bed, { model: 'knowledge:travel', messages: conversation });
  expect(content).toContain('Searched for: “What is the per diem for Norway?”');
  expect(first(content)).toContain('travel.md, Norway: “');
  const rewrites = calls.filter(isRewrite);
  expect(rewrites).toHaveLength(1);
  expect(rewrites[0]?.maxTokens).toBeLessThanOrEqual(300);
  expect(String(rewrites[0]?.messages[1]?.content)).toContain(FIRST);
  // The model answers the original question.
  expect(String(calls.find((call) => !isRewrite(call))?.messages.at(-1)?.content)).toContain(
    `Question: ${NEXT}`,
  );
  const record = await read();
  expect(record).toContain('Searched for: What is the per diem for Norway?');
  expect(record).toContain(NEXT);
});

test('a stored conversation counts too, and clients that know modes get the same search', async () => {
  const { bed, calls } = await startTravel('What is the per diem for Norway?');
  const { key } = await bed.ctx.keys.create({ name: 'one', scopes: ['chat', 'knowledge:read'] });
  const say = async (text: string) => {
    const answer = await bed.chat(
      {
        model: 'x',
        chat_mode: 'chat_knowledge',
        chat_param: 'travel',
        conv_uid: 'c1',
        stream: false,
        messages: [{ role: 'user', content: text }],
      },
      { headers: { authorization: `Bearer ${key}` } },
    );
    return answer.text();
  };
  expect(await say(FIRST)).not.toContain('Searched for');
  expect(calls.filter(isRewrite)).toHaveLength(0);
  expect(await say(NEXT)).toContain('Searched for: “What is the per diem for Norway?”');
  // The prompt does not contain the evidence of the search.
  expect(JSON.stringify(calls.filter(isRewrite)[0]?.messages)).not.toContain('supply.md');
});

test.each([
  ['when the model fails', new Error('down'), {}],
  ['when its answer is empty', ' \n', {}],
  ['when the setting requires it', 'unused', { followUps: 'words' as const }],
])('words of the last turns are added %s', async (_, rewritten, changes) => {
  const { bed, calls } = await startTravel(rewritten, changes);
  const { content } = await ask(bed, { model: 'knowledge:travel', messages: conversation });
  expect(content).toContain('Searched for: “northern per diem France”');
  expect(first(content)).toContain('travel.md');
  expect(calls.filter(isRewrite)).toHaveLength('followUps' in changes ? 0 : 1);
  const other = [
    ...conversation.slice(0, 2),
    { role: 'user', content: 'Where does the contract party deliver goods?' },
  ];
  if ('followUps' in changes)
    expect((await ask(bed, { model: 'knowledge:travel', messages: other })).content).not.toContain(
      'Searched for',
    );
});

test('without a follow-up, or with the setting off, the question is searched unchanged', async () => {
  const { bed, calls } = await startTravel('unused', { followUps: 'off' });
  const { content } = await ask(bed, { model: 'knowledge:travel', messages: conversation });
  expect(content).not.toContain('Searched for');
  expect(calls.filter(isRewrite)).toHaveLength(0);
});

test.each([
  ['the address of the request', undefined],
  ['WEFT_PUBLIC_URL', 'https://weft.example.com/'],
])('other programs get citations with complete addresses: %s', async (_, publicUrl) => {
  const { bed } = await startTravel('unused', publicUrl === undefined ? {} : { publicUrl });
  const origin = publicUrl?.replace(/\/$/, '') ?? bed.url;
  const body = { model: 'knowledge:travel', messages: [{ role: 'user', content: FIRST }] };
  const { content } = await ask(bed, body);
  const address = /<([^<>]*)>$/.exec(first(content))?.[1] ?? '';
  // An address in angle brackets is a link in CommonMark if it has a scheme and neither blanks nor brackets.
  expect(address).toMatch(/^https?:\/\/[^\s<>]+$/);
  expect(address.startsWith(`${origin}/knowledge/documents/1?chunk=0&quote=`)).toBe(true);
  const vis = await ask(bed, { ...body, enable_vis: true }, '/api/v2/chat/completions');
  expect(vis.content).toContain(`&quot;href&quot;: &quot;${origin}/knowledge/documents/1?chunk=0`);
});
