import { mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FlowDetail } from '#shared/api.ts';
import type { Problem } from '#shared/problem.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  chainFlow,
  circleFlow,
  type FlowJson,
  flowText,
  httpTrigger,
  sayFlow,
  write,
} from '../support/flows.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Files that are wrong in every way: each is told of by its code, and takes down neither itself nor others. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  owner = await signIn(server);
  write(server.flows, 'other.json', sayFlow('other', 'other'));
});
afterAll(() => discard(server));

const good = sayFlow('victim', 'good');
const goodText = flowText(good);
const victim = () => owner.data<FlowDetail>('GET', '/flows/victim');
const says = async (flow: string) => (await call(server, `/${flow}`)).body;

/** The victim with other nodes or edges. */
const changed = (more: Partial<FlowJson>): FlowJson => ({ ...good, ...more });
const saying = (template: string) => changed({ nodes: { ...good.nodes, say: text(template) } });
const text = (template: unknown) => ({ operator: 'text.template', params: { template } });
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

interface Case {
  readonly name: string;
  readonly content: FlowJson | string | Uint8Array;
  /** One of the file's problems. */
  readonly problem: Partial<Problem>;
}

const files: Case[] = [
  { name: 'an empty file', content: '', problem: { code: 'json-syntax', line: 1, column: 1 } },
  { name: 'half a file', content: goodText.slice(0, 100), problem: { code: 'json-syntax' } },
  {
    name: 'a conflict of git',
    content: goodText.replace('"id"', '<<<<<<< HEAD\n  "id"'),
    problem: { code: 'json-syntax', line: 3 },
  },
  {
    name: 'a key that is there twice',
    content: goodText.replace('"id": "victim",', '"id": "victim",\n  "id": "victim",'),
    problem: { code: 'duplicate-key', line: 4 },
  },
  { name: 'null', content: 'null', problem: { code: 'bad-field' } },
  { name: 'a list', content: '[]', problem: { code: 'bad-field' } },
  {
    name: 'bytes that are no UTF-8',
    content: Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('"}')]),
    problem: { code: 'invalid-utf8' },
  },
  { name: 'JSON nested 10,000 deep', content: deep(10_000), problem: { code: 'too-deep' } },
  { name: 'lists nested 100,000 deep', content: '['.repeat(100_000), problem: { code: 'too-deep' } },
  {
    name: 'another format',
    content: goodText.replace('"format": 1', '"format": 99'),
    problem: { code: 'bad-format' },
  },
  { name: 'the id of another flow', content: sayFlow('other', 'x'), problem: { code: 'id-mismatch' } },
];

