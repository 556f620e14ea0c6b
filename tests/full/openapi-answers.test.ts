import { globSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startOpenAi } from '../../server/integrations/models/testing/openai-server.ts';
import { type Bed, startBed, tempFolder } from '../../server/testing/platform-bed.ts';
import { type RouteCaller, routeCaller } from '../../server/testing/route-caller.ts';
import { root } from '../support/server.ts';

/** Real answers of routes, held against what is said of them: neither less nor more than that. */

async function startFull(): Promise<Bed> {
  const folder = await tempFolder();
  await cp(join(root, 'flows/examples'), folder, { recursive: true });
  const shop = await tempFolder();
  new DatabaseSync(join(shop, 'shop.db')).close();
  return startBed({ flows: [folder], folders: { shop }, publicUrl: 'https://flows.example.com' });
}

type Call = RouteCaller['call'];
const FLOW = 'simple_dag_example';

async function useFlows(call: Call): Promise<void> {
  const params = { id: FLOW };
  await call('GET /api/v1/flows', { query: '?schemas=true' });
  const { flow } = (await call('GET /api/v1/flows/:id', { params })) as { flow: object };
  await call('POST /api/v1/flows/check', { body: { flow } });
  await call('POST /api/v1/flows/search', { body: { find: 'trigger' } });
  await call('GET /api/v1/flows/:id/layout', { params });
  await call('PUT /api/v1/flows/:id/layout', { params, body: { format: 1, nodes: {} } });
  await call('PUT /api/v1/flows/:id/pins/:node', {
    params: { ...params, node: 'trigger' },
    body: { outputs: { out: {} } },
  });
  await call('POST /api/v1/flows/:id/pins/:node/rename', {
    params: { ...params, node: 'trigger' },
    body: { to: 'trigger' },
  });
  await call('GET /api/v1/flows/:id/pins', { params });
  await call('DELETE /api/v1/flows/:id/pins/:node', { params: { ...params, node: 'trigger' } });
  await call('GET /api/v1/flows/:id/openapi.json', { params });
  const made = {
    id: 'made_here',
    text: JSON.stringify({ ...flow, id: 'made_here' }).replaceAll('/examples/hello', '/made'),
  };
  let { revision } = (await call('POST /api/v1/flows', { body: made })) as { revision: string };
  const own = { id: 'made_here' };
  const saved = { text: made.text.replace('Hello', 'Good day'), revision };
  ({ revision } = await call('PUT /api/v1/flows/:id', { params: own, body: saved }));
  const [latest] = (await call('GET /api/v1/flows/:id/versions', { params: own })) as [{ version: string }];
  await call('GET /api/v1/flows/:id/versions/:version', { params: { ...own, version: latest.version } });
  const ofVersion = { params: { ...own, version: latest.version }, body: { label: 'latest' } };
  await call('PUT /api/v1/flows/:id/versions/:version/label', ofVersion);
  await call('GET /api/v1/flows/:id/diff', { params: own, query: `?from=${latest.version}` });
  const remove = () => call('DELETE /api/v1/flows/:id', { params: own, query: `?revision=${revision}` });
  await remove();
  const inTrash = async () => {
    const [{ at }] = (await call('GET /api/v1/trash')) as readonly [{ at: number }];
    return { params: { ...own, at: String(at) } };
  };
  ({ revision } = await call('POST /api/v1/trash/:id/:at/restore', await inTrash()));
  await remove();
  await call('DELETE /api/v1/trash/:id/:at', await inTrash());
}

async function useRuns(call: Call): Promise<void> {
  const body = { input: { name: 'Ada '.repeat(20_000), age: 3 } };
  const { run } = (await call('POST /api/v1/flows/:id/run', { params: { id: FLOW }, body })) as {
    run: string;
  };
  const params = { id: run };
  await call('GET /api/v1/runs');
  await call('GET /api/v1/runs/:id', { params });
  await call('GET /api/v1/runs/:id/events', { params });
  const { values } = (await call('GET /api/v1/runs/:id/export', { params })) as { values: object };
  const [hash = ''] = Object.keys(values);
  await call('GET /api/v1/runs/:id/values/:hash', { params: { ...params, hash } });
  await call('GET /api/v1/runs/:id/recording', { params });
  await call('GET /api/v1/runs/:id/timeline', { params });
  await call('GET /api/v1/nodes');
  await call('GET /api/v1/settings');
  await call('GET /api/v1/usage');
  await call('GET /api/v1/audit');
  const fork = { params, body: { from: 'handler' } };
  const { run: other } = (await call('POST /api/v1/runs/:id/fork', fork)) as { run: string };
  await call('GET /api/v1/runs/:id/diff/:other', { params: { ...params, other } });
  await call('POST /api/v1/runs/:id/test', { params });
  await useTests(call);
  await call('DELETE /api/v1/runs/:id', { params });
  await call('DELETE /api/v1/runs', { query: `?flow=${FLOW}` });
  await useSchedules(call);
  await call('GET /api/v1/sources');
  await useHooks(call);
  await call('GET /api/v1/packages');
}

