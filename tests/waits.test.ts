import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
import type { WaitInfo, WaitPage } from '#shared/wait.ts';
import { type Answer, ask, call, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { httpTrigger, write } from './support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';

/** Runs that wait for people, on a real server: asked over HTTP, decided in every way, over a kill too. */
let server: TestServer;
let owner: Owner;
let hook: { url: string; told: Told[]; close(): void };

interface Told {
  readonly title: string;
  readonly link: string;
  readonly run: string;
}

const outcome = (says: string) => ({ operator: 'text.template', params: { template: says } });

/** Asks, and ends with a text that says how it was decided. `before` the question nodes may come first. */
function askingFlow(id: string, question: object, more: { operator?: string; before?: object } = {}) {
  const { operator = 'human.approval', before = {} } = more;
  const first = Object.keys(before)[0];
  const submitted = operator === 'human.form';
  const good = submitted ? 'submitted' : 'approved';
  return {
    format: 1 as const,
    id,
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      ...before,
      ask: { operator, params: { title: `Ask ${id}`, ...question } },
      good: outcome(`good by {{ input.by }}: {{ toJson(input${submitted ? '.data' : '.comment'}) }}`),
      late: outcome('late at {{ input.at }}'),
      ...(!submitted && { bad: outcome('bad by {{ input.by }}') }),
      end: { operator: 'core.merge' },
    },
    edges: [
      ...(first ? [{ from: 'start.out', to: `${first}.in` }] : []),
      { from: `${first ?? 'start'}.out`, to: 'ask.in' },
      { from: `ask.${good}`, to: 'good.in' },
      { from: 'ask.expired', to: 'late.in' },
      { from: 'good.out', to: 'end.in' },
      { from: 'late.out', to: 'end.in' },
      ...(submitted
        ? []
        : [
            { from: 'ask.rejected', to: 'bad.in' },
            { from: 'bad.out', to: 'end.in' },
          ]),
    ],
  };
}

const FORM = {
  fields: [
    { name: 'size', type: 'choice', choices: ['s', 'm'], required: true },
    { name: 'count', type: 'integer' },
  ],
};

