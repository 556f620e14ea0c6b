import { describe, expect, test } from 'vitest';
import { type HttpService, WeftError } from '#engine';
import type { RunEvent } from '#shared/run-event.ts';
import { mapFlow, rowFlow } from '../../execution/runs/testing/flow-bed.ts';
import { createAgentBed, testApp, testDetail } from './testing/agent-bed.ts';
import { scriptedModels } from './testing/scripted-models.ts';

const agent = { name: 'Ada', prompt: 'You are Ada.' };
const logs = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'log' ? [event.text] : []));

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

describe('one agent', () => {
  test('passes on the output of its model piece by piece, with the speaker first and one finish last', async () => {
    const { models, calls } = scriptedModels(() => ['Hel', 'lo']);
    const { ask } = await createAgentBed({ models });
    const { items, events, error } = await ask({ agent: { ...agent, model: 'small' } });
    expect(error).toBeUndefined();
    expect(items).toEqual([
      { type: 'speaker', sender: 'Ada', receiver: 'User', model: 'test/small' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 10, outputTokens: 5 }, model: 'small' },
    ]);
    expect(calls[0]).toMatchObject({
      model: 'small',
      messages: [
        { role: 'system', content: 'You are Ada.' },
        { role: 'user', content: 'What is up?' },
      ],
    });
    expect(logs(events)).toEqual(['Ada asked small']);
  });

  test('of an app is its first detail; its history comes before the question', async () => {
    const { models, calls } = scriptedModels(() => ['Yes']);
    const apps = [testApp({ details: [testDetail('Bob'), testDetail('Eve')] })];
    const { ask } = await createAgentBed({ models, apps });
    const question = {
      text: 'And now?',
      messages: [{ role: 'user', content: 'And now?' }],
      history: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
      conversation: 'c',
      model: null,
      stream: true,
    };
    const { items } = await ask({ app: 'demo' }, question);
    expect(items[0]).toMatchObject({ sender: 'Bob' });
    expect(calls[0]?.messages.map(({ content }) => content)).toEqual([
      'You are Bob.',
      'Hi',
      'Hello',
      'And now?',
    ]);
  });

  test('uses the settings of the request for the calls of its model', async () => {
    const { models, calls } = scriptedModels(() => ['Yes']);
    const { ask } = await createAgentBed({ models });
    const wishes = { temperature: 0.5, maxTokens: 7, topP: 0.9, stop: ['.'] };
    await ask({ agent }, { messages: [{ role: 'user', content: 'Hi' }], ...wishes });
    expect(calls[0]).toMatchObject(wishes);
  });

  test('of an app without details answers as the app', async () => {
    const { models, calls } = scriptedModels(() => ['Yes']);
    const { ask } = await createAgentBed({ models, apps: [testApp({})] });
    expect((await ask({ app: 'demo' })).items[0]).toMatchObject({ sender: 'Demo' });
    expect(calls[0]?.messages[0]).toEqual({ role: 'system', content: 'An app.' });
  });

  test('a missing app, and one that cannot answer, are reported', async () => {
    const { models } = scriptedModels(() => ['Yes']);
    const apps = [
      testApp({ app_code: 'native', team_mode: 'native_app', team_context: '{"chat_scene": "chat_excel"}' }),
      testApp({ app_code: 'empty', team_mode: 'auto_plan' }),
      testApp({ app_code: 'flowless', team_mode: 'awel_layout' }),
      testApp({ app_code: 'gone', team_mode: 'awel_layout', team_context: '{"uid":"gone"}' }),
    ];
    const { ask } = await createAgentBed({ models, apps });
    expect((await ask({ app: 'missing' })).error).toMatchObject({ code: 'app_not_found' });
    const unusable = (message: string) => ({
      code: 'app_unusable',
      message: expect.stringContaining(message) as string,
    });
    expect((await ask({ app: 'native' })).error).toMatchObject(unusable('chat_excel'));
    expect((await ask({ app: 'empty' })).error).toMatchObject(unusable('no agents'));
    expect((await ask({ app: 'flowless' })).error).toMatchObject(unusable('team_context'));
    expect((await ask({ app: 'gone' })).error).toMatchObject(unusable('no live flow `gone`'));
  });

  test.each([null, '{"chat_scene": "chat_knowledge"}', 'chat_normal'])(
    'of a native app with the scene %s answers with its resources',
    async (team_context) => {
      const { models } = scriptedModels(() => ['Yes']);
      const app = testApp({ team_mode: 'native_app', team_context, details: [testDetail('Bob')] });
      const { ask } = await createAgentBed({ models, apps: [app] });
      expect(await ask({ app: 'demo' })).toMatchObject({ text: 'Yes', error: undefined });
    },
  );

  test('asks its next model if the first one does not begin to answer', async () => {
    const { models, calls } = scriptedModels(({ model }) =>
      model === 'busy' ? [new WeftError('model_rate_limited', 'Too many.')] : ['Fine'],
    );
    const detail = testDetail('Bob', { llm_strategy: 'priority', llm_strategy_value: 'busy, calm' });
    const { ask } = await createAgentBed({ models, apps: [testApp({ details: [detail] })] });
    const { text, events } = await ask({ app: 'demo' });
    expect(text).toBe('Fine');
    expect(calls.map(({ model }) => model)).toEqual(['busy', 'calm']);
    expect(logs(events)[0]).toContain('Too many.');
  });

  test('a model that breaks off after it began is not asked again', async () => {
    const { models, calls } = scriptedModels(() => ['Half', new WeftError('model_unavailable', 'Gone.')]);
    const detail = testDetail('Bob', { llm_strategy: 'priority', llm_strategy_value: 'a,b' });
    const { ask } = await createAgentBed({ models, apps: [testApp({ details: [detail] })] });
    const { text, error } = await ask({ app: 'demo' });
    expect(text).toBe('Half');
    expect(error).toMatchObject({ code: 'model_unavailable' });
    expect(calls).toHaveLength(1);
  });
});

