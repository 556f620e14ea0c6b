import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startBed } from '../../../testing/platform-bed.ts';
import { routeCaller } from '../../../testing/route-caller.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

const FLOW = {
  format: 1,
  id: 'echo',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/echo', methods: ['POST'], auth: 'none' } },
    out: { operator: 'core.map', params: { value: '{{ input.text }}' } },
  },
  edges: [{ from: 'start.out', to: 'out.in' }],
};

test('an evaluation of a running server is reported, and its exit code is for CI', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await call('POST /api/v1/flows', { body: { id: 'echo', flow: FLOW } });
  const other = structuredClone(FLOW);
  other.id = 'other';
  other.nodes.start.params.path = '/other';
  other.nodes.out.params.value = "{{ 'b' }}";
  await call('POST /api/v1/flows', { body: { id: 'other', flow: other } });
  const body = {
    format: 1,
    target: { flow: 'echo' },
    scorers: [{ kind: 'exact' }, { kind: 'contains' }],
    cases: [
      { name: 'right', input: { text: 'a' }, expect: { answer: 'a' } },
      { name: 'wrong', input: { text: 'b' }, expect: { answer: 'c' } },
    ],
  };
  await call('PUT /api/v1/evaluations/:set', { params: { set: 'echoes' }, body });
  const { key } = await bed.ctx.keys.create({ name: 'ci', scopes: ['runs:write', 'runs:read'] });
  const weft = async (...args: string[]) => {
    const io = testIo(process.cwd(), { env: { WEFT_API_KEY: key } });
    const code = await runCli(['eval', ...args, '--url', bed.url], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  const plain = await weft('echoes');
  expect([plain.code, plain.err]).toEqual([0, '']);
  expect(plain.out).toMatch(/^✗ wrong \(run \w+\)\n {4}exact: 0\nflow echo, version [0-9a-f]{16}\n/);
  expect(plain.out).toContain('  exact: 0.5\n  contains: nothing to compare with\n2 of 2 cases, 0 failed\n');
  expect(await weft('echoes', '--threshold', '0.4')).toMatchObject({
    code: 1,
    out: expect.stringContaining('✓ exact: 0.5\n✗ contains: nothing to compare with, below 0.4\n'),
  });
  body.scorers.pop();
  await call('PUT /api/v1/evaluations/:set', { params: { set: 'echoes' }, body });
  expect((await weft('echoes', '--threshold', '.5')).code).toBe(0);
  expect((await weft('echoes', '--threshold', '0.6')).code).toBe(1);
  const json = await weft('echoes', '--flow', 'other', '--json');
  expect(JSON.parse(json.out)).toMatchObject({
    target: 'flow other',
    scores: { exact: 0 },
    results: [{}, {}],
  });

  expect(await weft('nope')).toMatchObject({ code: 2, err: expect.stringContaining('evaluation_not_found') });
  expect((await weft('echoes', '--threshold', '2')).code).toBe(2);
  const refused = testIo(process.cwd(), { env: { WEFT_API_KEY: key } });
  expect(await runCli(['eval', 'echoes', '--url', 'http://127.0.0.1:1'], refused)).toBe(2);
  expect(refused.stderr.text).toContain('Is the server running there?');
});

/** A server that starts an evaluation, and answers a question about it only if `answers` says so. */
async function silent(answers: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url}`;
    asked.push(call);
    const data = answers[call];
    if (data !== undefined)
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const io = testIo(process.cwd(), { env: { WEFT_API_KEY: 'key' } });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, io, ended: runCli(['eval', 'echoes', '--url', url], io) };
}

const RUN = 'POST /api/v1/evaluations/echoes/run';
const PLACE = '/api/v1/evaluations/echoes/results/e1';
const SUMMARY = {
  id: 'e1',
  target: 'flow echo',
  version: 'v',
  status: 'running',
  scores: {},
  threshold: null,
  cases: 2,
  done: 1,
  failed: 0,
};

test('the first Ctrl-C stops an evaluation of a server that does not answer', async () => {
  const stopped = { ...SUMMARY, status: 'stopped', results: [] };
  const { asked, io, ended } = await silent({ [RUN]: SUMMARY, [`POST ${PLACE}/stop`]: stopped });
  await expect.poll(() => asked).toContain(`GET ${PLACE}`);
  io.stop();
  expect(await ended).toBe(1);
  expect(io.stderr.text).toBe('Stopping the evaluation…\n');
  expect(io.stdout.text).toContain('1 of 2 cases, 0 failed, stopped\n');
  expect(asked.at(-1)).toBe(`POST ${PLACE}/stop`);
});

test('the first Ctrl-C ends the command if the server never answered', async () => {
  const { asked, io, ended } = await silent({});
  await expect.poll(() => asked).toContain(RUN);
  io.stop();
  expect(await ended).toBe(2);
  expect(io.stderr.text).toContain('has not answered POST /api/v1/evaluations/echoes/run');
});
