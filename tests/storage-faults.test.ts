import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { RunPage } from '#shared/api.ts';
import type { WaitPage } from '#shared/wait.ts';
import { ask, call, keyHeaders, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { askingFlow, type FlowJson, flowText, httpTrigger, sayFlow, write } from './support/flows.ts';
import { codeOf } from './support/leaks.ts';
import { metric } from './support/metrics.ts';
import { discard, product, root, startServer, tempFolder, type TestServer } from './support/server.ts';

/** A disk that takes nothing more, for as long as it lasts: the system refuses every write of the server's process. */
const counting: FlowJson = {
  format: 1,
  id: 'counting',
  nodes: {
    trigger: httpTrigger('/counting'),
    add: { operator: 'state.add', params: { key: 'n' } },
  },
  edges: [{ from: 'trigger.out', to: 'add.in' }],
};

const uploading: FlowJson = {
  format: 1,
  id: 'uploading',
  nodes: { trigger: httpTrigger('/uploading', { methods: ['POST'], accept: ['multipart', 'bytes'] }) },
  edges: [],
};

let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  const flows = tempFolder('flows');
  for (const flow of [sayFlow('greet', 'hello'), counting, askingFlow, uploading])
    write(flows, `${flow.id}.json`, flow);
  server = await startServer({ flows });
  owner = await signIn(server);
  return () => discard(server);
});
afterEach(() => disk('free'));

function disk(state: 'full' | 'free'): void {
  const limit = state === 'full' ? '0:' : 'unlimited:';
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(server.process.pid), `--fsize=${limit}`]);
  if (status !== 0) throw new Error(`prlimit: ${String(stderr)}`);
}

async function accept(): Promise<AcceptedRun> {
  const answer = await call(server, '/asking');
  expect(answer.status, answer.text).toBe(202);
  return answer.body as AcceptedRun;
}

async function openWaits(run: string): Promise<WaitPage['waits']> {
  return (await owner.data<WaitPage>('GET', `/waits?run=${run}`)).waits;
}

async function stands(run: AcceptedRun) {
  const { pathname, search } = new URL(run.statusUrl, server.url);
  const { body } = await ask(`${server.url}${pathname}${search}`);
  return (body as { data: { status: string; answer?: { body: unknown } } }).data;
}

async function upload(): Promise<{ status: number; text: string }> {
  const body = new FormData();
  body.append('a', new File(['x'.repeat(300_000)], 'a.txt'));
  const answer = await fetch(`${server.url}/api/v1/awel/trigger/uploading`, { method: 'POST', body });
  return { status: answer.status, text: await answer.text() };
}

/** Everything that the API writes, each with what it would be without the fault. */
async function writes(n: number): Promise<Record<string, { status: number; text: string }>> {
  const { revision } = await owner.data<{ revision: string }>('GET', '/flows/greet');
  const text = flowText(sayFlow('greet', `hello ${n}`));
  return {
    flow: await owner.api('PUT', '/flows/greet', { text, revision }),
    newFlow: await owner.api('POST', '/flows', { flow: sayFlow(`new_${n}`, 'new') }),
    variable: await owner.api('PUT', '/variables/color', { value: `red ${n}` }),
    secret: await owner.api('PUT', '/secrets/token', { value: `canary ${n}`, grants: {} }),
    key: await owner.api('POST', '/keys', { name: `key ${n}`, scopes: ['runs:read'] }),
    upload: await upload(),
    state: await call(server, '/counting'),
    durable: await call(server, '/asking'),
  };
}

test('a server that starts when nothing can be written says with a code what to do', () => {
  const folder = tempFolder('data');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { ...process.env, WEFT_PORT: '0', WEFT_DATA: folder, WEFT_FLOWS: server.flows };
  const start = [process.execPath, join(product, 'server')];
  const { status, stderr } = spawnSync('prlimit', ['--fsize=0', ...start], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  expect({ status, lines: stderr.trim().split('\n').length }, stderr).toEqual({ status: 1, lines: 1 });
  expect(stderr).toMatch(/^storage_failed: The data folder .* cannot be written \(.*\)\. Free space/);
});

describe('while nothing can be written', () => {
  test('flows go on answering, and every write is refused with a code that says what to do; nothing is changed', async () => {
    expect(Object.values(await writes(1)).map(({ status }) => status)).toEqual([
      200, 201, 200, 200, 201, 200, 200, 202,
    ]);
    disk('full');
    const ready = await ask(`${server.url}/readyz`);
    expect(ready).toMatchObject({ status: 503, body: { checks: { storage: 'not writable' } } });
    for (let i = 0; i < 20; i++) expect((await call(server, '/greet')).body).toBe('hello 1');
    for (const [what, answer] of Object.entries(await writes(2))) {
      expect({ what, status: answer.status }, answer.text).toEqual({ what, status: 503 });
      expect(answer.text, what).toContain('storage_failed');
    }
    expect((await call(server, '/greet')).body).toBe('hello 1');
    expect(await owner.data('GET', '/variables')).toEqual([{ name: 'color', value: 'red 1' }]);
    expect((await ask(`${server.url}/api/v1/runs`, { headers: keyHeaders(server) })).status).not.toBe(500);

    disk('free');
    const after = await writes(3);
    expect(Object.values(after).map(({ status }) => status)).toEqual([
      200, 201, 200, 200, 201, 200, 200, 202,
    ]);
    expect((await call(server, '/greet')).body).toBe('hello 3');
    expect(after['state']?.text).toBe('2');
  });

  test('a run that waits keeps waiting: a decision is refused until it can be kept, and then the run goes on', async () => {
    const run = await accept();
    const [wait] = await eventually(async () => {
      const waits = await openWaits(run.run);
      expect(waits).toHaveLength(1);
      return waits;
    });
    await eventually(async () => expect((await stands(run)).status).toBe('waiting'));
    const decide = () => owner.api('POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
    disk('full');
    const refused = await decide();
    expect({ status: refused.status, code: codeOf(refused) }).toEqual({
      status: 503,
      code: 'storage_failed',
    });
    expect((await stands(run)).status).toBe('waiting');
    disk('free');
    expect((await decide()).status).toBe(200);
    await eventually(async () =>
      expect(await stands(run)).toMatchObject({ status: 'ok', answer: { body: 'went on' } }),
    );
  });

  test('a run that was accepted just before goes on when there is room again', async () => {
    const accepted = await Promise.all(Array.from({ length: 10 }, accept));
    disk('full');
    await call(server, '/greet');
    disk('free');
    for (const run of accepted) {
      const [wait] = await eventually(async () => {
        const waits = await openWaits(run.run);
        expect(waits).toHaveLength(1);
        return waits;
        // A pass that failed is tried again after a second, and then after ever longer.
      });
      await owner.data('POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
      await eventually(async () => expect((await stands(run)).status).toBe('ok'));
    }
  });

  test('the history counts what it could not keep, and keeps what comes after', async () => {
    disk('full');
    const before = await metric(server, 'weft_runs_dropped_total');
    await eventually(async () => {
      await call(server, '/greet');
      expect(await metric(server, 'weft_runs_dropped_total')).toBeGreaterThan(before);
    });
    disk('free');
    const since = Date.now();
    await eventually(async () => {
      await call(server, '/greet');
      const { runs } = await owner.data<RunPage>('GET', `/runs?flow=greet&since=${since}`);
      expect(runs.length).toBeGreaterThan(0);
    });
  });
});
