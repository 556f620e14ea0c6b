import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FlowDetail } from '#shared/api.ts';
import { parse } from '#engine/check';
import * as flows from '../../editor/api/flows.ts';
import { startByHand } from '../../editor/api/hand-runs.ts';
import { compareRuns } from '../../editor/api/history.ts';
import { getRunEvents, listRuns } from '../../editor/api/runs.ts';
import { loadSession } from '../../editor/api/session.ts';
import { emptyDoc } from '../../editor/model/document/document.ts';
import { fixedDoc } from '../../editor/model/document/fixes.ts';
import { type Bed, signIn, startBed } from '../../server/testing/platform-bed.ts';
import { fc } from '../support/property.ts';

/** Whatever flow the server holds, the editor reads all that the server says of it: through the real routes, over the wire. */
let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
  const { cookie } = await signIn(bed);
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', (path: string, init: { readonly headers: Record<string, string> }) =>
    send(`${bed.url}${path}`, { ...init, headers: { ...init.headers, cookie } }),
  );
  await loadSession();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const ids = ['start', 'a', 'b', 'c', 'd'] as const;
const id = fc.constantFrom(...ids);
const port = fc.constantFrom('in', 'out', 'then', 'else', 'error', 'items', 'zz');
const hole = fc.constantFrom(
  '{{ input }}',
  '{{ input.name ?? 1 }}',
  '{{ nodes.a }}',
  '{{ nodes.zz.x }}',
  '{{ vars.v }}',
  '{{ 1 + }}',
  'plain',
);
const value = fc.oneof(hole, fc.jsonValue({ maxDepth: 2 }), fc.constant({ $secret: 'none' }));
const settled = fc.constantFrom(
  { operator: 'text.template', params: { template: 'Hello, {{ input }}' } },
  { operator: 'core.map', params: { value: '{{ input }}' } },
  { operator: 'logic.if', params: { condition: '{{ true }}' } },
  { operator: 'core.merge', params: {} },
  { operator: 'core.streamify', params: {} },
  { operator: 'core.unstreamify', params: {} },
);
const loose = fc.record({
  operator: fc.constantFrom('core.switch', 'http.request', 'data.for-each', 'flow.call', 'core.mapp', 'x'),
  params: fc.dictionary(fc.constantFrom('value', 'cases', 'url', 'flow', 'over', 'zz'), value),
});
const rest = fc.record(
  {
    name: fc.string({ maxLength: 5 }),
    disabled: fc.boolean(),
    onError: fc.constantFrom('fail', 'continue', 'route'),
    fallback: fc.dictionary(port, value, { maxKeys: 2 }),
    retry: fc.record({ attempts: fc.integer({ min: 1, max: 2 }) }),
    cache: fc.record({ ttlMs: fc.integer({ min: 1, max: 1000 }), key: hole }, { requiredKeys: [] }),
    timeoutMs: fc.integer({ min: 1, max: 1000 }),
  },
  { requiredKeys: [] },
);
const node = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: settled }, loose), rest)
  .map(([operator, more]) => ({ ...operator, ...more }));
const trigger = fc.tuple(
  fc.constantFrom(
    { operator: 'trigger.http', params: { path: '/here', auth: 'none' } },
    { operator: 'trigger.http', params: { path: 'no{slash', auth: 'whatever' } },
    { operator: 'trigger.schedule', params: { cron: '0 8 * * *' } },
    { operator: 'trigger.chat', params: {} },
  ),
  fc.record({ disabled: fc.boolean() }, { requiredKeys: [] }),
);
const chain = ids.slice(1).map((to, i) => ({ from: `${ids[i]}.out`, to: `${to}.in` }));
const edge = fc
  .tuple(id, port, id, port)
  .map(([from, out, to, input]) => ({ from: `${from}.${out}`, to: `${to}.${input}` }));

const flowOf = (start: object, nodes: readonly object[], edges: readonly object[]) => ({
  format: 1,
  nodes: { start, ...Object.fromEntries(nodes.map((one, i) => [ids[i + 1] as string, one])) },
  edges,
});

