import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StartedRun } from '#shared/api.ts';
import { runCli } from '../server/admin/cli/program.ts';
import { testIo } from '../server/admin/cli/testing/test-io.ts';
import { type Owner, signIn } from './support/client.ts';
import { countingServer, type CountingServer } from './support/counting-server.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';

/**
 * A run that does not do again what was done: a flow whose nodes call an outside server, which counts them.
 * start → first → second → last → answer, and start → aside.
 */
const ask = (outside: CountingServer, name: string) => ({
  operator: 'http.request',
  params: { url: `${outside.url}/${name}?saw={{ input }}`, response: 'text' },
});

function flowOf(outside: CountingServer, second = 'second') {
  return {
    format: 1,
    id: 'steps',
    nodes: {
      start: { operator: 'trigger.manual' },
      first: ask(outside, 'first'),
      second: ask(outside, second),
      last: { operator: 'text.template', params: { template: '{{ input }}!' } },
      answer: { operator: 'core.respond' },
      aside: ask(outside, 'aside'),
    },
    edges: [
      { from: 'start.out', to: 'first.in' },
      { from: 'start.out', to: 'aside.in' },
      { from: 'first.body', to: 'second.in' },
      { from: 'second.body', to: 'last.in' },
      { from: 'last.out', to: 'answer.in' },
    ],
  };
}

let outside: CountingServer;
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  outside = await countingServer();
  const flows = tempFolder('flows');
  writeFileSync(join(flows, 'steps.json'), JSON.stringify(flowOf(outside)));
  server = await startServer({ flows, env: { WEFT_OUTBOUND_ALLOW: new URL(outside.url).host } });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  await outside.close();
});
beforeEach(() => outside.forget());

const start = (body: object) => owner.data<StartedRun>('POST', '/flows/steps/run', body);
const does = (run: StartedRun) =>
  Object.fromEntries((run.decisions ?? []).map(({ node, does: what }) => [node, what]));
const why = (run: StartedRun, node: string) => run.decisions?.find((d) => d.node === node)?.reason;

