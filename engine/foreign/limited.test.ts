import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Call, defineOperator, output, type PackageLimits, packageOf } from '../base/operator.ts';
import type { Asker, HttpRequest, Services } from '../base/services.ts';
import { runOperator } from '../testing/call.ts';
import { limitedOperator } from './limited.ts';

const limits: PackageLimits = {
  package: 'weft-x',
  hosts: ['a.example'],
  connections: [],
  services: ['files'],
};

function operator(run: (call: Call) => unknown) {
  return defineOperator({
    title: 'Try',
    doc: 'Tries.',
    icon: 'x',
    params: z.object({}),
    inputs: {},
    outputs: { out: output() },
    effects: 'read',
    examples: [],
    async run(call) {
      return run(call as unknown as Call);
    },
  });
}

async function attempt(
  run: (call: Call) => unknown,
  more: Partial<PackageLimits> = {},
  services?: Services,
): Promise<unknown> {
  const limited = limitedOperator(operator(run), { ...limits, ...more });
  return (await runOperator('x.try', limited, services ? { services } : {}))['out'];
}

test('what is declared, and what reaches nothing, is there', async () => {
  const names = await attempt((call) => {
    for (const name of ['files', 'state', 'documents', 'rates', 'secrets', 'http'] as const)
      call.service(name);
    return 'all';
  });
  expect(names).toBe('all');
});

test.each(['flows', 'models', 'agents', 'code', 'waits'] as const)(
  '%s is refused unless declared',
  async (name) => {
    const use = (call: Call): string => (call.service(name) ? 'there' : 'not there');
    await expect(attempt(use)).rejects.toMatchObject({
      code: 'package_not_declared',
      message: expect.stringContaining(name),
    });
    expect(await attempt(use, { services: [name] })).toBe('there');
  },
);

test('a package without hosts sends no requests', async () => {
  await expect(attempt((call) => call.service('http'), { hosts: [] })).rejects.toMatchObject({
    code: 'package_not_declared',
  });
});

test('requests carry the declared hosts and the true asker, whatever the operator says', async () => {
  const sent: unknown[] = [];
  const services = {
    http: {
      async send(request: HttpRequest, by: unknown) {
        sent.push(request.onlyHosts, by);
        throw new Error('not sent');
      },
    },
  };
  const run = (call: Call): unknown => {
    const request = {
      method: 'GET',
      url: 'https://b.example',
      onlyHosts: { of: 'y', hosts: ['*'] },
    } as never;
    return call.service('http').send(request, { operator: 'http.request' } as never, call.signal);
  };
  await expect(attempt(run, {}, services)).rejects.toThrow('not sent');
  expect(sent).toMatchObject([{ of: 'weft-x', hosts: ['a.example'] }, { operator: 'test.operator' }]);
});

test('whatever the operator says, its own call asks for files, folders and databases, with the limits of its package', async () => {
  const asked: [string, Asker][] = [];
  const note =
    (name: string, place: number) =>
    async (...args: unknown[]): Promise<undefined> => {
      const by = args[place] as Asker & { by?: Asker };
      asked.push([name, by.by ?? by]);
    };
  const services = {
    files: {
      find: note('find', 1),
      open: note('open', 1),
      create: note('create', 1),
      download: note('download', 1),
    },
    folders: {
      read: note('read', 2),
      write: note('write', 3),
      list: note('list', 2),
      remove: note('remove', 2),
    },
    sql: { query: note('query', 1), execute: note('execute', 1), stream: note('stream', 1) },
    connections: { ask: note('ask', 1) },
    http: { send: note('send', 1) },
  } as unknown as Services;
  const run = async (call: Call): Promise<string> => {
    const by = { flow: 'other', version: '', run: 'other', node: 'n', operator: 'sql.query' };
    const request = { method: 'GET', url: '/x', connection: 'crm' } as never;
    const { signal } = call;
    const [files, folders, sql] = [call.service('files'), call.service('folders'), call.service('sql')];
    await files.find({}, by);
    await files.open({}, by);
    await files.create({ content: '' }, by, signal);
    await files.download(request, by, signal);
    await folders.read('a', 'b', by, { signal });
    await folders.write('a', 'b', {} as never, { by, signal });
    await folders.list('a', 'b', by, { signal });
    await folders.remove('a', 'b', by, { signal });
    await sql.query({} as never, by, signal);
    await sql.execute({} as never, by, signal);
    sql.stream({} as never, by, signal);
    await call.service('connections').ask({} as never, by, signal);
    await call.service('http').send(request, by, signal);
    return 'all';
  };
  const more = { connections: ['http', 's3'], hosts: [], services: ['files', 'folders'] } as const;
  expect(await attempt(run, more, services)).toBe('all');
  expect(asked).toHaveLength(13);
  for (const [name, by] of asked) {
    expect(by.flow, name).not.toBe('other');
    expect(packageOf(by), name).toMatchObject({ package: 'weft-x', connections: ['http', 's3'] });
  }
});

test('what a package downloads comes from its hosts only', async () => {
  const sent: unknown[] = [];
  const files = { download: async (request: HttpRequest) => void sent.push(request.onlyHosts) };
  const run = (call: Call): unknown =>
    call.service('files').download({ url: 'https://b.example' } as never, call.asker, call.signal);
  await attempt(run, {}, { files } as unknown as Services);
  expect(sent).toEqual([{ of: 'weft-x', hosts: ['a.example'] }]);
});

test.each(['sql', 'connections', 'constructor'] as const)(
  'a package without connections has no service %s',
  async (name) => {
    const use = (call: Call): unknown => call.service(name as 'sql');
    await expect(attempt(use)).rejects.toMatchObject({ code: 'package_not_declared' });
  },
);

test('nothing of a call is seen but what is described', async () => {
  const seen = await attempt((call) => {
    const { run, services, step } = call as unknown as Record<string, unknown>;
    return [run, services, step, 'services' in call, Object.keys(call), typeof call.now()];
  });
  expect(seen).toEqual([undefined, undefined, undefined, false, [], 'number']);
});

test('an operator that is not async stays so, and names its package', () => {
  const plain = { ...operator(() => 1), run: () => 1 };
  const limited = limitedOperator(plain, limits);
  expect(limited.run?.({} as Call)).toBe(1);
  expect(limited.package).toBe('weft-x');
});
