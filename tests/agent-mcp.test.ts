import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { App } from '#shared/app.ts';
import { startToolServer } from '../server/chat/agents/testing/tool-server.ts';
import { type Asked, sendChunks, startOpenAi } from '../server/integrations/models/testing/openai-server.ts';
import { ask, signIn } from './support/client.ts';
import { discard, startServer } from './support/server.ts';

/** An agent with the tools of an MCP server, over real HTTP to all of them. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const csv = Buffer.from('name,count\nAda,3\n').toString('base64');

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** Calls the tool `look` first, and says then that it is done. */
function looking(response: ServerResponse, { body }: Asked): void {
  const messages = body['messages'] as readonly Message[];
  if (messages.some(({ role }) => role === 'tool'))
    return sendChunks(response, [{ content: 'Done' }], 'stop');
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
  sendChunks(response, [{ tool_calls: [call] }], 'tool_calls');
}

test('the files of a tool reach a model as it can take them', async () => {
  const tools = await startToolServer([
    {
      name: 'look',
      inputSchema: { type: 'object' },
      run: () => ({
        content: [
          { type: 'text', text: 'Found:' },
          { type: 'image', data: PIXEL, mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'doc://people.csv', mimeType: 'text/csv', blob: csv } },
        ],
      }),
    },
  ]);
  const openai = await startOpenAi(looking);
  const models = [{ name: 'sees', input: ['text', 'image'] }, { name: 'reads' }];
  const stand = { type: 'openai-compatible', baseUrl: openai.url, models };
  const server = await startServer({
    env: { WEFT_PROVIDERS: JSON.stringify({ stand }), WEFT_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  onTestFinished(() => discard(server));
  const owner = await signIn(server);
  const post = (path: string, body: object) =>
    ask(`${server.url}${path}`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** The result of the tool as the model got it, and the parts of the messages behind it. */
  async function toldTo(model: string): Promise<{ result: unknown; files: unknown[] }> {
    const detail = {
      agent_name: 'Ada',
      node_id: 'ada',
      prompt_template: 'Look.',
      resources: [{ type: 'mcp', name: 'srv', value: tools.url, is_dynamic: false }],
      llm_strategy: 'priority',
      llm_strategy_value: model,
    };
    const app = { app_name: model, app_describe: 'Looks.', team_mode: 'single_agent', language: 'en' };
    const made = await post('/api/v2/serve/apps', { ...app, details: [detail] });
    const { app_code: code } = (made.body as { data: App }).data;
    const messages = [{ role: 'user', content: 'Go' }];
    const answer = await post('/v1/chat/completions', { model: `app:${code}`, messages });
    expect(answer.text).toContain('Done');
    const told = openai.asked.at(-1)?.body['messages'] as readonly Message[];
    const at = told.findIndex(({ role }) => role === 'tool');
    const behind = told.slice(at + 1).flatMap(({ content }) => (Array.isArray(content) ? content : []));
    return { result: told[at]?.content, files: behind.slice(1) };
  }

  const table = '<file name="people.csv">\nname: Ada\ncount: 3\n</file>';
  const sees = await toldTo('stand/sees');
  expect(sees.result).toContain(table);
  expect(sees.files).toEqual([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }]);
  const reads = await toldTo('stand/reads');
  expect(reads.result).toContain(table);
  expect(reads.result).toContain('[picture image.png, 70 bytes, is not shown to you]');
  expect(reads.files).toEqual([]);
});
