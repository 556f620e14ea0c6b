import { fc } from '../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import { chartMarkup, referencesMarkup, referencesText } from '#shared/chat-markup.ts';
import { keptAnswer, plainText, readBlocks } from './blocks.ts';

const message = (markdown: string, sender = 'A') =>
  `\`\`\`agent-messages\n${JSON.stringify([{ sender, receiver: 'User', model: 'demo/chat', markdown }])}\n\`\`\``;
const plan = (num: number, status: string, markdown = '') =>
  `\`\`\`agent-plans\n${JSON.stringify([{ name: `step ${num}`, num, status, agent: 'A', markdown }])}\n\`\`\``;

describe('readBlocks', () => {
  it('takes messages out of the text, in order', () => {
    expect(readBlocks(`before\n${message('*one*')}\n${message('two', 'B')}\nafter`).parts).toEqual([
      { kind: 'text', text: 'before' },
      { kind: 'message', message: { sender: 'A', receiver: 'User', model: 'demo/chat', markdown: '*one*' } },
      { kind: 'message', message: { sender: 'B', receiver: 'User', model: 'demo/chat', markdown: 'two' } },
      { kind: 'text', text: 'after' },
    ]);
  });

  it('shows each step of a plan once, as it stands last, by its number', () => {
    const answer = [plan(2, 'running'), plan(1, 'running'), plan(2, 'complete', message('done'))].join('\n');
    const { plans, parts } = readBlocks(answer);
    expect(plans.map(({ num, status }) => [num, status])).toEqual([
      [1, 'running'],
      [2, 'complete'],
    ]);
    expect(plans[1]?.messages.map(({ markdown }) => markdown)).toEqual(['done']);
    expect(parts).toEqual([]);
  });

  it('leaves out a plan that repeats the answer, with which apps without a plan end', () => {
    const said = message('Hello');
    const plan = (markdown: string) =>
      `\`\`\`agent-plans\n${JSON.stringify([{ name: 'Hi?', num: 1, status: 'complete', agent: 'A', markdown }])}\n\`\`\``;
    expect(readBlocks(`${said}\n${plan(said)}`)).toMatchObject({ plans: [], parts: [{ kind: 'message' }] });
    expect(readBlocks(`${said}\n${plan(message('Other'))}`).plans).toHaveLength(1);
  });

  it.each(['```agent-plans\nnot JSON\n```', '```agent-messages\n{"a": 1}\n```', '```js\n[]\n```'])(
    'leaves what is no block of agents as it is: %s',
    (text) => {
      expect(readBlocks(text)).toEqual({ plans: [], parts: [{ kind: 'text', text }] });
    },
  );

  it('takes U+2028 for a character, not for the end of a line', () => {
    const { parts } = readBlocks(message('one\u2028two'));
    expect(parts.map((part) => part.kind === 'message' && part.message.markdown)).toEqual(['one\u2028two']);
  });

  it('gives back every text that an agent has said, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1 }), (texts) => {
        const said = readBlocks(texts.map((text) => message(text)).join('\n')).parts;
        expect(said.map((part) => (part.kind === 'message' ? part.message.markdown : part))).toEqual(texts);
      }),
    );
  });
});

it('plainText is what was said, without names and plans', () => {
  expect(plainText(`${plan(1, 'complete')}\n${message('one')}\n${message('two')}`)).toBe('one\n\ntwo');
});

it('reads sources and rows as the server writes them, and leaves what only looks so', () => {
  const documents = [
    {
      name: 'a "b" & <c>.md',
      passages: [
        {
          n: 1,
          id: '7',
          page: 2,
          heading: 'Tea',
          text: 'Green\ntea',
          quote: 'Green "tea" <b>',
          score: 1,
          metadata: { year: 2026 },
          href: '/api/v1/x?offset=1&limit=1',
        },
      ],
    },
  ];
  const rows = [{ name: 'Ada <&"> "x"', total: 12.5, none: null }];
  const answer = `Two minutes [1].${referencesMarkup({ documents })}\n${chartMarkup({ type: 'response_table', sql: 'SELECT "x" < 1', rows, more: false })}`;
  expect(readBlocks(answer).parts).toEqual([
    { kind: 'text', text: 'Two minutes [1].' },
    {
      kind: 'sources',
      sources: [
        {
          n: 1,
          name: 'a "b" & <c>.md',
          page: 2,
          heading: 'Tea',
          quote: 'Green "tea" <b>',
          href: '/api/v1/x?offset=1&limit=1',
        },
      ],
    },
    { kind: 'rows', type: 'response_table', title: '', sql: 'SELECT "x" < 1', rows, problem: '' },
  ]);
  expect(keptAnswer('How long?', answer)).toEqual({
    question: 'How long?',
    answer: expect.stringMatching(/^Two minutes \[1\]\.\n\nSELECT "x" < 1/),
    documents: ['a "b" & <c>.md'],
  });
  expect(plainText(answer)).toContain('[1] a "b" & <c>.md: Green "tea" <b>');
  // As a conversation that is read again has it.
  expect(readBlocks(`Two minutes [1].${referencesText({ documents })}`).parts).toEqual([
    { kind: 'text', text: 'Two minutes [1].' },
    {
      kind: 'sources',
      sources: [
        {
          n: 1,
          name: 'a "b" & <c>.md, page 2, Tea',
          page: null,
          heading: '',
          quote: 'Green "tea" <b>',
          href: '/api/v1/x?offset=1&limit=1',
        },
      ],
    },
  ]);
  const broken = 'See <chart-view content="{nothing"></chart-view>';
  expect(readBlocks(broken).parts).toEqual([{ kind: 'text', text: broken }]);
});

it('reads the charts of DB-GPT: elements of every kind, fenced blocks, dashboards', () => {
  const data = [{ month: 'May', total: 3 }];
  const one = { type: 'response_line_chart', title: '', sql: 'SELECT 1', rows: data, problem: '' };
  const element = JSON.stringify({ type: one.type, sql: one.sql, data }).replaceAll('"', '&quot;');
  for (const [text, expected] of [
    [`<chart-view content="${element}">\n</chart-view>`, [one]],
    [`<chart-view content="${element}" />`, [one]],
    [`\`\`\`vis-chart\n${JSON.stringify({ ...one, data }, null, 1)}\n\`\`\``, [one]],
    [
      `\`\`\`vis-db-chart\n${JSON.stringify({ ...one, title: 'Sales', data })}\n\`\`\``,
      [{ ...one, title: 'Sales' }],
    ],
    [
      `\`\`\`vis-dashboard\n${JSON.stringify({
        data: [
          { ...one, data },
          { sql: 'SELECT x', err_msg: 'no x' },
        ],
        chart_count: 2,
      })}\n\`\`\``,
      [one, { type: '', title: '', sql: 'SELECT x', rows: [], problem: 'no x' }],
    ],
  ] as const)
    expect(readBlocks(`Here:\n${text}\nDone.`).parts).toEqual([
      { kind: 'text', text: 'Here:' },
      ...expected.map((chart) => ({ kind: 'rows', ...chart })),
      { kind: 'text', text: 'Done.' },
    ]);
  for (const text of ['```vis-chart\nnull\n```', '```vis-chart\n{"sql": 1}\n```', '```vis-chart\n{"a'])
    expect(readBlocks(text).parts).toEqual([{ kind: 'text', text }]);
});
