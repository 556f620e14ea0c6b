import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportAnswer } from '#shared/import-report.ts';
import { n8nFile } from '../server/flows/imports/n8n/testing/short.ts';
import { listenOpenAi, sendChunks } from '../server/integrations/models/testing/openai-server.ts';
import { cases, type N8nCase, set } from './import-n8n.cases.ts';
import { codeCases } from './import-n8n.code.ts';
import { honestCases } from './import-n8n.honest.ts';
import { moreCases } from './import-n8n.lists.ts';
import { loopCases, pageCases } from './import-n8n.loops.ts';
import { pairCases } from './import-n8n.pairs.ts';
import { eventually } from './support/eventually.ts';
import { call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** Workflows of n8n are imported, go live, and answer what they answer there, against a server that stands in for the outside. */
let server: TestServer;
let owner: Owner;
let site: Server;
let address = '';
let provider: Awaited<ReturnType<typeof listenOpenAi>>;
const visits: string[] = [];

/** What the stand-in answers. */
function answerOf(url: string, body: unknown): unknown {
  const { pathname: path, searchParams } = new URL(url, 'http://stand-in');
  const number = (name: string): number => Number(searchParams.get(name));
  if (path === '/list') return [{ id: 1 }, { id: 2 }];
  if (path === '/status') return { turn: number('turn'), done: number('turn') < 2 ? 'no' : 'yes' };
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
  if (path === '/rows')
    return rows.slice((number('page') - 1) * number('size'), number('page') * number('size'));
  if (path === '/search') return rows.slice((body as { from: number }).from).slice(0, 2);
  const at = number('after');
  if (path === '/cursor') return { rows: rows.slice(at, at + 1), ...(at < 2 && { next: at + 1 }) };
  if (path === '/link')
    return {
      of: number('of'),
      page: at,
      next: at === 0 ? `${address}/link?of=${number('of')}&after=1` : null,
    };
  return path === '/page' ? { page: number('page'), last: 3 } : { path, body };
}

beforeAll(async () => {
  site = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      visits.push([request.method, request.url, text].filter((part) => part !== '').join(' '));
      const path = (request.url ?? '').split('?')[0];
      const turn = Number(new URLSearchParams((request.url ?? '').split('?')[1]).get('turn'));
      if (path === '/picture')
        response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from('iVBORw==', 'base64'));
      else if (path === '/missing' || (path === '/flaky' && turn < 2)) response.writeHead(404).end('gone');
      else {
        const body: unknown = text === '' ? null : JSON.parse(text);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answerOf(request.url ?? '', body)));
      }
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  provider = await listenOpenAi((response) => sendChunks(response, [{ content: 'Two minutes.' }], 'stop'));
  const openai = { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'gpt-x' }] };
  server = await startServer({
    env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_PROVIDERS: JSON.stringify({ openai }) },
  });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  site.closeAllConnections();
  site.close();
  provider.close();
});

/** Imports a workflow as a draft, and makes it live. */
async function live(name: string, short: N8nCase): Promise<ImportAnswer> {
  const text = JSON.stringify(n8nFile(name, short)).replaceAll('PATH', name).replaceAll('SITE', address);
  const answer = await owner.data<ImportAnswer>('POST', '/imports', {
    files: [{ path: `${name}.json`, text }],
    save: true,
    open: true,
  });
  const id = answer.imports[0]?.report.flows[0] as string;
  const { revision, problems } = await owner.data<{ revision: string; problems: { severity: string }[] }>(
    'GET',
    `/flows/${id}`,
  );
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  await owner.data('POST', `/flows/${id}/publish`, { revision });
  return answer;
}

