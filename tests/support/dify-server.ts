import type { ImportReport } from '#shared/import-report.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import { difyYaml, type ShortApp } from '../../server/flows/imports/dify/testing/dify-app.ts';
import { readFiles } from '../../server/flows/imports/import-files.ts';
import { builtInRegistry } from '../../server/flows/service/testing/flow-fixture.ts';
import {
  type Asked,
  listenOpenAi,
  sendChunks,
} from '../../server/integrations/models/testing/openai-server.ts';
import { type Answer, ask, call, type Owner, signIn } from './client.ts';
import { discard, startServer, type TestServer } from './server.ts';

export interface Message {
  readonly role: string;
  readonly content: string;
}

export const messagesOf = ({ body }: Asked): Message[] => body['messages'] as Message[];
export const lastOf = (asked: Asked): string => messagesOf(asked).at(-1)?.content ?? '';

interface Live {
  readonly id: string;
  readonly report: ImportReport;
}

/** A server with a model that stands in. It says the last message backwards, unless a test sets `reply`. */
export class DifyServer {
  server!: TestServer;
  owner!: Owner;
  provider!: Awaited<ReturnType<typeof listenOpenAi>>;
  reply: (asked: Asked) => string = backwards;
  private count = 0;

  async start(): Promise<void> {
    this.provider = await listenOpenAi((response, asked) =>
      sendChunks(response, [{ content: this.reply(asked) }], 'stop'),
    );
    const models = [{ name: 'm', input: ['text', 'image'] }];
    const stand = { type: 'openai-compatible', baseUrl: this.provider.url, models };
    this.server = await startServer({
      env: { WEFT_PROVIDERS: JSON.stringify({ stand }), WEFT_OUTBOUND_ALLOW: '127.0.0.1' },
    });
    this.owner = await signIn(this.server);
  }

  async stop(): Promise<void> {
    await discard(this.server);
    this.provider.close();
  }

  /** What the model was asked last. */
  get asked(): Asked {
    return this.provider.asked.at(-1) as Asked;
  }

  /** Imports the app and makes it live; its trigger takes calls without a key, its secrets go to these hosts. */
  async live(app: ShortApp | { readonly yaml: string }, hosts: readonly string[] = []): Promise<Live> {
    this.reply = backwards;
    const id = `app_${++this.count}`;
    const text = 'yaml' in app ? app.yaml : difyYaml(app);
    const { catalog } = await builtInRegistry();
    const given = { path: 'app.yml', text, json: undefined };
    const { flows, left } = await readFiles([given], { catalog, taken: new Set(), id });
    expect(left).toEqual([]);
    const [read] = flows;
    if (!read) throw new Error('The file has no app.');
    const grants = { hosts, operators: ['http.request'] };
    for (const { name, value } of read.secrets)
      await this.owner.data('PUT', `/secrets/${name}`, { value, grants });
    const flow = opened(read.drafts[0]?.flow);
    const saved = await this.owner.api('POST', '/flows', { flow });
    expect(saved.status, saved.text).toBe(201);
    const { problems } = (saved.body as { data: { problems: readonly { severity: string }[] } }).data;
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    return { id, report: read.report };
  }

  post(id: string, body: object = {}): Promise<Answer> {
    return call(this.server, `/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async chat(id: string, text: string, conv_uid?: string): Promise<string> {
    const answer = await ask(`${this.server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.server.key}` },
      body: JSON.stringify({
        model: `flow:${id}`,
        messages: [{ role: 'user', content: text }],
        ...(conv_uid !== undefined && { conv_uid }),
      }),
    });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { choices: { message: { content: string } }[] }).choices[0]?.message.content ?? '';
  }
}

function backwards(asked: Asked): string {
  return lastOf(asked).split('').reverse().join('');
}

/** The flow with triggers that anyone may call. */
function opened(flow: object | undefined): object {
  const { nodes, ...rest } = flow as { nodes: Record<string, { operator: string; params?: object }> };
  const open = Object.entries(nodes).map(([id, node]) =>
    node.operator === 'trigger.http'
      ? [id, { ...node, params: { ...node.params, auth: 'none' } }]
      : [id, node],
  );
  return { ...rest, nodes: Object.fromEntries(open) as object };
}

/** For all tests of a file. */
export function difyServer(): DifyServer {
  const one = new DifyServer();
  beforeAll(() => one.start());
  afterAll(() => one.stop());
  return one;
}

export const start = (...variables: object[]) => ({ type: 'start', variables });
export const end = (...outputs: object[]) => ({ type: 'end', outputs });
export const template = (text: string, ...variables: [string, ...string[]][]) => ({
  type: 'template-transform',
  template: text,
  variables: variables.map(([variable, ...value_selector]) => ({ variable, value_selector })),
});

/** JavaScript with a function `main`; `result` names the type of its outputs. */
export const script = (
  code: string,
  outputs: Record<string, string>,
  variables: Record<string, string[]> = {},
) => ({
  type: 'code',
  code_language: 'javascript',
  code,
  outputs: Object.fromEntries(Object.entries(outputs).map(([name, type]) => [name, { type }])),
  variables: Object.entries(variables).map(([variable, value_selector]) => ({ variable, value_selector })),
});
