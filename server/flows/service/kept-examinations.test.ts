import { fc } from '../../../tests/support/property.ts';
import { afterEach, expect, it } from 'vitest';
import type { SecretInfo } from '#shared/api.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { readText } from './judge-text.ts';
import { actorNamed, flowFixture, type FlowFixture, helloFlow } from './testing/flow-fixture.ts';

let f: FlowFixture;
afterEach(() => f.end());

/** A flow with the given reads, calls and path. */
function flowText(id: string, uses: { reads?: string; secret?: string; calls?: string; path?: string } = {}) {
  const { reads = 'nothing', secret, calls, path = `/${id}` } = uses;
  const say = { operator: 'text.template', params: { template: reads } };
  const auth = secret === undefined ? 'none' : { type: 'hmac', secret: { $secret: secret } };
  const start = { operator: 'trigger.http', params: { path, auth, methods: ['POST'] } };
  const call = calls === undefined ? {} : { call: { operator: 'flow.call', params: { flow: calls } } };
  const first = { from: 'start.out', to: 'say.in' };
  const edges = calls === undefined ? [first] : [first, { from: 'say.out', to: 'call.in' }];
  return JSON.stringify({ format: 1, id, nodes: { start, say, ...call }, edges });
}

/** A service that counts how often it checks the text of each flow, with surroundings that can change. */
async function counted(files: Readonly<Record<string, string>>) {
  const judged: Record<string, number> = {};
  const world = { variables: {} as Record<string, unknown>, secrets: [] as SecretInfo[] };
  f = await flowFixture(files, {
    variables: { snapshot: () => world.variables },
    secrets: () => world.secrets,
    read(id, source, catalog) {
      const read = readText(id, source, catalog);
      const name = id ?? '';
      return {
        ...read,
        judge(...args) {
          judged[name] = (judged[name] ?? 0) + 1;
          return read.judge(...args);
        },
      };
    },
  });
  const seen = async () => {
    for (const { id } of f.service.list()) await f.service.get(id);
    f.service.list();
  };
  await seen();
  return {
    world,
    /** The checks during this change, and while all flows are read and listed twice afterwards. */
    async during(change: () => unknown): Promise<Record<string, number>> {
      for (const id of Object.keys(judged)) delete judged[id];
      await change();
      await seen();
      await seen();
      return { ...judged };
    },
  };
}

const secret = (name: string, grants: SecretInfo['grants']): SecretInfo => ({ name, grants, source: 'file' });
const me = { actor: actorNamed('ada') };
const revisionOf = async (id: string) => (await f.service.get(id)).revision;
const codesOf = async (id: string) => (await f.service.get(id)).problems.map(({ code }) => code);

const files = {
  'plain.json': flowText('plain'),
  'reader.json': flowText('reader', { reads: '{{ vars.city }}' }),
  'holder.json': flowText('holder', { secret: 'hook' }),
  'callee.json': flowText('callee'),
  'caller.json': flowText('caller', { calls: 'callee' }),
  'over.json': flowText('over', { calls: 'caller' }),
  '.drafts/rival.json': flowText('rival', { path: '/plain' }),
};

it('reading and listing judge nothing, however often', async () => {
  const { during } = await counted(files);
  expect(await during(() => {})).toEqual({});
});

it('a text is judged once when it is saved, and never again to be read, listed, published or served', async () => {
  const { during } = await counted({});
  const one = helloFlow('a', { says: 'One' });
  expect(await during(() => f.service.save('a', one, { revision: undefined, ...me }))).toEqual({ a: 1 });
  const again = async () => f.service.save('a', one, { revision: await revisionOf('a'), ...me });
  expect(await during(again)).toEqual({});
  const two = JSON.stringify(JSON.parse(helloFlow('a', { says: 'Two' })));
  const draft = async () =>
    f.service.save('a', two, { revision: await revisionOf('a'), ...me, mode: 'draft' });
  expect(await during(draft)).toEqual({ a: 1 });
  expect(await during(() => f.service.draft('a'))).toEqual({});
  expect(
    await during(async () => f.service.publish('a', { revision: await revisionOf('a'), ...me })),
  ).toEqual({});
  expect(f.service.live('a')?.flow.nodes['handler']?.params).toEqual({ template: 'Two' });
});

it('a created or deleted variable causes one new check of each flow that reads variables', async () => {
  const { during, world } = await counted(files);
  expect(await codesOf('reader')).toEqual(['unknown-variable']);
  const set = (values: Record<string, unknown>) => async () => {
    world.variables = values;
    await f.service.worldChanged('variables');
  };
  expect(await during(set({ city: 'Oslo' }))).toEqual({ reader: 1 });
  expect(f.service.list().find(({ id }) => id === 'reader')).toMatchObject({ state: 'live', problems: [] });
  expect(await during(set({ city: 'Rome' }))).toEqual({});
  expect(await during(set({}))).toEqual({ reader: 1 });
  expect(await codesOf('reader')).toEqual(['unknown-variable']);
});

