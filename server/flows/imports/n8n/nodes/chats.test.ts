import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { startBed, tempFolder } from '../../../../testing/platform-bed.ts';
import { errorsIn, importedShort } from '../testing/service-bed.ts';
import type { Short } from '../testing/short.ts';

/** Messages that workflows of n8n send into their chat. */

const KEY = 'test-key-of-the-chats';
const trigger = ['chatTrigger@1.3', { options: { responseMode: 'responseNodes' } }] as const;
const send = (message: string): Short['nodes'][string] => ['chat@1', { message, waitUserReply: false }];
const ask = (message: string, options = {}): Short['nodes'][string] => ['chat@1', { message, options }];
const set = (name: string, value: string): Short['nodes'][string] => [
  'set@3.4',
  { includeOtherFields: true, assignments: { assignments: [{ name, type: 'string', value }] } },
];

async function imported(short: Short): Promise<{ flow: Flow; told: string; words: Record<string, string> }> {
  const { flows, report } = await importedShort(short);
  expect(errorsIn(flows)).toEqual([]);
  return {
    flow: flows[0] as Flow,
    told: report.changes.map(({ effect, node, message }) => `${effect} ${node} ${message}`).join('\n'),
    words: Object.fromEntries(report.nodes.map(({ name, word }) => [name, word])),
  };
}

/** A server with the flow, live, and what a chat with it answers. */
async function chatting(flow: Flow) {
  const folder = await tempFolder();
  await writeFile(join(folder, `${flow.id}.json`), formatFlow(flow));
  const bed = await startBed({ flows: [folder], apiKeys: [KEY] });
  const chat = async (messages: string, conversation = 'c'): Promise<string> => {
    const answer = await fetch(`${bed.url}/api/v2/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `flow:${flow.id}`, messages, stream: false, conv_uid: conversation }),
    });
    expect(answer.status, await answer.clone().text()).toBe(200);
    const { choices } = (await answer.json()) as { choices: [{ message: { content: string } }] };
    return choices[0].message.content;
  };
  return { bed, chat };
}

test('a message is the answer of the chat, and the workflow goes on with its items', async () => {
  const { flow } = await imported({
    nodes: {
      Chat: trigger,
      Name: set('name', '={{ $json.chatInput.toUpperCase() }}'),
      Send: send('=Hello {{ $json.name }}!'),
      After: set('seen', '={{ $json.name }}'),
    },
    wires: ['Chat > Name', 'Name > Send', 'Send > After'],
  });
  const { chat } = await chatting(flow);
  expect(await chat('ada')).toBe('Hello ADA!');
});

const known = {
  conditions: {
    combinator: 'and',
    conditions: [
      {
        leftValue: '={{ $json.chatInput }}',
        rightValue: 'tea',
        operator: { type: 'string', operation: 'contains' },
      },
    ],
  },
};

test('a reply that leads back to the start is the next message of the chat', async () => {
  const { flow, told } = await imported({
    nodes: {
      Chat: trigger,
      If: ['if@2', known],
      Again: ask('=What is {{ $json.chatInput }}?'),
      Done: send('=Here is your tea, {{ $json.sessionId }}.'),
    },
    wires: ['Chat > If', 'If > Done', 'If.1 > Again', 'Again > If'],
  });
  expect(told).toContain('changed Again It ends the run');
  const { chat } = await chatting(flow);
  expect(await chat('coffee', 'talk-1')).toBe('What is coffee?');
  expect(await chat('tea', 'talk-1')).toBe('Here is your tea, talk-1.');
});

test('any other reply is written on a page, whose address the chat gets', async () => {
  const { flow } = await imported({
    nodes: {
      Chat: trigger,
      Ask: ask('=Who are you, {{ $json.chatInput }}?', {
        limitWaitTime: { values: { resumeAmount: 2, resumeUnit: 'days' } },
      }),
      After: set('who', '={{ $json.chatInput }}'),
    },
    wires: ['Chat > Ask', 'Ask > After'],
  });
  expect(flow.nodes['ask']).toMatchObject({
    operator: 'human.form',
    params: { expiresAfter: 172_800_000 },
  });
  const { chat } = await chatting(flow);
  expect(await chat('stranger')).toMatch(/^Who are you, stranger\?\n\nhttp:\/\/\S+\/wait\/\S+$/);
});

test('a second message of a run is a placeholder, one on another branch is not', async () => {
  const nodes: Short['nodes'] = { Chat: trigger, If: ['if@2', known], One: send('1'), Two: send('2') };
  const apart = await imported({ nodes, wires: ['Chat > If', 'If > One', 'If.1 > Two'] });
  expect(apart.words).toMatchObject({ One: 'close', Two: 'close' });
  const { report } = await importedShort({ nodes, wires: ['Chat > If', 'If > One', 'One > Two'] });
  expect(report.nodes.find(({ name }) => name === 'Two')).toMatchObject({
    word: 'placeholder',
    difference: expect.stringContaining('“One”'),
  });
});

test.each([
  [
    'in a loop',
    { Loop: ['splitInBatches@3', {}] },
    ['Chat > Loop', 'Loop.1 > Send', 'Send > Loop'],
    send('x'),
  ],
  [
    'for an approval',
    { End: set('a', 'b') },
    ['Chat > Send', 'Send > End'],
    ['chat@1.3', { operation: 'sendAndWait', message: 'Go?', responseType: 'approval' }],
  ],
] as const)('a message %s is a placeholder', async (_, nodes, wires, node) => {
  const { report } = await importedShort({
    nodes: { Chat: trigger, ...nodes, Send: node } as Short['nodes'],
    wires,
  });
  expect(report.nodes.find(({ name }) => name === 'Send')).toMatchObject({ word: 'placeholder' });
});
