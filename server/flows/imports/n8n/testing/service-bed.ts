import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { check } from '#engine/check';
import type { Actor } from '#shared/audit.ts';
import type { Flow } from '#shared/flow.ts';
import type { ImportReport } from '#shared/import-report.ts';
import { loadOperators } from '../../../../base/authored/load-operators.ts';
import { withServices } from '../../../../integrations/services/services.ts';
import { shippedRegistry } from '../../../../integrations/services/shipped.ts';
import { type RunningServer, startServer } from '../../../../server.ts';
import { testConfig } from '../../../../testing/fake-context.ts';
import { startBed } from '../../../../testing/platform-bed.ts';
import { type Asked, standIn } from '../../../../testing/stand-in.ts';
import type { FlowDocument } from '../../../service/flow-types.ts';
import { givenFile, readFiles } from '../../import-files.ts';
import { n8nFile, type Short } from './short.ts';

/** Workflows with nodes of services, and a stand-in for the service. */

const { registry } = await loadOperators({ builtIn: true });
export const { catalog } = withServices(registry, shippedRegistry());

/** What only the server can judge. */
export const ELSEWHERE: ReadonlySet<string> = new Set([
  'unknown-connection',
  'connection-not-granted',
  'unknown-model',
  'unknown-flow',
]);

export type Node = readonly [kind: string, parameters: Record<string, unknown>];

/** The node with the credential “Account”. */
export const accounted = ([kind, parameters]: Node): Short['nodes'][string] => [
  kind,
  parameters,
  { credentials: { any: { id: '1', name: 'Account' } } },
];

export async function importedShort(
  short: Short,
): Promise<{ readonly flows: readonly Flow[]; readonly report: ImportReport }> {
  const bytes = Buffer.from(JSON.stringify(n8nFile('Job', short)));
  const world = { catalog, taken: new Set<string>(), open: true };
  const { flows } = await readFiles([givenFile({ path: 'a.json', bytes })], world);
  const [one] = flows;
  return {
    flows: (one?.drafts ?? []).map(({ flow }) => flow),
    report: one?.report as ImportReport,
  };
}

/** A node behind the items of a request, imported. */
export async function importedAlone(node: Node): Promise<{ flow: Flow; report: ImportReport }> {
  const { flows, report } = await importedShort({
    nodes: {
      W: [
        'webhook@2',
        { path: 'job', httpMethod: 'POST', responseMode: 'lastNode', responseData: 'allEntries' },
      ],
      In: ['code@2', { jsCode: 'return $input.first().json.body.map((json) => ({ json }));' }],
      Node: accounted(node),
    },
    wires: ['W > In', 'In > Node'],
  });
  return { flow: flows[0] as Flow, report };
}

/** A resource locator, as the lists of n8n leave it. */
export const rl = (value: string, cachedResultName?: string): object => ({
  __rl: true,
  mode: 'list',
  value,
  ...(cachedResultName !== undefined && { cachedResultName }),
});
export const sheet = { documentId: rl('D'), sheetName: rl('gid=0', 'People') };
export const table = { base: rl('b'), table: rl('t') };

export const people: readonly (readonly unknown[])[] = [
  ['Name', 'Age', 'Town'],
  ['Ada', 36, 'London'],
  ['Alan', 41],
  ['Ada', 7, ''],
];

/** Posts a value to the flow `job`, whose service is the stand-in. */
export async function post(
  flows: readonly string[],
  items: unknown,
  answer: (asked: Asked) => unknown,
): Promise<unknown> {
  return postTo(await standIn(answer), flows, items);
}

const actor: Actor = { kind: 'owner', id: 'test', name: 'test' };

/** A server that all tests of a file share: starting one with its sandbox takes longer than most tests. */
let shared: RunningServer | undefined;

/** For the top of a test file whose flows leave nothing behind that another test could find. */
export function shareServer(): void {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-'));
    const config = testConfig({ flows: [join(folder, 'flows')], data: join(folder, 'data') });
    shared = await startServer(config, { editorFiles: '/nonexistent' });
  });
  afterAll(async () => {
    await shared?.stop();
    shared = undefined;
    await rm(folder, { recursive: true, force: true });
  });
}

/** The servers of the running test, by their settings. */
const own = new Map<string, RunningServer>();

async function ownServer(settings: Parameters<typeof startBed>[0] = {}): Promise<RunningServer> {
  const key = JSON.stringify(settings);
  const before = own.get(key);
  if (before !== undefined) return before;
  const bed = await startBed(settings);
  own.set(key, bed);
  onTestFinished(() => void own.delete(key));
  return bed;
}

/** Posts a value to the flow `job`, whose credential “Account” leads to an address. With settings the server is its own. */
export async function postTo(
  address: string,
  flows: readonly string[],
  items: unknown,
  settings?: Parameters<typeof startBed>[0],
): Promise<unknown> {
  const { ctx, port } = (settings === undefined ? shared : undefined) ?? (await ownServer(settings));
  const ids = flows.map((text) => (JSON.parse(text) as Flow).id);
  // The credential “Account” is this connection.
  await ctx.connections.put('account', {
    kind: 'http',
    settings: { address, auth: 'bearer', secret: 'a-token' },
    grants: { flows: ids },
  });
  await ctx.flows.worldChanged('connections');
  const saved: FlowDocument[] = [];
  // Those that are called come behind their callers.
  for (const [at, text] of [...flows.entries()].toReversed())
    saved.unshift(
      await ctx.flows.save(ids[at] as string, text, { revision: undefined, actor, mode: 'publish' }),
    );
  const sent = await fetch(`http://127.0.0.1:${port}/api/v1/awel/trigger/job`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(items),
  });
  const answer = await sent.text();
  for (const { id, revision } of saved) await ctx.flows.remove(id, { revision });
  expect(sent.status, answer).toBe(200);
  return JSON.parse(answer);
}

/** A node that gets the items of a request, and nodes that hang on it or come behind it. */
export const behindItems = (
  node: Short['nodes'][string],
  { nodes = {}, wires = [] }: Partial<Short> = {},
): Short => ({
  nodes: {
    W: [
      'webhook@2',
      { path: 'job', httpMethod: 'POST', responseMode: 'lastNode', responseData: 'allEntries' },
    ],
    In: ['code@2', { jsCode: 'return $input.first().json.body.map((json) => ({ json }));' }],
    Node: node,
    ...nodes,
  },
  wires: ['W > In', 'In > Node', ...wires],
});

/** What keeps flows from going live, but for what only the server can judge. */
export function errorsIn(flows: readonly Flow[]): unknown[] {
  return flows
    .flatMap((flow) => check(flow, catalog, { routes: [], variables: [], secrets: undefined }))
    .filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code));
}
