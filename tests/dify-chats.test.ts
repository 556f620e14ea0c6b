import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { condition, field, model, output } from '../server/flows/imports/dify/testing/dify-app.ts';
import { call } from './support/client.ts';
import { difyServer, end, messagesOf, start, template } from './support/dify-server.ts';
import { eventually } from './support/eventually.ts';

/** Chatflows, apps without a graph, and files, written by hand as Dify exports them, in real chats with a model that stands in. */
const dify = difyServer();

describe('chatflows', () => {
  const answering = (text: string) => ({ type: 'answer', answer: text, variables: [] });

  test('a model remembers the conversation, and its answer is streamed', async () => {
    const { id } = await dify.live({
      mode: 'advanced-chat',
      nodes: {
        start: start(),
        llm: {
          type: 'llm',
          model,
          prompt_template: [{ role: 'system', text: 'Hi.' }],
          memory: { window: { enabled: true, size: 3 }, query_prompt_template: '{{#sys.query#}}!' },
          context: { enabled: false },
          vision: { enabled: false },
        },
        answer: answering('{{#llm.text#}}'),
      },
      edges: ['start > llm', 'llm > answer'],
    });
    expect(await dify.chat(id, 'one', 'talk')).toBe('!eno');
    expect(await dify.chat(id, 'two', 'talk')).toBe('!owt');
    expect(messagesOf(dify.asked)).toEqual([
      { role: 'system', content: 'Hi.' },
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '!eno' },
      { role: 'user', content: 'two!' },
    ]);
  });

  test('several answers follow each other', async () => {
    const { id } = await dify.live({
      mode: 'advanced-chat',
      nodes: {
        start: start(),
        first: answering('--- 1 ---\n'),
        llm: {
          type: 'llm',
          model,
          prompt_template: [{ role: 'user', text: '{{#sys.query#}}' }],
          vision: { enabled: false },
        },
        second: answering('--- 2 ---\n{{#llm.text#}}\n'),
      },
      edges: ['start > llm', 'llm > first', 'first > second'],
    });
    expect(await dify.chat(id, 'abc')).toBe('--- 1 ---\n--- 2 ---\ncba\n');
  });

  test('of answers in branches the one that is reached is the answer, streamed where a model says it', async () => {
    const llm = (text: string) => ({
      type: 'llm',
      model,
      prompt_template: [{ role: 'user', text }],
      vision: { enabled: false },
    });
    const { id, report } = await dify.live({
      mode: 'advanced-chat',
      nodes: {
        start: start(),
        check: {
          type: 'if-else',
          cases: [
            {
              case_id: 'a',
              logical_operator: 'and',
              conditions: [condition(['sys', 'query'], 'contains', 'a')],
            },
            {
              case_id: 'b',
              logical_operator: 'and',
              conditions: [condition(['sys', 'query'], 'contains', 'b')],
            },
          ],
        },
        one: llm('one {{#sys.query#}}'),
        two: llm('two {{#sys.query#}}'),
        says_one: answering('{{#one.text#}}'),
        says_two: answering('{{#two.text#}}'),
        says_none: answering('none'),
      },
      edges: [
        'start > check',
        'check/a > one',
        'check/b > two',
        'check/false > says_none',
        'one > says_one',
        'two > says_two',
      ],
    });
    expect(await dify.chat(id, 'a')).toBe('a eno');
    expect(await dify.chat(id, 'b')).toBe('b owt');
    expect(await dify.chat(id, 'c')).toBe('none');
    expect(report.nodes.filter(({ into }) => into?.startsWith('the streamed answer') === true)).toHaveLength(
      2,
    );
  });

  test('variables of a conversation are kept from message to message, each conversation its own', async () => {
    const { id } = await dify.live({
      mode: 'advanced-chat',
      workflow: {
        conversation_variables: [
          { name: 'words', value: [], value_type: 'array[string]' },
          { name: 'last', value: 'none', value_type: 'string' },
        ],
      },
      nodes: {
        start: start(),
        check: {
          type: 'if-else',
          cases: [
            {
              case_id: 'true',
              logical_operator: 'and',
              conditions: [condition(['sys', 'query'], 'start with', 'add')],
            },
          ],
        },
        add: {
          type: 'assigner',
          version: '2',
          items: [
            {
              variable_selector: ['conversation', 'words'],
              operation: 'append',
              input_type: 'variable',
              value: ['sys', 'query'],
            },
            {
              variable_selector: ['conversation', 'last'],
              operation: 'over-write',
              input_type: 'variable',
              value: ['sys', 'query'],
            },
          ],
        },
        clear: {
          type: 'assigner',
          assigned_variable_selector: ['conversation', 'words'],
          write_mode: 'clear',
          input_variable_selector: [],
        },
        text: template(
          '{{ words | length }} {{ words | join(",") }} ({{ last }})',
          ['words', 'conversation', 'words'],
          ['last', 'conversation', 'last'],
        ),
        answer: answering('{{#text.output#}} #{{#sys.dialogue_count#}}'),
      },
      edges: [
        'start > check',
        'check/true > add',
        'check/false > clear',
        'add > text',
        'clear > text',
        'text > answer',
      ],
    });
    expect(await dify.chat(id, 'add a', 'c1')).toBe('1 add a (add a) #1');
    expect(await dify.chat(id, 'add b', 'c1')).toBe('2 add a,add b (add b) #2');
    expect(await dify.chat(id, 'add c', 'c2')).toBe('1 add c (add c) #1');
    expect(await dify.chat(id, 'stop', 'c1')).toBe('0  (add b) #3');
  });

  test('answers within an iteration come first, and what it assigns is there afterwards', async () => {
    const { id } = await dify.live({
      mode: 'advanced-chat',
      workflow: {
        conversation_variables: [
          { name: 'fruits', value: ['apple', 'banana'], value_type: 'array[string]' },
          { name: 'seen', value: '', value_type: 'string' },
        ],
      },
      nodes: {
        start: start(),
        each: {
          type: 'iteration',
          iterator_selector: ['conversation', 'fruits'],
          output_selector: ['inner', 'answer'],
          output_type: 'array[string]',
          flatten_output: false,
          start_node_id: 's',
        },
        s: { type: 'iteration-start', in: 'each' },
        keep: {
          type: 'assigner',
          in: 'each',
          version: '2',
          items: [
            {
              variable_selector: ['conversation', 'seen'],
              operation: '+=',
              input_type: 'variable',
              value: ['each', 'item'],
            },
          ],
        },
        inner: { ...answering('{{#each.item#}} {{#conversation.seen#}}\n'), in: 'each' },
        done: answering('done {{#conversation.seen#}} {{#each.output#}}'),
      },
      edges: ['start > each', 's > keep', 'keep > inner', 'each > done'],
    });
    const all = 'apple apple\nbanana applebanana\n';
    expect(await dify.chat(id, 'go', 'fruit')).toBe(
      `${all}done applebanana ${JSON.stringify(['apple apple\n', 'banana applebanana\n'])}`,
    );
    expect(await dify.chat(id, 'go', 'fruit')).toContain('apple applebananaapple\n');
  });

  test('an answer from documents', async () => {
    const { id, report } = await dify.live({
      mode: 'advanced-chat',
      nodes: {
        start: start(),
        find: {
          type: 'knowledge-retrieval',
          dataset_ids: ['1b6f0c62-8a1d-4b6d-9e33-000000000000'],
          query_variable_selector: ['sys', 'query'],
          retrieval_mode: 'multiple',
          multiple_retrieval_config: { top_k: 2, reranking_enable: false },
        },
        llm: {
          type: 'llm',
          model,
          context: { enabled: true, variable_selector: ['find', 'result'] },
          prompt_template: [
            { role: 'system', text: 'Known: {{#context#}}' },
            { role: 'user', text: '{{#sys.query#}}' },
          ],
          vision: { enabled: false },
        },
        answer: answering('{{#llm.text#}}'),
      },
      edges: ['start > find', 'find > llm', 'llm > answer'],
    });
    const [space] = report.needs.filter(({ kind }) => kind === 'knowledge');
    const made = await dify.owner.data<{ id: string }>('POST', '/knowledge/spaces', { name: space?.name });
    await dify.owner.data('POST', `/knowledge/spaces/${made.id}/documents`, {
      name: 'green.md',
      text: 'Green tea steeps two minutes.',
    });
    await eventually(async () => {
      const { items } = await dify.owner.data<{ items: { status: string }[] }>(
        'GET',
        `/knowledge/spaces/${made.id}/documents`,
      );
      expect(items.map(({ status }) => status)).toEqual(['ready']);
    });
    expect(await dify.chat(id, 'How long does green tea steep?')).toBe('?peets aet neerg seod gnol woH');
    expect(messagesOf(dify.asked)[0]?.content).toContain('Green tea steeps two minutes.');
  });

  test('a chat with fields has their defaults, and a request has its own', async () => {
    const { id } = await dify.live({
      mode: 'advanced-chat',
      nodes: {
        start: start(field('tone', 'select', { options: ['kind', 'dry'], required: false, default: 'dry' })),
        answer: answering('{{#start.tone#}}: {{#sys.query#}}'),
      },
      edges: ['start > answer'],
    });
    expect(await dify.chat(id, 'Hi')).toBe('dry: Hi');
    expect(await dify.post(id, { text: 'Hi', tone: 'kind' })).toMatchObject({
      status: 200,
      body: 'kind: Hi',
    });
  });

  test('an agent without tools answers', async () => {
    const { id } = await dify.live({
      mode: 'advanced-chat',
      nodes: {
        start: start(),
        agent: {
          type: 'agent',
          agent_strategy_name: 'function_calling',
          agent_parameters: {
            model: {
              type: 'constant',
              value: { provider: 'langgenius/stand/stand', model: 'm', completion_params: {} },
            },
            instruction: { type: 'constant', value: 'Be brief.' },
            query: { type: 'constant', value: '{{#sys.query#}}' },
            maximum_iterations: { type: 'constant', value: 3 },
          },
        },
        answer: answering('<{{#agent.text#}}>'),
      },
      edges: ['start > agent', 'agent > answer'],
    });
    expect(await dify.chat(id, 'abc')).toBe('<cba>');
  });
});

