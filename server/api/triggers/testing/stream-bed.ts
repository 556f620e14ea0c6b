import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Call, defineOperator, input, makeRegistry, output } from '#engine';
import type { Flow, FlowSettings } from '#shared/flow.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import type { Config } from '../../../base/config/config.ts';
import { type Bed, startBed, tempFolder } from '../../../testing/platform-bed.ts';

/** The output of the operator `test.source`, made from its input. */
export type Producer = (call: Pick<Call, 'signal' | 'input'>) => AsyncIterable<unknown>;

export interface StreamBed extends Bed {
  /** Calls the trigger with that response format. */
  open(as: string, init?: RequestInit): Promise<Response>;
  path(as: string): string;
}

const formats = ['json', 'text', 'sse', 'ndjson', 'bytes'] as const;

/**
 * A whole server with flows whose first node returns what `produce` returns: `leaf_<format>` has no other node,
 * `sent_<format>` sends it with a respond node, `sent_event` and `sent_page` do with a content type, in `beside_slow`
 * another branch takes a minute, `keyed_event` requires a key, and `value_<format>` returns its request, which is not a
 * stream.
 */
export async function startStreamBed(
  produce: Producer,
  settings: FlowSettings = {},
  config: Partial<Config> = {},
): Promise<StreamBed> {
  const { registry } = await loadOperators({ builtIn: true });
  const source = defineOperator({
    title: 'Source',
    doc: 'Gives what the test says.',
    icon: 'box',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output({ kind: 'stream' }) },
    effects: 'read',
    examples: [],
    run: (call) => produce(call),
  });
  const flows = join(await tempFolder(), 'flows');
  mkdirSync(flows);
  for (const as of formats) {
    write(flows, flowOf(`leaf_${as}`, as, settings, {}));
    const leaf = flowOf(`value_${as}`, as, settings, {});
    write(flows, { ...leaf, nodes: { ...leaf.nodes, source: { operator: 'core.map' } } });
    write(flows, flowOf(`sent_${as}`, as, settings, { operator: 'core.respond', params: { status: 201 } }));
  }
  const keyed = flowOf('keyed_event', 'sse', settings, {});
  const opening = { ...keyed.nodes['trigger']?.params, auth: 'api-key' };
  write(flows, {
    ...keyed,
    nodes: { ...keyed.nodes, trigger: { operator: 'trigger.http', params: opening } },
  });
  const beside = flowOf('beside_slow', 'sse', settings, {});
  const slow = { operator: 'logic.delay', params: { ms: 60_000 } };
  write(flows, {
    ...beside,
    nodes: { ...beside.nodes, slow, log: { operator: 'core.log' } },
    edges: [...beside.edges, { from: 'trigger.out', to: 'slow.in' }, { from: 'slow.out', to: 'log.in' }],
  });
  for (const [id, type] of [
    ['sent_event', 'text/event-stream'],
    ['sent_page', 'text/html'],
  ] as const) {
    const params = { headers: { 'content-type': type } };
    write(flows, flowOf(id, 'json', settings, { operator: 'core.respond', params }));
  }
  const bed = await startBed(
    { flows: [flows], ...config },
    { registry: makeRegistry(new Map([...registry.operators, ['test.source', source]])) },
  );
  const path = (as: string): string => `/api/v1/awel/trigger/${as.includes('_') ? as : `leaf_${as}`}`;
  return { ...bed, path, open: (as, init) => fetch(`${bed.url}${path(as)}`, init) };
}

function flowOf(id: string, as: string, settings: FlowSettings, end: object): Flow {
  const trigger = {
    operator: 'trigger.http',
    params: { path: `/${id}`, methods: ['GET', 'POST'], auth: 'none', response: { as } },
  };
  const hasEnd = 'operator' in end;
  return {
    format: 1,
    id,
    nodes: { trigger, source: { operator: 'test.source' }, ...(hasEnd && { end }) } as Flow['nodes'],
    edges: [
      { from: 'trigger.out', to: 'source.in' },
      ...(hasEnd ? [{ from: 'source.out', to: 'end.in' }] : []),
    ],
    settings,
  };
}

function write(folder: string, flow: Flow): void {
  writeFileSync(join(folder, `${flow.id}.json`), JSON.stringify(flow));
}