const graphs: Case[] = [
  {
    name: 'an operator that does not exist',
    content: flowText(good).replace('text.template', 'text.tempalte'),
    problem: {
      code: 'unknown-operator',
      node: 'say',
      fix: expect.objectContaining({ kind: 'set-operator', operator: 'text.template' }) as never,
    },
  },
  {
    name: 'a circle of two nodes',
    content: changed({
      nodes: { ...good.nodes, again: text('{{ input }}') },
      edges: [
        { from: 'say.out', to: 'again.in' },
        { from: 'again.out', to: 'say.in' },
      ],
    }),
    problem: { code: 'cycle', nodes: ['again', 'say'] },
  },
  {
    name: 'a node that feeds itself',
    content: changed({ edges: [{ from: 'say.out', to: 'say.in' }] }),
    problem: { code: 'cycle', nodes: ['say'] },
  },
  {
    name: 'an edge to nowhere',
    content: changed({ edges: [...good.edges, { from: 'say.out', to: 'gone.in' }] }),
    problem: { code: 'dangling-edge' },
  },
  {
    name: 'an edge from a port that is only in the prototype of objects',
    content: changed({ edges: [{ from: 'trigger.constructor', to: 'say.in' }] }),
    problem: { code: 'unknown-port' },
  },
  {
    name: 'two edges into one input',
    content: changed({
      nodes: { ...good.nodes, second: text('2') },
      edges: [...good.edges, { from: 'trigger.out', to: 'second.in' }, { from: 'second.out', to: 'say.in' }],
    }),
    problem: { code: 'too-many-edges', fix: expect.objectContaining({ kind: 'insert-merge' }) as never },
  },
  {
    name: 'a param of the wrong kind',
    content: saying(7 as never),
    problem: { code: 'bad-param', node: 'say' },
  },
  {
    name: 'an expression that cannot be read',
    content: saying('{{ 1 + }}'),
    problem: { code: 'expression-syntax', node: 'say', field: 'params.template' },
  },
  {
    name: 'an expression that calls what does not exist',
    content: saying('{{ uper(input.x) }}'),
    problem: { code: 'expression-unknown-function', node: 'say' },
  },
  {
    name: 'an expression that reaches for the process',
    content: saying('{{ process.exit(1) }}'),
    problem: { code: 'expression-unknown-name', node: 'say' },
  },
  {
    name: 'an expression that reaches for a constructor',
    content: saying("{{ ''.constructor.constructor('return process')() }}"),
    problem: { code: 'expression-syntax', node: 'say' },
  },
  {
    name: 'an expression nested 10,000 deep',
    content: saying(`{{ ${'('.repeat(10_000)}1${')'.repeat(10_000)} }}`),
    problem: { code: 'expression-syntax', node: 'say' },
  },
  {
    name: 'the path of another flow',
    content: sayFlow('victim', 'stolen', httpTrigger('/other')),
    problem: { code: 'duplicate-path', node: 'trigger' },
  },
  {
    name: 'a path that is none',
    content: sayFlow('victim', 'x', httpTrigger('/a/../b?c')),
    problem: { code: 'bad-path', node: 'trigger' },
  },
  {
    name: 'a request schema that is none',
    content: sayFlow('victim', 'x', httpTrigger('/victim', { request: { type: 'obect' } })),
    problem: { code: 'bad-schema', node: 'trigger' },
  },
  {
    name: 'an authentication that does not exist',
    content: sayFlow('victim', 'x', httpTrigger('/victim', { auth: 'open' })),
    problem: { code: 'unknown-auth', node: 'trigger' },
  },
  {
    name: '__proto__ as a node',
    content: goodText.replace('"say":', '"__proto__": {"operator": "core.map"},\n    "say":'),
    problem: { severity: 'error' },
  },
  {
    name: '__proto__ at the top',
    content: goodText
      .replace('{', '{\n  "__proto__": {"format": 1, "polluted": true},')
      .replace('"nodes"', '"nods"'),
    problem: { severity: 'error' },
  },
];

const huge: Case[] = [
  { name: '10,001 nodes', content: chainFlow('victim', 10_000), problem: { code: 'too-many-nodes' } },
  { name: 'a circle of 9,999 nodes', content: circleFlow('victim', 9_999), problem: { code: 'cycle' } },
];