async function startHook() {
  const told: Told[] = [];
  const listener = createServer((request, response) => {
    void json(request).then((body) => {
      told.push(body as Told);
      response.end();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, told, close: () => void listener.close() };
}

beforeAll(async () => {
  hook = await startHook();
  const flows = tempFolder('flows');
  write(flows, 'plain.json', askingFlow('plain', {}));
  write(flows, 'told.json', askingFlow('told', { notify: hook.url, text: 'Really?' }));
  write(flows, 'short.json', askingFlow('short', { expiresAfter: 1200 }));
  write(flows, 'form.json', askingFlow('form', FORM, { operator: 'human.form' }));
  const slow = { pause: { operator: 'logic.wait-until', params: { for: '1s' } } };
  write(flows, 'later.json', askingFlow('later', {}, { before: slow }));
  server = await startServer({ flows, env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });
  owner = await signIn(server);
});
afterAll(async () => {
  hook.close();
  await discard(server);
});

/** Starts a run; gives its id. */
async function begin(flow: string): Promise<string> {
  const { status, headers, text } = await call(server, `/${flow}`, { method: 'POST' });
  expect([status, text]).toEqual([202, expect.any(String)]);
  return headers.get('x-weft-run') ?? '';
}

async function accepted(flow: string): Promise<AcceptedRun> {
  return JSON.parse((await call(server, `/${flow}`, { method: 'POST' })).text) as AcceptedRun;
}

/** What the caller of a run gets. A run that ended right before a kill has its answer, but may lack events in its history. */
async function answerOf({ statusUrl }: AcceptedRun): Promise<unknown> {
  const { data } = await eventually(async () => {
    const view = (await (await fetch(`${server.url}${statusUrl}`)).json()) as { data: CalledRun };
    expect(view.data.status).toBe('ok');
    return view;
  });
  return data.answer?.body;
}

const waitOf = (run: string): Promise<WaitInfo> =>
  eventually(() => owner.data<WaitInfo>('GET', `/waits/${run}.ask`));
const decide = (run: string, body: object): Promise<Answer> =>
  owner.api('POST', `/waits/${run}.ask/decide`, body);

/** What the run gave at its end. */
async function resultOf(run: string): Promise<unknown> {
  const { events } = await eventually(async () => {
    const page = await owner.data<{ events: Record<string, unknown>[] }>('GET', `/runs/${run}/events`);
    expect(page.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
    return page;
  });
  return events.findLast(({ kind, node }) => kind === 'node-output' && node === 'end')?.['value'];
}

describe('an approval', () => {
  test('waits, is listed, and goes on by the decision; the second who decides is told who was first', async () => {
    const run = await begin('plain');
    const wait = await waitOf(run);
    expect(wait).toMatchObject({ title: 'Ask plain', status: 'open', flow: 'plain', run });
    const { waits } = await owner.data<WaitPage>('GET', '/waits?flow=plain');
    expect(waits.map(({ id }) => id)).toContain(wait.id);
    const [first, second] = await Promise.all([
      decide(run, { decision: 'approved', comment: 'Go' }),
      decide(run, { decision: 'rejected' }),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    expect(await resultOf(run)).toMatch(first.status === 200 ? /^good by .*: "Go"$/ : /^bad by /);
  });

  test('is decided by the link that an address was told of once, without a login', async () => {
    const run = await begin('told');
    const { link } = await eventually(() => {
      const found = hook.told.filter((told) => told.run === run);
      expect(found).toHaveLength(1);
      return found[0] as Told;
    });
    expect(new URL(link).origin).toBe(server.url);
    const page = await ask(link);
    expect([page.status, page.text.includes('Really?')]).toEqual([200, true]);
    const body = new URLSearchParams({ decision: 'rejected', by: 'Bob' });
    const sent = await ask(link, { method: 'POST', body });
    expect([sent.status, sent.text.includes('Rejected')]).toEqual([200, true]);
    expect(await resultOf(run)).toBe('bad by Bob (by link)');
    expect((await ask(link)).text).toContain('Rejected');
    expect(hook.told.filter((told) => told.run === run)).toHaveLength(1);
  });

  test('takes a decision that comes before the run asks', async () => {
    const run = await begin('later');
    const early = await decide(run, { decision: 'approved', comment: 'early' });
    expect([early.status, early.text]).toEqual([200, expect.stringContaining('early')]);
    expect(await resultOf(run)).toMatch(/: "early"$/);
  });

  test('goes on without a decision when its time is over, and nobody decides then', async () => {
    const run = await begin('short');
    const { expiresAt } = await waitOf(run);
    expect(await resultOf(run)).toBe(`late at ${expiresAt}`);
    const late = await decide(run, { decision: 'approved' });
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('wait_expired')]);
  });

  test('is void when its run is cancelled', async () => {
    const run = await begin('plain');
    await waitOf(run);
    expect((await owner.api('POST', `/runs/${run}/cancel`)).status).toBe(202);
    await eventually(async () => expect(await waitOf(run)).toMatchObject({ status: 'void' }));
    expect((await decide(run, { decision: 'approved' })).text).toContain('wait_void');
  });
});

test('a form refuses what does not fit, with all that is wrong, and gives the rest to the flow', async () => {
  const run = await begin('form');
  await waitOf(run);
  const wrong = await decide(run, { decision: 'submitted', data: { count: 'x', more: 1 } });
  expect(wrong.status).toBe(422);
  expect(wrong.body).toMatchObject({
    err_code: 'wait_answer_invalid',
    detail: expect.arrayContaining([
      expect.objectContaining({ loc: ['body', 'size'] }),
      expect.objectContaining({ loc: ['body', 'count'] }),
      expect.objectContaining({ loc: ['body', 'more'] }),
    ]),
  });
  expect((await decide(run, { decision: 'submitted', data: { size: 'm', count: '2' } })).status).toBe(200);
  expect(await resultOf(run)).toMatch(/: \{"size":"m","count":2\}$/);
});

test('a decision right after a kill and a restart is not lost, nor one right before it', async () => {
  const data = tempFolder('data');
  const env = { WEFT_OUTBOUND_ALLOW: '127.0.0.1' };
  const first = await startServer({ flows: server.flows, data, env });
  const before = { server, owner };
  onTestFinished(() => {
    ({ server, owner } = before);
  });
  [server, owner] = [first, await signIn(first)];
  const [decided, open, early] = [await accepted('plain'), await accepted('plain'), await accepted('later')];
  await Promise.all([waitOf(decided.run), waitOf(open.run)]);
  for (const { run } of [decided, early]) {
    expect((await decide(run, { decision: 'approved', comment: 'before' })).status).toBe(200);
  }
  await first.stop('SIGKILL');
  server = await startServer({ flows: server.flows, data, env });
  const { stop } = server;
  onTestFinished(() => stop().then(() => undefined));
  owner = await signIn(server);
  expect((await decide(open.run, { decision: 'approved', comment: 'after' })).status).toBe(200);
  expect(await answerOf(decided)).toMatch(/: "before"$/);
  // It waited for a time when it was killed, and was decided before it could ask.
  expect(await answerOf(early)).toMatch(/: "before"$/);
  expect(await answerOf(open)).toMatch(/: "after"$/);
});