describe('what is imported answers as there', () => {
  test.each(
    Object.entries({
      ...cases,
      ...codeCases,
      ...moreCases,
      ...pairCases,
      ...loopCases,
      ...pageCases,
      ...honestCases,
    }),
  )('%s', async (name, one) => {
    const { imports } = await live(name, one);
    const report = imports[0]?.report;
    expect(report?.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
    expect(report?.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
    for (const [body, expected, status = 200] of one.answers) {
      visits.length = 0;
      const answer = await call(server, `/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect([answer.status, answer.body ?? answer.text]).toEqual([status, expected]);
    }
    if (one.visits) expect(visits).toEqual(one.visits);
  });
});

test.each([
  ['a call', 'call', 0],
  ['nothing, in time', 'time', 1],
] as const)('a wait goes on after %s', async (_, name, limit) => {
  const sends = (path: string, body: string) =>
    [
      'httpRequest@4.2',
      { method: 'POST', url: `SITE/${path}`, sendBody: true, specifyBody: 'json', jsonBody: body },
    ] as const;
  const waits = { resume: 'webhook', httpMethod: 'POST', options: {} };
  const limited = limit > 0 ? { limitWaitTime: true, resumeAmount: limit, resumeUnit: 'seconds' } : {};
  await live(name, {
    nodes: {
      W: ['webhook@2', { path: 'PATH', httpMethod: 'POST' }],
      Job: set({ job: '={{ $json.body.job }}' }),
      Tell: sends('tell', '={ "job": {{ $json.job }}, "answer": "{{ $execution.resumeUrl }}" }'),
      Wait: ['wait@1.1', { ...waits, ...limited }],
      Done: sends('done', '={{ { job: $("Job").item.json.job, got: $json.body?.paid ?? "nothing" } }}'),
    },
    wires: ['W > Job', 'Job > Tell', 'Tell > Wait', 'Wait > Done'],
    answers: [],
  });
  visits.length = 0;
  const headers = { 'content-type': 'application/json' };
  await call(server, `/${name}`, { method: 'POST', headers, body: JSON.stringify({ job: 7 }) });
  await eventually(() => expect(visits[0]).toContain('/tell'));
  const { answer } = JSON.parse((visits[0] as string).slice('POST /tell '.length)) as { answer: string };
  if (limit === 0)
    expect((await fetch(answer, { method: 'POST', headers, body: '{"paid":true}' })).status).toBe(200);
  const got = limit === 0 ? 'true' : '"nothing"';
  await eventually(() => expect(visits[1]).toBe(`POST /done {"job":7,"got":${got}}`));
});

test('workflows that call each other are imported together', async () => {
  const main = n8nFile('Caller', {
    nodes: {
      W: [
        'webhook@2',
        { path: 'caller', httpMethod: 'POST', responseMode: 'lastNode', responseData: 'allEntries' },
      ],
      List: ['code@2', { jsCode: 'return $input.first().json.body.list.map((json) => ({ json }));' }],
      Call: [
        'executeWorkflow@1.1',
        { workflowId: { __rl: true, mode: 'list', value: 'sub1', cachedResultName: 'Doubles' } },
      ],
      Set: [
        'set@3.4',
        { assignments: { assignments: [{ name: 'got', type: 'number', value: '={{ $json.m }}' }] } },
      ],
    },
    wires: ['W > List', 'List > Call', 'Call > Set'],
  });
  const sub = n8nFile('Doubles', {
    nodes: {
      In: ['executeWorkflowTrigger@1.1', { inputSource: 'passthrough' }],
      Set: [
        'set@3.4',
        { assignments: { assignments: [{ name: 'm', type: 'number', value: '={{ $json.n * 2 }}' }] } },
      ],
    },
    wires: ['In > Set'],
    more: { id: 'sub1' },
  });
  const answer = await owner.data<ImportAnswer>('POST', '/imports', {
    files: [{ path: 'all.json', text: JSON.stringify([main, sub]) }],
    save: true,
    open: true,
  });
  for (const { report } of answer.imports.toReversed()) {
    expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
    const id = report.flows[0] as string;
    const { revision } = await owner.data<{ revision: string }>('GET', `/flows/${id}`);
    await owner.data('POST', `/flows/${id}/publish`, { revision });
  }
  const called = await call(server, '/caller', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ list: [{ n: 1 }, { n: 2 }] }),
  });
  expect([called.status, called.body]).toEqual([200, [{ got: 2 }, { got: 4 }]]);
});