/** A trigger whose address people enter at the service. */
async function useHooks(call: Call): Promise<void> {
  const called = { operator: 'slack.events', params: { signingSecret: { $secret: 'slack' } } };
  const flow = { format: 1, id: 'slack', nodes: { called }, edges: [] };
  await call('POST /api/v1/flows', { body: { flow, mode: 'draft' } });
  await call('POST /api/v1/hooks/:flow/:node', { params: { flow: 'slack', node: 'called' } });
  await call('GET /api/v1/flows/:id/hooks', { params: { id: 'slack' } });
  await call('GET /api/v1/hooks', { query: '?service=slack&limit=10' });
}

async function useSchedules(call: Call): Promise<void> {
  const nodes = { clock: { operator: 'trigger.schedule', params: { cron: '0 4 * * *' } } };
  await call('POST /api/v1/flows', { body: { flow: { format: 1, id: 'nightly', nodes, edges: [] } } });
  const params = { flow: 'nightly', node: 'clock' };
  await call('GET /api/v1/schedules');
  for (const verb of ['pause', 'resume', 'run'])
    await call(`POST /api/v1/schedules/:flow/:node/${verb}`, { params });
}

/** Those that were kept from a run. */
async function useTests(call: Call): Promise<void> {
  const params = { id: FLOW };
  const { cases } = (await call('GET /api/v1/flows/:id/tests', { params })) as { cases: [{ name: string }] };
  await call('POST /api/v1/flows/:id/tests/run', { params });
  await call('POST /api/v1/flows/:id/tools/try', {
    params,
    body: { node: 'bot', tool: { type: 'flow', name: 'none', value: 'none' } },
  });
  await call('POST /api/v1/flows/:id/tests', { params, body: { test: { ...cases[0], name: 'added' } } });
  await call('POST /api/v1/flows/:id/tests/generate', { params, body: { count: 2 } });
  const { name } = cases[0];
  const renamed = { params: { ...params, name }, body: { name: 'another name' } };
  await call('PUT /api/v1/flows/:id/tests/:name', renamed);
  await call('DELETE /api/v1/flows/:id/tests/:name', { params: { ...params, name: 'another%20name' } });
}

async function useChat(call: Call): Promise<void> {
  const messages = [{ role: 'user', content: 'Hello' }];
  const answer = (await call('POST /api/v2/chat/completions', {
    body: { model: 'demo/echo', messages, conv_uid: 'one' },
  })) as { id: string };
  const params = { id: answer.id };
  await call('GET /api/v2/models');
  await call('GET /v1/models');
  await call('POST /v1/chat/completions', { body: { model: 'demo/echo', messages } });
  for (const base of ['/v1', '/api/v2']) {
    await call(`POST ${base}/completions`, { body: { model: 'demo/echo', prompt: 'Hello' } });
    await call(`POST ${base}/responses`, { body: { model: 'demo/echo', input: 'Hello' } });
    await call(`POST ${base}/embeddings`, { body: { model: 'demo/embed', input: ['Hello'] } });
  }
  await call('POST /api/v1/chat/:id/stop', { params });
  await call('GET /api/v1/chat/conversations');
  await call('GET /api/v1/chat/conversations/:id', { params });
  await call('PUT /api/v1/chat/conversations/:id', { params, body: { title: 'Mugs' } });
  await call('DELETE /api/v1/chat/conversations/:id', { params });
}