describe('apps without a graph', () => {
  const config = (mode: string, model_config: object) => ({
    yaml: stringify({ app: { name: 'Plain', mode }, kind: 'app', version: '0.6.0', model_config }),
  });
  const settings = {
    model,
    pre_prompt: 'Translate to {{language}}.',
    user_input_form: [
      { 'text-input': { variable: 'language', label: 'Language', required: false, default: 'French' } },
    ],
    opening_statement: 'Welcome',
  };

  test('a chat has its instructions and remembers', async () => {
    const { id, report } = await dify.live(config('chat', settings));
    expect(await dify.chat(id, 'one', 'plain')).toBe('eno');
    expect(await dify.chat(id, 'two', 'plain')).toBe('owt');
    expect(messagesOf(dify.asked).map(({ content }) => content)).toEqual([
      'Translate to French.',
      'one',
      'eno',
      'two',
    ]);
    expect(report.changes.map(({ message }) => message)).toContain(
      'A chat of a flow begins without an opening statement; it is left out.',
    );
  });

  test('a completion writes its text', async () => {
    const { id } = await dify.live(config('completion', { ...settings, pre_prompt: 'Say {{language}}' }));
    expect(await dify.post(id, { language: 'tea' })).toMatchObject({ status: 200, body: 'aet yaS' });
  });

  test('an agent has the documents as its tool', async () => {
    const { id } = await dify.live(
      config('agent-chat', {
        model,
        pre_prompt: 'Help.',
        agent_mode: {
          enabled: true,
          strategy: 'function_call',
          max_iteration: 3,
          tools: [{ dataset: { enabled: true, id: 'abc-def' } }],
        },
      }),
    );
    await dify.owner.data('POST', '/knowledge/spaces', { name: 'dify-abc-def' });
    expect(await dify.chat(id, 'abc')).toBe('cba');
  });
});

