import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { ask, type Owner, signIn } from '../../support/client.ts';
import { discard, root, startServer, tempFolder, type TestServer } from '../../support/server.ts';
import { type OriginalClient, startOriginalClient } from './original-client.ts';
import { models, type Provider, startProvider } from './provider.ts';

const KEY = 'key-of-the-conformance-tests';

/** A server as a user starts it, with the shipped examples and a provider behind it, and clients in front. */
export interface World {
  readonly server: TestServer;
  readonly owner: Owner;
  readonly key: string;
  readonly provider: Provider;
  readonly original: OriginalClient;
  readonly openai: OpenAI;
  /** Makes an app over the API; gives its app_code. */
  makeApp(body: object): Promise<string>;
  close(): Promise<void>;
}

export async function startWorld(
  flowFiles: readonly { readonly id: string }[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<World> {
  const provider = await startProvider();
  const flows = tempFolder('flows');
  cpSync(join(root, 'flows/examples'), flows, { recursive: true });
  for (const flow of flowFiles) writeFileSync(join(flows, `${flow.id}.json`), JSON.stringify(flow));
  const body = {
    type: 'openai-compatible',
    baseUrl: provider.url,
    models: models.map((name) => ({ name })),
  };
  const server = await startServer({
    flows,
    env: {
      WEFT_API_KEYS: KEY,
      WEFT_PROVIDERS: JSON.stringify({ real: body }),
      WEFT_MODEL: 'demo/chat',
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      ...env,
    },
  });
  const original = startOriginalClient(server.url, KEY);
  return {
    server,
    owner: await signIn(server),
    key: KEY,
    provider,
    original,
    openai: new OpenAI({ baseURL: `${server.url}/api/v2`, apiKey: KEY, maxRetries: 0 }),
    makeApp: (app) => makeApp(server, app),
    async close() {
      original.close();
      await discard(server);
      provider.close();
    },
  };
}

async function makeApp({ url }: TestServer, app: object): Promise<string> {
  const answer = await ask(`${url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ app_describe: 'Helps.', language: 'en', team_mode: 'single_agent', ...app }),
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return (answer.body as { data: { app_code: string } }).data.app_code;
}