async function useApps(call: Call): Promise<void> {
  const details = [{ agent_name: 'Assistant' }];
  const made = { app_name: 'One', app_describe: '', team_mode: 'single_agent', language: 'en', details };
  const { app_code } = (await call('POST /api/v2/serve/apps', { body: made })) as { app_code: string };
  const params = { app_code };
  await call('GET /api/v2/serve/apps');
  await call('GET /api/v2/serve/apps/:app_code', { params });
  await call('PUT /api/v1/apps/:app_code/page', { params, body: { open: true } });
  await call('GET /api/v1/apps/:app_code/page', { params });
  await call('PUT /api/v2/serve/apps/:app_code', { params, body: { ...made, app_name: 'Two' } });
  for (const what of ['collect', 'uncollect'])
    await call(`POST /api/v2/serve/apps/:app_code/${what}`, { params });
  for (const what of ['detail', 'collect', 'uncollect'])
    await call(`POST /api/v1/app/${what}`, { body: params });
  await call('POST /api/v1/app/list', { body: {} });
  await call('POST /api/v1/app/edit', { body: { ...made, ...params } });
  await call('DELETE /api/v2/serve/apps/:app_code', { params });
  const again = (await call('POST /api/v1/app/create', { body: made })) as { app_code: string };
  await call('POST /api/v1/app/remove', { body: { app_code: again.app_code } });
  for (const list of ['agents', 'team-mode', 'llm-strategy', 'resource-type'])
    await call(`GET /api/v1/${list}/list`);
}

async function useKnowledge(call: Call): Promise<void> {
  const { id } = (await call('POST /api/v1/knowledge/spaces', { body: { name: 'Tea' } })) as { id: string };
  const params = { space: id };
  await call('GET /api/v1/knowledge/spaces');
  await call('GET /api/v1/knowledge/spaces/:space', { params });
  await call('PUT /api/v1/knowledge/spaces/:space', { params, body: { description: 'All of it' } });
  const body = { name: 'green', text: 'Steep two minutes.' };
  const made = { params, body };
  const loaded = (await call('POST /api/v1/knowledge/spaces/:space/documents', made)) as { id: string };
  await call('GET /api/v1/knowledge/spaces/:space/documents', { params });
  await call('POST /api/v1/knowledge/spaces/:space/search', { params, body: { query: 'steep' } });
  const one = { params: { document: loaded.id } };
  await call('GET /api/v1/knowledge/documents/:document', one);
  await call('PUT /api/v1/knowledge/documents/:document', { ...one, body: { metadata: { year: 2026 } } });
  await call('GET /api/v1/knowledge/documents/:document/chunks', one);
  await call('POST /api/v1/knowledge/documents/:document/sync', one);
  await call('DELETE /api/v1/knowledge/documents/:document', one);
  await call('DELETE /api/v1/knowledge/spaces/:space', { params });
}

async function useTheirSources(call: Call): Promise<void> {
  const base = '/api/v2/serve/datasources';
  const body = {
    db_name: 'theirs',
    db_type: 'mysql',
    db_host: '127.0.0.1',
    db_port: 1,
    db_user: 'root',
    comment: 'Orders',
  };
  const { id } = (await call(`POST ${base}`, { body })) as { id: number };
  const params = { datasource: String(id) };
  await call(`GET ${base}`);
  await call(`GET ${base}/:datasource`, { params });
  await call(`PUT ${base}`, { body: { db_name: 'theirs', db_user: 'reader' } });
  await call(`POST ${base}/:datasource/refresh`, { params });
  await call(`DELETE ${base}/:datasource`, { params });
  await call('GET /api/v2/serve/datasource-types');
}

/** The same in the original's format. */
async function useTheirKnowledge(call: Call): Promise<void> {
  const base = '/api/v2/serve/knowledge';
  for (const path of ['health', 'test_auth']) await call(`GET ${base}/${path}`);
  const { id } = (await call(`POST ${base}/spaces`, { body: { name: 'Theirs' } })) as { id: string };
  const params = { space: id };
  await call(`PUT ${base}/spaces`, { body: { id, desc: 'd' } });
  await call(`GET ${base}/spaces`);
  await call(`GET ${base}/spaces/:space`, { params });
  const body = { doc_name: 'a', doc_type: 'TEXT', content: 'a', space_id: id };
  const made = (await call(`POST ${base}/documents`, { body })) as { id: number };
  await call(`GET ${base}/documents`);
  for (const sync of ['sync', 'batch_sync'])
    await call(`POST ${base}/documents/${sync}`, { body: [{ doc_id: made.id, space_id: id }] });
  const one = { params: { document: String(made.id) } };
  await call(`POST ${base}/documents/:document/sync`, one);
  await call(`GET ${base}/documents/:document`, one);
  await call(`DELETE ${base}/documents/:document`, one);
  await call(`DELETE ${base}/spaces/:space`, { params });
}

