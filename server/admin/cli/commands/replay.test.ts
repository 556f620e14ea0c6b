import { afterEach, beforeEach, expect, test } from 'vitest';
import { signIn, startBed } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { flowText, map, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject;

beforeEach(() => {
  project = tempProject();
});

afterEach(() => project.remove());

async function weft(...args: string[]) {
  const io = testIo(project.folder);
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

const dice = `import { flow } from '#weft';
export default flow('dice', (f) => {
  const t = f.trigger.manual();
  const rolled = t.map(async function roll() {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return Math.random();
  });
  return f.join({ rolled, at: t.map((_, call) => Date.now() + call.random()) });
});
`;

test('a recorded run that rolled dice replays to the same events', async () => {
  project.write('flows/dice.ts', dice);
  expect(await weft('run', 'dice', '--record', 'run.json')).toMatchObject({ code: 0 });
  expect(await weft('replay', 'run.json')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The same \d+ events\.\n$/),
  });
  expect(JSON.parse((await weft('replay', 'run.json', '--json')).out)).toMatchObject({
    same: true,
    sameVersion: true,
  });
});

test('a changed flow is reported with its first event that differs', async () => {
  const text = (value: string) =>
    flowText('sum', { t: { operator: 'trigger.manual' }, m: map(value) }, ['t > m']);
  project.write('flows/sum.json', text('{{ input.a + 1 }}'));
  await weft('run', 'sum', '--input', '{"a":1}', '--record', 'run.json');
  project.write('flows/sum.json', text('{{ input.a + 2 }}'));
  const { code, out, err } = await weft('replay', 'run.json');
  expect(code).toBe(1);
  expect(err).toContain('not the recorded version');
  expect(out).toMatch(/recorded:.*m\.out 2\nreplayed:.*m\.out 3/);
});

test('the result of a run shows the cache use of its nodes', async () => {
  const node = { ...map('{{ input }}'), cache: {} };
  project.write(
    'flows/kept.json',
    flowText('kept', { t: { operator: 'trigger.manual' }, m: node }, ['t > m']),
  );
  const { out } = await weft('run', 'kept', '--json');
  expect(JSON.parse(out)).toMatchObject({ cache: { m: { hit: false, reason: 'first-time' } } });
});

