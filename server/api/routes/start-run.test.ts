import { describe, expect, test } from 'vitest';
import { startBed } from '../../testing/platform-bed.ts';

/** A caller who may start runs may not be allowed to see the data of earlier ones. */
describe('a run that uses what an earlier one gave', () => {
  test.each([
    ['/runs/none/fork', {}],
    ['/flows/none/run', { reuse: 'last' }],
    ['/flows/none/run', { only: 'a' }],
    ['/flows/none/run', { from: 'a' }],
  ])('POST %s %j takes the right to read runs as well', async (path, body) => {
    const bed = await startBed();
    const ask = async (scopes: readonly ('runs:write' | 'runs:read')[]) => {
      const { key } = await bed.ctx.keys.create({ name: scopes.join(), scopes: [...scopes] });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${bed.url}/api/v1${path}`, init)).json()) as { err_code: string };
    };
    expect(await ask(['runs:write'])).toMatchObject({ err_code: 'forbidden' });
    expect((await ask(['runs:write', 'runs:read'])).err_code).toMatch(/_not_found$/);
  });
});

describe('a run by hand starts with what a caller would have started it with', () => {
  const greet = { operator: 'text.template', params: { template: 'Hello, {{ input.name }}!' } };
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'world' },
      size: { type: 'object', properties: { wide: { type: 'number', default: 3 } } },
    },
  };
  const http = { operator: 'trigger.http', params: { path: '/hi', auth: 'none', request: schema } };
  const manual = { operator: 'trigger.manual', params: { input: schema } };
  const schedule = { operator: 'trigger.schedule', params: { cron: '0 0 1 1 *', input: { type: 'string' } } };

  /** Starts a flow of this trigger and, behind it, this node; returns the run's answer and its input. */
  async function runBy(start: object, node: object, body: object) {
    const bed = await startBed();
    const { key } = await bed.ctx.keys.create({
      name: 'k',
      scopes: ['runs:write', 'runs:read', 'flows:write'],
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = async (path: string, sent: unknown) => {
      const answer = await fetch(`${bed.url}/api/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(sent),
      });
      return ((await answer.json()) as { data: { run: string; answer: { body: unknown } } }).data;
    };
    const edges = [{ from: 'start.out', to: 'say.in' }];
    await post('/flows', { flow: { format: 1, id: 'by_hand', nodes: { start, say: node }, edges } });
    return (await post('/flows/by_hand/run', { draft: true, ...body })).answer.body;
  }

  test.each([
    ['of an HTTP request, without an input', http, {}, 'Hello, world!'],
    ['of an HTTP request, with an empty one', http, { input: {} }, 'Hello, world!'],
    ['of an HTTP request, with one', http, { input: { name: 'Ada' } }, 'Hello, Ada!'],
    ['of a start by hand', manual, { input: {} }, 'Hello, world!'],
    ['of which only a part runs', http, { only: 'say', input: {} }, 'Hello, world!'],
  ])('%s', async (_, start, body, answer) => {
    expect(await runBy(start, greet, body)).toBe(answer);
  });

  test('defaults within what is given are filled in, what is given stays as it is', async () => {
    const whole = { operator: 'core.map', params: { value: '{{ input }}' } };
    expect(await runBy(http, whole, { input: { size: {}, more: 1 } })).toEqual({
      name: 'world',
      size: { wide: 3 },
      more: 1,
    });
    expect(await runBy(http, whole, { input: [1] })).toEqual([1]);
  });

  test('a schedule gives the time, and its own input as it is', async () => {
    const whole = { operator: 'core.map', params: { value: '{{ input }}' } };
    const given = {
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      late: false,
      input: { type: 'string' },
    };
    expect(await runBy(schedule, whole, {})).toEqual(given);
    expect(await runBy(schedule, whole, { input: {} })).toEqual(given);
    expect(await runBy(schedule, whole, { input: { input: 5 } })).toEqual({ ...given, input: 5 });
  });
});

describe('a run that is answered as it goes', () => {
  const lists = { operator: 'core.streamify', params: {} };

  async function linesOf(nodes: object, edges: readonly object[], body: object): Promise<unknown[]> {
    const bed = await startBed();
    const { key } = await bed.ctx.keys.create({
      name: 'k',
      scopes: ['runs:write', 'runs:read', 'flows:write'],
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const post = (path: string, sent: unknown) =>
      fetch(`${bed.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(sent) });
    await post('/flows', { flow: { format: 1, id: 'as_it_goes', nodes, edges } });
    const answer = await post('/flows/as_it_goes/run', { draft: true, stream: true, ...body });
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    expect(answer.headers.get('x-weft-run')).toBeTruthy();
    return (await answer.text())
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  test('says its id first, then the answer with its status and headers, then its end', async () => {
    const nodes = {
      start: { operator: 'trigger.manual' },
      end: {
        operator: 'core.respond',
        params: { status: 201, headers: { 'x-kind': 'new' }, body: '{{ input }}' },
      },
    };
    const lines = await linesOf(nodes, [{ from: 'start.out', to: 'end.in' }], { input: { a: 1 } });
    expect(lines).toMatchObject([
      { kind: 'started', run: { status: 'running' } },
      {
        kind: 'answer',
        answer: { kind: 'value', status: 201, headers: { 'x-kind': 'new' }, body: { a: 1 } },
      },
      { kind: 'ended', status: 'ok' },
    ]);
  });

  test('sends a stream item by item', async () => {
    const nodes = { start: { operator: 'trigger.manual' }, lists };
    const lines = await linesOf(nodes, [{ from: 'start.out', to: 'lists.in' }], { input: ['a', 'b'] });
    expect(lines).toMatchObject([
      { kind: 'started' },
      { kind: 'answer', answer: { kind: 'value', status: 200 }, items: true },
      { kind: 'item', value: 'a' },
      { kind: 'item', value: 'b' },
      { kind: 'ended', status: 'ok' },
    ]);
  });

  test('ends with the error of a run that failed', async () => {
    const nodes = {
      start: { operator: 'trigger.manual' },
      bad: { operator: 'core.map', params: { value: '{{ input.none }}' } },
    };
    const lines = await linesOf(nodes, [{ from: 'start.out', to: 'bad.in' }], { input: {} });
    expect(lines).toMatchObject([
      { kind: 'started' },
      { kind: 'answer', answer: { kind: 'error', error: { code: 'missing_field', node: 'bad' } } },
      { kind: 'ended', status: 'failed', error: { code: 'missing_field', node: 'bad' } },
    ]);
  });
});