/** Nodes of all sorts, in a chain with gaps and with edges that may be wrong. */
const anyFlow = fc
  .tuple(
    trigger.map(([first, flags]) => ({ ...first, ...flags })),
    fc.array(node, { minLength: 2, maxLength: 4 }),
    fc.subarray(chain, { minLength: 2 }),
    fc.array(edge, { maxLength: 2 }),
  )
  .map(([start, nodes, kept, more]) => flowOf(start, nodes, [...kept, ...more]));

/** A chain that can run, though some of its nodes may be disabled, fail, or be used again. */
const runnable = fc
  .tuple(
    fc.constantFrom(
      { operator: 'trigger.http', params: { path: '/here', auth: 'none' } },
      { operator: 'trigger.chat', params: {} },
    ),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          { operator: 'text.template', params: { template: 'Hello, {{ input }}' } },
          { operator: 'core.map', params: { value: '{{ input.name }}' } },
          { operator: 'core.map', params: { value: '{{ input }}' } },
          { operator: 'logic.if', params: { condition: '{{ false }}' } },
        ),
        fc.record({ disabled: fc.boolean(), cache: fc.constant({}) }, { requiredKeys: [] }),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([start, nodes]) => {
    const all = nodes.map(([operator, more]) => ({ ...operator, ...more }));
    const edges = chain.slice(0, all.length).map((link, i) => {
      const isBranch = all[i - 1]?.operator === 'logic.if';
      return isBranch ? { ...link, from: link.from.replace('.out', '.else') } : link;
    });
    return flowOf(start, all, edges);
  });

/** Everything that is asked of a flow when it is listed and opened. */
async function open(flow: string): Promise<FlowDetail> {
  expect((await flows.listFlowsWithSchemas()).some((one) => one.id === flow)).toBe(true);
  return flows.getFlow(flow);
}

/** Applies each fix that the server offers, as the editor does, and saves what comes of it. */
async function fixAndSave(detail: FlowDetail): Promise<void> {
  for (const { fix } of detail.problems) {
    const { flow } = parse(detail.text);
    if (!fix || !flow) continue;
    const { revision } = await flows.getFlow(detail.id);
    const fixed = fixedDoc({ ...emptyDoc(flow.id), flow }, fix);
    const saved = await flows.saveFlow(detail.id, JSON.stringify(fixed.flow), revision);
    expect(saved.problems.filter((left) => JSON.stringify(left.fix) === JSON.stringify(fix))).toEqual([]);
  }
}

/** Makes a flow of a random one, looks at it, and takes it away again whatever came of it. */
async function withFlow(random: object, look: (detail: FlowDetail) => Promise<void>): Promise<void> {
  const flow = `flow_${made++}`;
  try {
    const { revision } = await flows.createFlow(flow, JSON.stringify({ ...random, id: flow }));
    const detail = await open(flow);
    expect(detail.revision).toBe(revision);
    await look(detail);
  } finally {
    const { revision } = await bed.ctx.flows.get(flow);
    await bed.ctx.flows.remove(flow, { revision });
  }
}
let made = 0;

const never = new AbortController().signal;

/** Reads all that a run says, which is checked. */
async function endOf(lines: AsyncIterable<{ readonly kind: string }>): Promise<void> {
  let last = '';
  for await (const { kind } of lines) last = kind;
  expect(last).toBe('ended');
}

test('all that the server says of any flow, its problems and their fixes can be read', async () => {
  const property = fc.asyncProperty(anyFlow, (random) => withFlow(random, fixAndSave));
  await fc.assert(property, { numRuns: 20 });
});

test('all that the server says of any run can be read', async () => {
  const property = fc.asyncProperty(runnable, (random) =>
    withFlow(random, async ({ id: flow, problems }) => {
      fc.pre(problems.every(({ severity }) => severity === 'warning'));
      for (const text of ['x', 'y'])
        await endOf(startByHand({ flow, draft: true, input: { text, name: text } }, [], never));
      const { runs } = await listRuns(flow);
      expect(runs).toHaveLength(2);
      for (const { run } of runs) expect((await getRunEvents(run)).events.length).toBeGreaterThan(0);
      await compareRuns(runs[1]?.run as string, runs[0]?.run as string);
    }),
  );
  await fc.assert(property, { numRuns: 20 });
});