/** What the original's web page calls. */
async function useTheirPage(call: Call): Promise<void> {
  await call('POST /knowledge/space/add', { body: { name: 'page' } });
  await call('POST /knowledge/space/list', { body: {} });
  const params = { space: 'page' };
  const base = 'POST /knowledge/:space';
  await call(`${base}/arguments`, { params });
  await call(`${base}/argument/save`, { params, body: { argument: '{"a": 1}' } });
  const text = { doc_name: 'a', doc_type: 'TEXT', content: 'a' };
  const id = (await call(`${base}/document/add`, { params, body: text })) as number;
  await call(`${base}/document/list`, { params, body: {} });
  await call(`${base}/document/sync`, { params, body: { doc_ids: [id] } });
  await call(`${base}/document/sync_batch`, { params, body: [{ doc_id: id }] });
  await call(`${base}/chunk/list`, { params, body: { document_id: id } });
  await call(`${base}/query`, { params, query: '?space_name=page', body: { query: 'a' } });
  await call('GET /knowledge/document/chunkstrategies');
  await call('POST /api/v1/chat/mode/params/list', { query: '?chat_mode=chat_knowledge' });
  await call(`${base}/document/delete`, { params, body: { doc_name: 'a' } });
  await call('POST /knowledge/space/delete', { body: { name: 'page' } });
  const body = { db_name: 'paged', db_type: 'sqlite', file_path: 'shop/shop.db' };
  const db = '/api/v1/chat/db';
  await call('POST /api/v2/serve/datasources/test-connection', { body });
  for (const path of ['test/connect', 'add', 'edit', 'refresh']) await call(`POST ${db}/${path}`, { body });
  for (const path of ['list', 'support/type']) await call(`GET ${db}/${path}`);
  for (const path of ['summary', 'delete']) await call(`POST ${db}/${path}`, { query: '?db_name=paged' });
}