describe('a file with', () => {
  beforeEach(async () => {
    write(server.flows, 'victim.json', good);
    await eventually(async () => expect(await says('victim')).toBe('good'));
    await eventually(async () => expect((await victim()).state).toBe('live'));
  });

  test.each([...files, ...graphs, ...huge])(
    '$name is told of, and the last good version serves',
    async (bad) => {
      const { version } = await victim();
      write(server.flows, 'victim.json', bad.content);
      const broken = await eventually(async () => {
        const seen = await victim();
        expect(seen.state).toBe('broken');
        return seen;
      });
      expect(broken.version).toBe(version);
      expect(broken.problems).toContainEqual(
        expect.objectContaining({ severity: 'error', message: expect.any(String), ...bad.problem }),
      );
      for (const { message } of broken.problems)
        expect(message).not.toMatch(/\n\s+at |node_modules|file:\/\//);
      // Examining ten thousand nodes takes a while, in which the server may take itself for overloaded.
      await eventually(async () =>
        expect([await says('victim'), await says('other')]).toEqual(['good', 'other']),
      );
    },
  );

  test.each(graphs)('$name is refused with its problems when it is published over the API', async (bad) => {
    const sent = typeof bad.content === 'string' ? bad.content : flowText(bad.content as FlowJson);
    const { revision, version } = await victim();
    const saved = await owner.data<FlowDetail>('PUT', '/flows/victim', { text: sent, revision });
    expect(saved).toMatchObject({ hasDraft: true, version });
    const published = await owner.api('POST', '/flows/victim/publish', { revision: saved.revision });
    const code = bad.problem.code === 'duplicate-path' ? 'publish_conflict' : 'flow_invalid';
    expect(published).toMatchObject({
      status: code === 'flow_invalid' ? 422 : 409,
      body: { err_code: code },
    });
    const { detail } = published.body as { detail: Problem[] };
    expect(detail).toContainEqual(expect.objectContaining(bad.problem));
    await owner.data('POST', '/flows/victim/discard', { revision: saved.revision });
    expect([await says('victim'), await says('other')]).toEqual(['good', 'other']);
  });
});

test('both flows are named where two want one path', async () => {
  write(server.flows, 'thief.json', sayFlow('thief', 'x', httpTrigger('/other')));
  // Its revision is that of the file once the server has seen it whole.
  const refused = await eventually(async () => {
    const { revision } = await owner.data<FlowDetail>('GET', '/flows/thief');
    const answer = await owner.api('POST', '/flows/thief/publish', { revision });
    expect(answer).toMatchObject({ status: 409, body: { err_code: 'publish_conflict' } });
    return answer;
  });
  expect((refused.body as { err_msg: string }).err_msg).toMatch(/thief.*GET \/other.*other/);
  rmSync(join(server.flows, 'thief.json'));
});

test('a chain of 9,999 nodes behind its trigger goes live and runs', async () => {
  write(server.flows, 'chain.json', chainFlow('chain', 9_999));
  const answer = await eventually(async () => {
    const seen = await call(server, '/chain?x=1');
    expect(seen.status).toBe(200);
    return seen;
  });
  expect(answer.body).toEqual({ x: '1' });
  expect(await owner.data('GET', `/runs/${answer.headers.get('x-weft-run')}`)).toMatchObject({
    status: 'ok',
  });
  expect(await says('other')).toBe('other');
  rmSync(join(server.flows, 'chain.json'));
});

test('things that are no files, or too large ones, are told of or left alone', async () => {
  mkdirSync(join(server.flows, 'folder.json'));
  symlinkSync(join(server.flows, 'nowhere.json'), join(server.flows, 'dangling.json'));
  symlinkSync(server.flows, join(server.flows, 'loop'));
  write(server.flows, 'huge.json', '');
  truncateSync(join(server.flows, 'huge.json'), 64 * 1024 * 1024);
  write(server.flows, 'Not An Id.json', sayFlow('other', 'x'));
  await eventually(async () => {
    const flows = await owner.data<FlowDetail[]>('GET', '/flows?state=broken');
    const codes = Object.fromEntries(flows.map(({ id, problems }) => [id, problems[0]?.code]));
    expect(codes).toMatchObject({ huge: 'too-large', 'Not An Id': 'bad-field' });
  });
  write(server.flows, 'after.json', sayFlow('after', 'still watching'));
  await eventually(async () => expect(await says('after')).toBe('still watching'));
  expect(await says('other')).toBe('other');
});

test('a flow that runs into an error answers with its code, and the next request is served', async () => {
  const failing: readonly [string, string][] = [
    ['{{ input.a.b.c }}', 'missing_field'],
    ['{{ 1 / length(keys(input)) }}', 'bad_number'],
    ["{{ (input?.x ?? 'x') - 1 }}", 'expression_type'],
    ["{{ (input?.x ?? 'x').repeat(5000000) }}", 'expression_budget'],
    ["{{ (input?.x ?? 'x').repeat(90000).split('').map(a => a.length + 1).length }}", 'expression_budget'],
  ];
  for (const [at, [template, code]] of failing.entries()) {
    write(server.flows, `failing${at}.json`, sayFlow(`failing${at}`, template));
    const answer = await eventually(async () => {
      const seen = await call(server, `/failing${at}`);
      expect(seen.status, template).not.toBe(404);
      return seen;
    });
    expect(answer).toMatchObject({ status: 422, body: { err_code: code } });
  }
  expect(await says('other')).toBe('other');
});
