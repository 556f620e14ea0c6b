import type { App, AppBody } from '#shared/app.ts';
import type { BenchContext, Line, Scenario } from '../harness.ts';
import { CONNECTIONS, type LoadRequest, rawRequest, startLoader } from '../load.ts';
import { flowFolder, type Server, startBaseline, startWeft } from '../servers.ts';
import { against, createMeasure } from '../throughput.ts';

const APPS = '/api/v2/serve/apps';
const KEY = 'a-key-for-the-benchmark-only';
/** So that the look-up is one among many. */
const OTHERS = 100;

/** Requests a second for one app, against the same bytes from a route written by hand that asks for no key. */
export const apps: Scenario = {
  name: 'apps',
  title: `App look-up over HTTP, ${CONNECTIONS} keep-alive connections, against a bare Fastify route`,
  async run(ctx: BenchContext): Promise<Line[]> {
    using folder = flowFolder([]);
    await using weft = await startWeft(folder.path, { env: { WEFT_API_KEYS: KEY } });
    await using bare = await startBaseline('bare-fastify');
    await using loader = startLoader();
    const app = await makeApps(weft);
    await ask(bare, 'PUT', `${APPS}/${app.app_code}`, app);
    const body = await ask(weft, 'GET', `${APPS}/${app.app_code}`);

    const request: LoadRequest = {
      raw: rawRequest('GET', `${APPS}/${app.app_code}`, { headers: { authorization: `Bearer ${KEY}` } }),
      body,
    };
    const measure = createMeasure(loader, ctx);
    const rounds = await measure({ weft: [weft, request], bare: [bare, request] }, 0.8);
    return against('GET one app, behind an API key', rounds.weft, rounds.bare, {
      kind: 'at least',
      value: 0.8,
    });
  },
};

async function makeApps(weft: Server): Promise<App> {
  let last = '';
  for (let i = 0; i < OTHERS; i++) last = await ask(weft, 'POST', APPS, appBody(`App ${i}`));
  return (JSON.parse(last) as { data: App }).data;
}

function appBody(app_name: string): AppBody {
  const resources = [{ type: 'awel_flow', name: 'look up orders', value: 'orders' }];
  const details = ['Planner', 'Writer'].map((agent_name) => ({
    agent_name,
    resources,
    prompt_template: 'You are one of a team. Answer in short sentences, and say where you know it from.',
  }));
  return { app_name, app_describe: 'Answers questions.', team_mode: 'auto_plan', language: 'en', details };
}

async function ask({ origin }: Server, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
  return text;
}