describe('tools', () => {
  const double = mapFlow('double', '{{ input.n * 2 }}');
  double.nodes['trigger'] = {
    operator: 'trigger.manual',
    params: { input: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
  };
  const tools = [{ type: 'flow', name: 'double', value: 'double' }];
  const withTools = { ...agent, tools };

  test('a flow is a tool with the flow’s schema, and a call of it is a run below the agent’s', async () => {
    const { models, calls } = scriptedModels((_, at) =>
      at === 1 ? ['Let me see. ', { call: 'double', args: { n: 21 } }] : ['It is 42.'],
    );
    const bed = await createAgentBed({ models, flows: [double] });
    const { items, text, events } = await bed.ask({ agent: withTools });
    expect(text).toBe('Let me see. It is 42.');
    expect(calls[0]?.tools).toEqual([
      {
        name: 'double',
        description: 'The flow double.',
        parameters: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      },
    ]);
    expect(calls[1]?.messages.slice(-2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see. ',
        toolCalls: [{ id: 'c1', name: 'double', arguments: { n: 21 } }],
      },
      { role: 'tool', content: '42', toolCallId: 'c1', name: 'double' },
    ]);
    expect(items.filter(({ type }) => type === 'tool-result')).toEqual([
      { type: 'tool-result', call: 'c1', name: 'double', content: '42', failed: false },
    ]);
    expect(items.at(-1)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 10 } });
    expect(logs(events)).toEqual([
      'Ada asked default',
      'Ada uses double',
      'double answered',
      'Ada asked default',
    ]);
  });

  test('the failure of a call is returned to the agent, which continues', async () => {
    const refuse = rowFlow('refuse', { stop: { operator: 'logic.stop', params: { message: 'Not today.' } } });
    const { models, calls } = scriptedModels((_, at) =>
      at > 1
        ? ['So be it.']
        : [
            { call: 'double', args: { n: 'many' } },
            { call: 'double', args: 'not json' },
            { call: 'treble' },
            { call: 'refuse' },
          ],
    );
    const own = { ...agent, tools: [...tools, { type: 'flow', name: 'refuse', value: '{"flow":"refuse"}' }] };
    const bed = await createAgentBed({ models, flows: [double, refuse] });
    const { text, items, error } = await bed.ask({ agent: own });
    expect(error).toBeUndefined();
    expect(text).toBe('So be it.');
    const results = items.flatMap((item) => (item.type === 'tool-result' ? [item] : []));
    expect(results.every(({ failed }) => failed)).toBe(true);
    expect(results[0]?.content).toMatch(/bad_input.*n/);
    expect(results[1]?.content).toContain('JSON object');
    expect(results[2]?.content).toContain('the tools are: `double`, `refuse`');
    expect(results[3]?.content).toContain('Not today.');
    expect(calls[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(4);
  });

  test('an unavailable tool is reported to the agent and in the log; the others work', async () => {
    const { models, calls } = scriptedModels(() => ['Fine']);
    const many = [
      ...tools,
      { type: 'flow', name: 'gone', value: 'gone' },
      { type: 'mcp', name: 'down', value: 'http://127.0.0.1:1/mcp' },
    ];
    const bed = await createAgentBed({ models, flows: [double] });
    const { text, events } = await bed.ask({ agent: { ...agent, tools: many } });
    expect(text).toBe('Fine');
    expect(calls[0]?.tools?.map(({ name }) => name)).toEqual(['double']);
    const [system] = calls[0]?.messages ?? [];
    expect(system?.content).toContain(
      '{"name":"gone","code":"sub_flow_missing","reason":"there is no live flow gone"}',
    );
    expect(system?.content).toContain('{"name":"down","code":"outbound_failed"');
    expect(logs(events)).toEqual(expect.arrayContaining(['Ada cannot use gone', 'Ada cannot use down']));
  });

  test('many calls of one round run at the same time, at most eight', async () => {
    let active = 0;
    let peak = 0;
    const many = Array.from({ length: 20 }, () => ({ call: 'slow' }));
    const { models } = scriptedModels((_, at) => (at === 1 ? many : ['Done']));
    const http: HttpService = {
      async send({ url }) {
        peak = Math.max(peak, ++active);
        await new Promise((resolve) => setTimeout(resolve, 5));
        active--;
        return { status: 200, headers: {}, url, body: bytes('ok') };
      },
    };
    const bed = await createAgentBed({ models, http });
    const slow = { type: 'http', name: 'slow', value: 'http://slow.example/' };
    const { items } = await bed.ask({ agent: { ...agent, tools: [slow] } });
    const results = items.filter((item) => item.type === 'tool-result');
    expect(results.map(({ content }) => content)).toEqual(many.map(() => 'ok'));
    expect(peak).toBe(8);
  });

  test('an agent that never stops using tools has to answer in the end', async () => {
    const { models, calls } = scriptedModels(({ toolChoice }) =>
      toolChoice === 'none' ? ['Enough.'] : [{ call: 'double', args: { n: 1 } }],
    );
    const bed = await createAgentBed({ models, flows: [double] });
    const { text, items } = await bed.ask({ agent: withTools });
    expect(text).toBe('Enough.');
    expect(calls).toHaveLength(21);
    expect(items.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });
});

describe('a flow as the team', () => {
  const layout = (team_context: string) =>
    testApp({ app_code: 'layout', team_mode: 'awel_layout', team_context });

  test('answers with its value, as the app', async () => {
    const { models } = scriptedModels(() => []);
    const shout = mapFlow('shout', '{{ upper(input.messages) }}');
    const bed = await createAgentBed({ models, flows: [shout], apps: [layout('shout')] });
    const { items, error } = await bed.ask({ app: 'layout' }, 'hello');
    expect(error).toBeUndefined();
    expect(items).toEqual([
      { type: 'speaker', sender: 'Demo', receiver: 'User', model: null },
      { type: 'text', text: 'HELLO' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 }, model: '' },
    ]);
  });

  test('gets the model of the caller, if that exists', async () => {
    const { models } = scriptedModels(() => []);
    const found = (name: string | undefined) => {
      if (name !== 'known') throw new WeftError('model_not_found', 'None.');
      return models.find(name);
    };
    const model = mapFlow('which', '{{ input.model }}');
    const bed = await createAgentBed({
      models: { ...models, find: found },
      flows: [model],
      apps: [layout('which')],
    });
    const said = async (name: string) =>
      (await bed.ask({ app: 'layout' }, { messages: 'Hi', model: name })).text;
    expect(await said('known')).toBe(models.find('known').id);
    expect(await said('unknown')).toBe('');
  });

  test('passes the items of its stream on, and counts the tokens of its models', async () => {
    const { models } = scriptedModels(() => ['From ', 'within']);
    const inner = rowFlow('inner', {
      agents: { operator: 'agent.run', params: { agent, input: '{{ input.messages }}' } },
    });
    const bed = await createAgentBed({ models, flows: [inner], apps: [layout('{"uid": "inner"}')] });
    const { items } = await bed.ask({ app: 'layout' });
    expect(items).toEqual([
      { type: 'speaker', sender: 'Ada', receiver: 'User', model: 'test/default' },
      { type: 'text', text: 'From ' },
      { type: 'text', text: 'within' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 10, outputTokens: 5 }, model: 'default' },
    ]);
  });
});