describe('a run that does not do everything', () => {
  test('from a node on uses what the nodes before it gave', async () => {
    const whole = await start({ input: 'x' });
    expect(whole.error ?? whole.status).toBe('ok');
    expect(whole.decisions).toBeUndefined();
    expect(outside.calls()).toEqual({ first: 1, second: 1, aside: 1 });
    outside.forget();

    const part = await start({ from: 'second' });
    expect(part).toMatchObject({ status: 'ok', reused: whole.run });
    expect(outside.calls()).toEqual({ second: 1 });
    expect(does(part)).toEqual({
      start: 'reused',
      first: 'reused',
      aside: 'reused',
      second: 'run',
      last: 'run',
      answer: 'run',
    });
    expect(why(part, 'last')).toBe('It depends on second.');
    const events = await owner.data<{
      events: { kind: string; node?: string; cache?: object; inPart?: object }[];
    }>('GET', `/runs/${part.run}/events`);
    // Whoever opens the run later is told the same.
    expect(events.events[0]?.inPart).toEqual({ reused: whole.run, decisions: part.decisions });
    const finished = events.events.find((event) => event.kind === 'node-finished' && event.node === 'first');
    expect(finished?.cache).toEqual({ hit: true, reason: 'reused' });
  });

  test('of one node alone runs what it needs and no more', async () => {
    const part = await start({ only: 'second', input: 'fresh', reuse: undefined, pins: false });
    expect(part.status).toBe('ok');
    expect(does(part)).toMatchObject({ second: 'run', last: 'left-out' });
    expect(outside.calls()['second']).toBe(1);
    expect(outside.calls()['aside']).toBeUndefined();
  });

  test('with a changed value runs only what depends on it', async () => {
    const whole = await start({ input: 'x' });
    outside.forget();
    const forked = await owner.data<StartedRun>('POST', `/runs/${whole.run}/fork`, {
      outputs: { second: { body: 'by hand' } },
    });
    expect(forked).toMatchObject({ status: 'ok', reused: whole.run });
    expect(outside.calls()).toEqual({});
    expect(does(forked)).toMatchObject({ first: 'reused', second: 'changed', last: 'run' });
    expect(JSON.stringify(forked.answer)).toContain('by hand!');
  });

  test('goes on at the node that failed', async () => {
    outside.fail('second');
    const failed = await start({ input: 'x' });
    expect(failed.status).toBe('failed');
    outside.forget();
    const again = await owner.data<StartedRun>('POST', `/runs/${failed.run}/fork`, {});
    expect(again.status).toBe('ok');
    expect(does(again)).toMatchObject({ first: 'reused', second: 'run', last: 'run' });
    expect(outside.calls()['first']).toBeUndefined();
    expect(outside.calls()['second']).toBe(1);
  });

  test('goes on at the node that failed and was mended since', async () => {
    outside.fail('second');
    const failed = await start({ input: 'x' });
    const { revision } = await owner.data<{ revision: string }>('GET', '/flows/steps');
    await owner.data('PUT', '/flows/steps', { revision, flow: flowOf(outside, 'mended') });
    outside.forget();
    const again = await owner.data<StartedRun>('POST', `/runs/${failed.run}/fork`, {});
    expect(does(again)).toMatchObject({ first: 'reused', second: 'run', last: 'run', answer: 'run' });
    expect(outside.calls()).toEqual({ mended: 1 });
    const detail = await owner.data<{ revision: string }>('GET', '/flows/steps');
    await owner.data('PUT', '/flows/steps', { revision: detail.revision, flow: flowOf(outside) });
  });

  test('uses a pinned output until the pin is taken away', async () => {
    await owner.data('PUT', '/flows/steps/pins/first', { outputs: { body: 'pinned' } });
    const pinned = await start({ input: 'x' });
    expect(does(pinned)).toMatchObject({ first: 'pinned', second: 'run', aside: 'run' });
    expect(outside.calls()).toEqual({ second: 1, aside: 1 });
    expect(outside.saw('second')).toBe('pinned');
    const free = await start({ input: 'x', pins: false });
    expect(free.decisions).toBeUndefined();
    await owner.data('DELETE', '/flows/steps/pins/first');
    expect(await owner.data('GET', '/flows/steps/pins')).toEqual({});
  });

  test('keeps a pin with its node when that gets another id', async () => {
    await owner.data('PUT', '/flows/steps/pins/before', { outputs: { body: 'pinned' } });
    const renamed = await owner.data('POST', '/flows/steps/pins/before/rename', { to: 'first' });
    expect(renamed).toEqual({ first: { body: 'pinned' } });
    expect(does(await start({ input: 'x' }))).toMatchObject({ first: 'pinned', second: 'run' });
    expect(await owner.data('POST', '/flows/steps/pins/gone/rename', { to: 'first' })).toEqual(renamed);
    expect((await owner.api('POST', '/flows/steps/pins/first/rename', { to: 'No id' })).status).toBe(400);
    await owner.data('DELETE', '/flows/steps/pins/first');
  });

  test('does not use what a node gave before it was changed', async () => {
    const whole = await start({ input: 'x' });
    const detail = await owner.data<{ revision: string }>('GET', '/flows/steps');
    await owner.data('PUT', '/flows/steps', { revision: detail.revision, flow: flowOf(outside, 'second2') });
    outside.forget();
    const part = await start({ from: 'last', reuse: whole.run });
    expect(does(part)).toMatchObject({ first: 'reused', second: 'run', last: 'run' });
    expect(why(part, 'second')).toBe('last needs its output, and it has been changed since then.');
    expect(outside.calls()).toEqual({ second2: 1 });
  });

  test('asks before it carries out a write that comes before what was asked for', async () => {
    const write = {
      operator: 'http.request',
      params: { url: `${outside.url}/written`, method: 'POST', response: 'text' },
    };
    const after = { operator: 'text.template', params: { template: '{{ input }}!' } };
    const flow = {
      format: 1,
      id: 'writes',
      nodes: { start: { operator: 'trigger.manual' }, write, after },
      edges: [
        { from: 'start.out', to: 'write.in' },
        { from: 'write.body', to: 'after.in' },
      ],
    };
    await owner.data('POST', '/flows', { flow });
    for (const wish of [{ only: 'after' }, { from: 'after' }, { only: 'after', allowWrites: ['after'] }]) {
      const refused = await owner.api('POST', '/flows/writes/run', wish);
      expect([refused.status, JSON.parse(refused.text)]).toEqual([
        409,
        expect.objectContaining({
          err_code: 'writes_need_yes',
          detail: [expect.objectContaining({ node: 'write', operator: 'http.request' })],
        }),
      ]);
    }
    expect(outside.calls()).toEqual({});
    const run = (wish: object) => owner.data<StartedRun>('POST', '/flows/writes/run', wish);
    expect(does(await run({ only: 'after', allowWrites: ['write'] }))).toMatchObject({ write: 'run' });
    expect(outside.calls()).toEqual({ written: 1 });
    // It is there now; and what was asked for itself needs no yes.
    expect(does(await run({ only: 'after' }))).toMatchObject({ write: 'reused' });
    expect(does(await run({ from: 'write' }))).toMatchObject({ write: 'run', after: 'run' });
    expect(outside.calls()).toEqual({ written: 2 });
    // A change before it is one, since it then depends on something that nobody asked to run.
    const unasked = await owner.api('POST', '/flows/writes/run', { only: 'after', input: 'other' });
    expect(unasked.status).toBe(409);
  });

  test('pins a large output of a run whole, and refuses what only stands for a value', async () => {
    const large = 'x'.repeat(100_000);
    const made = await start({ outputs: { second: { body: large } } });
    const { events } = await owner.data<{ events: { kind: string; node?: string; value?: object }[] }>(
      'GET',
      `/runs/${made.run}/events`,
    );
    const value = events.find(({ kind, node }) => kind === 'node-output' && node === 'second')?.value;
    expect(value).toMatchObject({ $large: { hash: expect.any(String) } });
    const pins = '/flows/steps/pins/second';
    const refused = await owner.api('PUT', pins, { outputs: { body: value } });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('was not stored unchanged'),
    ]);
    expect(await owner.data('PUT', pins, { outputs: { body: value }, run: made.run })).toEqual({
      second: { body: large },
    });
    await owner.data('DELETE', pins);
  });

  test('says what is wrong with a wish that cannot be met', async () => {
    const cases: [body: object, status: number, text: string][] = [
      [{ from: 'nowhere' }, 400, 'has no node nowhere; its nodes: start'],
      [{ from: 'first', only: 'last' }, 400, 'either `only` or `from`'],
      [{ outputs: { first: { none: 1 } } }, 400, 'first has no output none; it has body'],
      [{ outputs: { start: { out: 1 } } }, 400, 'as `input`'],
      [{ reuse: '001k6zq0f80003' }, 404, 'run'],
    ];
    for (const [body, status, text] of cases) {
      const answer = await owner.api('POST', '/flows/steps/run', body);
      expect([body, answer.status]).toEqual([body, status]);
      expect(answer.text).toContain(text);
    }
    expect((await owner.api('POST', '/runs/unknown/fork', {})).status).toBe(404);
    expect((await owner.api('PUT', '/flows/none/pins/first', { outputs: {} })).status).toBe(404);
  });

  test('goes on from a run of the server on the command line, while it runs and when it is stopped', async () => {
    const { revision } = await owner.data<{ revision: string }>('GET', '/flows/steps');
    await owner.data('PUT', '/flows/steps', { revision, flow: flowOf(outside) });
    const whole = await start({ input: 'x' });
    outside.forget();
    const weft = async (...args: string[]): Promise<StartedRun> => {
      const env = {
        WEFT_FLOWS: server.flows,
        WEFT_DATA: server.data,
        WEFT_OUTBOUND_ALLOW: new URL(outside.url).host,
      };
      const io = testIo(server.flows, { env });
      await runCli([...args, '--json'], io);
      return JSON.parse(io.stdout.text) as StartedRun;
    };
    const part = await weft('run', 'steps', '--from', 'last');
    expect(part).toMatchObject({ status: 'ok', reused: whole.run });
    expect(does(part)).toMatchObject({ first: 'reused', second: 'reused', last: 'run' });
    await server.stop();
    const unasked = await weft('run', 'writes', '--only', 'after', '--input', '"new"');
    expect(unasked).toMatchObject({ error: { code: 'writes_need_yes' } });
    expect(outside.calls()).toEqual({});
    const allowed = ['--allow-write', 'write'];
    expect(await weft('run', 'writes', '--only', 'after', '--input', '"new"', ...allowed)).toMatchObject({
      status: 'ok',
    });
    outside.forget();
    const forked = await weft('fork', whole.run, '--output', 'second.body="mine"');
    expect(JSON.stringify(forked.answer)).toContain('mine!');
    expect(outside.calls()).toEqual({});
  });
});