test.each([
  ['{"format":2}', 'not a record of a run'],
  ['no JSON', 'not a record of a run'],
  [undefined, 'cannot be read (ENOENT)'],
])('the file %j is refused', async (text, message) => {
  if (text !== undefined) project.write('bad.json', text);
  expect(await weft('replay', 'bad.json')).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

/** A server on the project's folders; `run` starts a flow by hand and gives the id of its run. */
async function serve() {
  const bed = await startBed({
    flows: [project.path('flows')],
    data: project.path('data'),
  });
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers: { ...(await cookies), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as { data: never; err_code: string | null };
  };
  const cookies = signIn(bed);
  const run = async (input: unknown, flow = 'sum'): Promise<string> => {
    const { data } = await call('POST', `/flows/${flow}/run`, { input });
    return (data as { run: string }).run;
  };
  return { bed, call, run };
}

const sum = (value: string) =>
  flowText('sum', { t: { operator: 'trigger.manual' }, m: map(value), text: map('{{ input * 2 }}') }, [
    't > m',
    'm > text',
  ]);

test('a run of the server plays again by its id, while the server runs and when it does not', async () => {
  project.write('flows/sum.json', sum('{{ input.a + 1 }}'));
  const { bed, run } = await serve();
  const id = await run({ a: 1 });
  expect(await weft('replay', id)).toMatchObject({ code: 0, out: 'The same 3 outputs.\n', err: '' });
  await bed.stop();
  expect(await weft('replay', id)).toMatchObject({ code: 0, out: 'The same 3 outputs.\n', err: '' });
  project.write('flows/sum.json', sum('{{ input.a + 5 }}'));
  expect(await weft('replay', id)).toMatchObject({ code: 0 });
  const changed = await weft('replay', id, '--flow', 'sum');
  expect(changed).toMatchObject({ code: 1, err: expect.stringContaining('not the recorded version') });
  expect(changed.out).toMatch(
    /m \(ok.*\) from recorded to replayed:\n {2}out: 2 → 6\ntext .*\n {2}out: 4 → 12\n/,
  );
  const result = JSON.parse((await weft('replay', id, '--flow', 'sum', '--json')).out) as {
    recorded: { t: object; m: object };
    replayed: { t: object; m: object };
  };
  expect(result.replayed.t).toEqual(result.recorded.t);
  expect(result.replayed.m).not.toEqual(result.recorded.m);
  expect(await weft('replay', 'missing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no run missing'),
  });
});

test('a downloaded recording plays anywhere, and a run of a stopped server is compared with another', async () => {
  project.write('flows/sum.json', sum('{{ input.a + 1 }}'));
  const { bed, call, run } = await serve();
  const [one, same, other] = [await run({ a: 1 }), await run({ a: 1 }), await run({ a: 2 })];
  project.write('kept.json', JSON.stringify(await call('GET', `/runs/${one}/recording`)));
  expect(await call('GET', `/runs/${one}/diff/${other}`)).toMatchObject({
    data: { sameVersion: true, input: [{ place: 'input.a', before: 1, after: 2 }], same: 0 },
  });
  await bed.stop();
  expect(await weft('replay', 'kept.json')).toMatchObject({ code: 0, out: 'The same 3 outputs.\n' });
  expect(await weft('diff', '--runs', one, same)).toMatchObject({
    code: 0,
    out: expect.stringContaining('All 3 nodes had the same results.'),
  });
  const { code, out } = await weft('diff', '--runs', one, other);
  expect(code).toBe(1);
  expect(out).toContain('  input.a: 1 → 2\n');
  expect(out).toMatch(/m \(ok.*\) from before to after:\n {2}out: 2 → 3\n/);
});

test('a large value is shown whole, used again, and in what is exported', async () => {
  project.write(
    'flows/large.json',
    flowText(
      'large',
      { t: { operator: 'trigger.manual' }, m: map('{{ input.text }}'), n: map('{{ length(input) }}') },
      ['t > m', 'm > n'],
    ),
  );
  const { call, run } = await serve();
  const text = 'x'.repeat(100_000);
  const id = await run({ text }, 'large');
  const { data } = await call('GET', `/runs/${id}/export`);
  const file = data ?? (await call('GET', `/runs/${id}/export`));
  const { events, values } = file as unknown as {
    events: { node?: string; value?: { $large: { hash: string } } }[];
    values: object;
  };
  const hash =
    events.find(({ node, value }) => node === 'm' && value !== undefined)?.value?.$large.hash ?? '';
  expect(Object.keys(values)).toContain(hash);
  expect(await call('GET', `/runs/${id}/values/${hash}`)).toMatchObject({ data: text });
  expect(await call('GET', `/runs/${id}/values/${'0'.repeat(64)}`)).toMatchObject({
    err_code: 'run_value_not_found',
  });
  expect(await call('GET', `/runs/missing/values/${hash}`)).toMatchObject({ err_code: 'run_not_found' });
  const fork = await call('POST', `/runs/${id}/fork`, { from: 'n' });
  expect(fork).toMatchObject({ data: { status: 'ok', answer: { body: 100_000 } } });
  const { decisions } = fork.data as { decisions: { node: string; does: string }[] };
  expect(decisions.find(({ node }) => node === 'm')?.does).toBe('reused');
  expect(await weft('replay', id)).toMatchObject({ code: 0, out: 'The same 3 outputs.\n' });
});

test('a durable run with an approval plays again after its server is gone, and becomes a test', async () => {
  project.write(
    'flows/order.json',
    flowText(
      'order',
      {
        t: { operator: 'trigger.manual' },
        ok: { operator: 'human.approval', params: { title: 'May it?' } },
        m: map('{{ input.comment }}'),
      },
      ['t > ok', 'ok.approved > m'],
    ),
  );
  const { bed, call, run } = await serve();
  const id = await run({ a: 1 }, 'order');
  expect(await weft('replay', id)).toMatchObject({ code: 1, err: expect.stringContaining('has not ended') });
  await call('POST', `/waits/${id}.ok/decide`, { decision: 'approved', comment: 'Go on' });
  await bed.ctx.durable.ended(id);
  expect(await weft('replay', id)).toMatchObject({ code: 0, out: 'The same 3 outputs.\n' });
  expect(await call('POST', `/runs/${id}/test`, { name: 'approved' })).toMatchObject({ err_code: null });
  await bed.stop();
  expect(await weft('replay', id)).toMatchObject({ code: 0, out: 'The same 3 outputs.\n' });
  expect(await weft('test')).toMatchObject({ code: 0, out: expect.stringContaining('✓ order: approved') });
});