it('a secret that is created, deleted or granted differently causes one new check of each flow that uses secrets', async () => {
  const { during, world } = await counted(files);
  const set = (secrets: SecretInfo[]) => async () => {
    world.secrets = secrets;
    await f.service.worldChanged('secrets');
  };
  expect(await codesOf('holder')).toEqual(['unknown-secret']);
  expect(await during(set([secret('hook', { flows: ['other'] })]))).toEqual({ holder: 1 });
  expect(await codesOf('holder')).toEqual(['secret-not-granted']);
  expect(await during(set([secret('hook', { flows: ['holder'] })]))).toEqual({ holder: 1 });
  expect(await codesOf('holder')).toEqual([]);
});

it('a new version of a flow causes one new check of each flow that calls it, also indirectly', async () => {
  const { during } = await counted(files);
  const save = async () =>
    f.service.save('callee', flowText('callee', { reads: 'otherwise' }), {
      revision: await revisionOf('callee'),
      ...me,
    });
  expect(await during(save)).toEqual({ callee: 1, caller: 1, over: 1 });
  const remove = async () => f.service.remove('callee', { revision: await revisionOf('callee') });
  expect(await during(remove)).toEqual({ caller: 1, over: 1 });
  expect(await codesOf('caller')).toContain('unknown-flow');
});

it('the flow that failures start is found where it is live, and its absence is told once it is gone', async () => {
  const failing = JSON.stringify({ ...JSON.parse(flowText('failing')), settings: { onFailure: 'callee' } });
  const { during } = await counted({ ...files, 'failing.json': failing });
  expect(await codesOf('failing')).toEqual([]);
  const remove = async () => f.service.remove('callee', { revision: await revisionOf('callee') });
  expect(await during(remove)).toMatchObject({ failing: 1 });
  expect(await codesOf('failing')).toEqual(['unknown-flow']);
});

it('lists report flows that call a deleted one, even if they were not read', async () => {
  await counted(files);
  await f.service.remove('callee', { revision: await revisionOf('callee') });
  await eventually(() =>
    expect(f.service.list().find(({ id }) => id === 'caller')?.problems).toContainEqual(
      expect.objectContaining({ code: 'unknown-flow' }),
    ),
  );
});

it('a path that becomes free causes a new check of the flows that want it', async () => {
  const { during } = await counted(files);
  expect(await codesOf('rival')).toEqual(['duplicate-path']);
  expect(
    await during(async () => f.service.remove('plain', { revision: await revisionOf('plain') })),
  ).toEqual({
    rival: 1,
  });
  expect(await codesOf('rival')).toEqual([]);
});

it('a kept result always equals a new one', async () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const uses = fc.record(
    {
      reads: fc.constantFrom('nothing', '{{ vars.x }}', '{{ vars.y }}'),
      secret: fc.constantFrom('s', 't'),
      calls: id,
      path: fc.constantFrom('/one', '/two'),
    },
    { requiredKeys: [] },
  );
  const step = fc.oneof(
    fc.record({ save: id, uses, mode: fc.constantFrom('draft' as const, undefined) }),
    fc.record({ remove: id }),
    fc.record({ publish: id }),
    fc.record({ variables: fc.subarray(['x', 'y']) }),
    fc.record({ secrets: fc.subarray(['s', 't']), flows: fc.subarray(['a', 'b', 'c']) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { during, world } = await counted({});
      try {
        for (const one of steps) {
          await during(() => take(one, world).catch(isRefused));
          expect(await during(() => {})).toEqual({});
          for (const { id: name } of f.service.list()) {
            const { problems, text } = await f.service.get(name);
            expect(problems).toEqual(f.service.check(text, name).problems);
          }
        }
      } finally {
        await f.end();
      }
    }),
    { numRuns: 25 },
  );
});

type World = Awaited<ReturnType<typeof counted>>['world'];
type Step =
  | {
      readonly save: string;
      readonly uses: Parameters<typeof flowText>[1];
      readonly mode: 'draft' | undefined;
    }
  | { readonly remove: string }
  | { readonly publish: string }
  | { readonly variables: string[] }
  | { readonly secrets: string[]; readonly flows: string[] };

async function take(step: Step, world: World): Promise<unknown> {
  const { service } = f;
  if ('save' in step) {
    const { save: id, uses, mode } = step;
    return service.save(id, flowText(id, uses), { revision: service.revision(id), ...me, mode });
  }
  if ('remove' in step) return service.remove(step.remove, { revision: service.revision(step.remove) ?? '' });
  if ('publish' in step)
    return service.publish(step.publish, { revision: service.revision(step.publish) ?? '', ...me });
  if ('variables' in step) {
    world.variables = Object.fromEntries(step.variables.map((name) => [name, 1]));
    return service.worldChanged('variables');
  }
  world.secrets = step.secrets.map((name) => secret(name, { flows: step.flows }));
  return service.worldChanged('secrets');
}

/** Ignores refusals of the service; any other error is a fault. */
function isRefused(error: unknown): void {
  expect((error as { code?: string }).code).toMatch(/^(?:flow_not_found|flow_invalid|publish_conflict)$/);
}