test('files are read by their type', async () => {
  const { id } = await dify.live({
    nodes: {
      start: start(field('docs', 'file-list')),
      text: { type: 'document-extractor', variable_selector: ['start', 'docs'], is_array_file: true },
      join: template('{{ texts | join("|") }}', ['texts', 'text', 'text']),
      end: end(output('all', 'join', 'output')),
    },
    edges: ['start > text', 'text > join', 'join > end'],
  });
  const form = new FormData();
  form.append('docs', new Blob(['plain words'], { type: 'text/plain' }), 'a.txt');
  form.append('docs', new Blob(['<h1>Title</h1><p>of a page</p>'], { type: 'text/html' }), 'b.html');
  const answer = await call(dify.server, `/${id}`, { method: 'POST', body: form });
  expect(answer.body).toEqual({ all: expect.stringMatching(/^plain words\|# Title\n+of a page$/) });
  const uploads = await dify.live({
    workflow: { features: { file_upload: { enabled: true } } },
    nodes: {
      start: start(),
      text: { type: 'document-extractor', variable_selector: ['sys', 'files'], is_array_file: true },
      end: end(output('all', 'text', 'text')),
    },
    edges: ['start > text', 'text > end'],
  });
  const one = new FormData();
  one.append('files', new Blob(['beside the fields'], { type: 'text/plain' }), 'c.txt');
  const upload = await call(dify.server, `/${uploads.id}`, { method: 'POST', body: one });
  expect(upload.body).toEqual({ all: ['beside the fields'] });
});