async function administer(call: Call): Promise<void> {
  const name = { name: 'one' };
  await call('PUT /api/v1/variables/:name', { params: name, body: { value: [1] } });
  await call('GET /api/v1/variables');
  await call('GET /api/v1/variables/:name/used-by', { params: name });
  await call('DELETE /api/v1/variables/:name', { params: name });
  await call('PUT /api/v1/secrets/:name', {
    params: name,
    body: { value: 'secret', grants: { hosts: ['a.example'] } },
  });
  await call('GET /api/v1/secrets');
  await call('GET /api/v1/secrets/:name/used-by', { params: name });
  await call('DELETE /api/v1/secrets/:name', { params: name });
  const provider = { type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', models: [{ name: 'm' }] };
  await call('PUT /api/v1/providers/:id', { params: { id: 'own' }, body: provider });
  await call('POST /api/v1/providers/:id/try', { params: { id: 'own' } });
  const listing = await startOpenAi((response) => void response.end('{"data": [{"id": "m"}]}'));
  const near = { type: 'openai-compatible', baseUrl: listing.url, allow: new URL(listing.url).host };
  await call('POST /api/v1/providers/discover', { body: near });
  await call('PUT /api/v1/models/settings', { body: { chat: 'demo/echo', aliases: { gpt: 'demo/echo' } } });
  for (const list of ['models', 'models/settings', 'providers', 'keys', 'budgets', 'operators'])
    await call(`GET /api/v1/${list}`);
  await call('DELETE /api/v1/providers/:id', { params: { id: 'own' } });
  await call('PUT /api/v1/budgets', { body: { answer: { steps: 3 } } });
  const { id } = (await call('POST /api/v1/keys', { body: { name: 'new', scopes: ['chat'] } })) as {
    id: string;
  };
  await call('DELETE /api/v1/keys/:id', { params: { id } });
  for (const path of ['/healthz', '/readyz', '/openapi.json']) await call(`GET ${path}`);
}

async function useWaits(call: Call, { waits, durable }: Bed['ctx']): Promise<void> {
  const what = { kind: 'answer', title: 'Shall we?', ask: { kind: 'approval' } } as const;
  await waits.open({ run: 'run1', key: 'ask', node: 'ask', flow: FLOW, what, at: 0 });
  await call('GET /api/v1/waits');
  const params = { id: 'run1.ask' };
  await call('GET /api/v1/waits/:id', { params });
  const { get } = durable;
  durable.get = async (run) => ({ run, endedAt: 0 }) as never;
  await call('POST /api/v1/waits/:id/decide', { params, body: { decision: 'approved' } });
  durable.get = get;
  const event = { name: 'paid', key: '7' };
  const ask = { kind: 'event', event } as const;
  await waits.open({ run: 'run2', key: 'ask', node: 'ask', flow: FLOW, what: { ...what, ask }, at: 0 });
  await call('POST /api/v1/events/:name/:key', { params: event, body: { amount: 3 } });
}

async function useCalls(call: Call, { durable, flows, links, calls }: Bed['ctx']): Promise<void> {
  const ask = { operator: 'http.request', params: { url: 'http://127.0.0.1:9/' } };
  const nodes = { start: { operator: 'trigger.manual' }, ask };
  const edges = [{ from: 'start.out', to: 'ask.in' }];
  await call('POST /api/v1/flows', { body: { flow: { format: 1, id: 'failing', nodes, edges } } });
  const flow = flows.live('failing') as NonNullable<ReturnType<typeof flows.live>>;
  const request = { method: 'POST', query: {}, params: {}, headers: {} };
  const { run } = await durable.start({ flow, trigger: 'start', request, output: 1, source: 'manual' });
  const { startedAt, endedAt: failedAt } = await durable.ended(run);
  const { search } = new URL(await links.of(run), 'http://localhost');
  await call('GET /api/v1/run-status/:id', { params: { id: run }, query: search });
  await call('POST /api/v1/runs/:id/retry', { params: { id: run } });
  await call('POST /api/v1/dead-letters/retry', { body: { runs: ['none'] } });
  const error = { code: 'stopped', message: 'No.' };
  await calls.deadLetters.add({
    run: 'other',
    flow: FLOW,
    version: 'v',
    trigger: 'start',
    error,
    startedAt,
    failedAt,
  });
  await call('GET /api/v1/dead-letters');
  await call('DELETE /api/v1/dead-letters/:id', { params: { id: 'other' } });
  await call('POST /api/v1/dead-letters/drop', { body: { flow: FLOW } });
  await call('GET /api/v1/deliveries');
}

async function useOriginal(call: Call, prefix: string): Promise<void> {
  for (const path of ['/health', '/test_auth', '/nodes', '/flows', '/chat/flows'])
    await call(`GET ${prefix}${path}`);
  const params = { uid: FLOW };
  const shown = (await call(`GET ${prefix}/flows/:uid`, { params })) as object;
  await call(`GET ${prefix}/flow/export/:uid`, { params });
  await call(`POST ${prefix}/flow/import`, { body: shown });
  await call(`PUT ${prefix}/flows/:uid`, { params, body: shown });
}

/** What answers in no JSON, takes none, needs a browser's session, a file of the original, a form, a git repository, a draft that somebody waits for, the key of the small shop, or an address that a service was given. */
const elsewhere =
  /^GET \/(?:$|assets|docs|help|metrics|mcp)|^\w+ \/(?:api\/v1\/session|mcp)|^\w+ \/(?:wait|form|talk|oauth|small-shop|hooks)\/|\/forms\/:node$|\/(?:publish|discard|restore|listen|cancel)$|completions\/:id$|models\/(?::id|\*)$|^(?:POST|DELETE) .*\/awel\/flows|files\/:handle$|document\/upload$|flows\/pull$|^POST (?:\/api)?\/v1\/(?:chat\/)?files$/;

/** Whether the test of a route calls it by its name: `call('GET /api/v1/usage')`. */
function isCalledByItsTest(): (route: string) => boolean {
  const texts = globSync(join(root, 'server/**/*.test.ts')).map((file) => readFileSync(file, 'utf8'));
  return (route) => texts.some((text) => text.includes(`call('${route}'`));
}

test('routes answer as it is said of them', async () => {
  const bed = await startFull();
  const { call, rest } = await routeCaller(bed);
  await useFlows(call);
  await useRuns(call);
  await useChat(call);
  await useApps(call);
  await useWaits(call, bed.ctx);
  await useCalls(call, bed.ctx);
  await administer(call);
  await useKnowledge(call);
  await useTheirKnowledge(call);
  await useTheirSources(call);
  await useTheirPage(call);
  for (const version of ['v1', 'v2']) await useOriginal(call, `/api/${version}/serve/awel`);
  const isCalled = isCalledByItsTest();
  expect(rest().filter((route) => !elsewhere.test(route) && !isCalled(route))).toEqual([]);
});
