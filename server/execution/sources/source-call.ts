import { withPlace } from '../runs/run-limits.ts';
import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { type Host, type Plan, type Services, type SourceCall, WeftError, writeJson } from '#engine';
import { sortedJson } from '#shared/json.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { SubFlows } from '../starts/sub-flows.ts';
import { pause } from './pause.ts';
import type { SourceId, SourceStore } from './source-store.ts';

/** The services behind calls of sources. */
export interface SourceCallDeps {
  readonly store: SourceStore;
  readonly host: Clock & Pick<Host, 'timer' | 'services'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly live: (id: string) => LiveFlow | undefined;
  readonly runs: Pick<RunHub, 'start' | 'placeFor'>;
  readonly durable: Pick<DurableRuns, 'start'>;
  readonly subFlows: Pick<SubFlows, 'hold' | 'alone'>;
  readonly variables: () => Readonly<Record<string, unknown>>;
}

interface CallSetup {
  readonly id: SourceId;
  readonly plan: Plan;
  readonly cursor: unknown;
  readonly signal: AbortSignal;
  /** A run has started. */
  readonly started: () => void;
  readonly works: () => void;
}

const MAX_ID = 1000;
const MAX_CURSOR = 1_000_000;
/** The delay when the server or the disk is full, in milliseconds. */
const AGAIN_MS = 1000;
type Clock = Pick<Host, 'now' | 'random'>;

/** No run is accepted for now. */
const REFUSALS: ReadonlySet<unknown> = new Set(['overloaded', 'draining', 'storage_failed', 'too_many_runs']);

/**
 * The argument of one call of `listen`.
 * SC1. An item with a known id starts nothing. A durable run is stored under the item's id before the item is noted as
 *      done, so none is lost and none runs twice. For a run in memory the item is noted first.
 * SC2. Nothing is started or stored once the signal has aborted.
 * SC3. An item starts the version that is live when it arrives.
 */
export function sourceCall(setup: CallSetup, deps: SourceCallDeps): SourceCall {
  const { id, plan, cursor, signal } = setup;
  const { flow, node, operator } = id;
  const vars = deps.variables();
  const asker = { flow, version: plan.version, run: `source:${flow}:${node}`, node, operator };
  const { host, store, log } = deps;
  const sleep = (ms: number): Promise<void> => pause(host, ms, signal);
  return {
    params: paramsOf(plan, vars, host),
    signal,
    node,
    vars,
    asker,
    cursor,
    async emit({ id: given, value }) {
      signal.throwIfAborted();
      const item = itemId(given);
      const copy = JSON.parse(writeJson(value ?? null)) as unknown;
      if (await store.knows(id, item)) return 'repeated';
      const start = (): Promise<boolean> => {
        signal.throwIfAborted();
        return startItem(id, deps, item, copy);
      };
      const isNew = await whenAccepted(start, signal, sleep);
      if (isNew) setup.started();
      return isNew ? 'started' : 'repeated';
    },
    async skip(items) {
      signal.throwIfAborted();
      await store.note(id, items.map(itemId));
    },
    async keep(next) {
      signal.throwIfAborted();
      if (writeJson(next ?? null).length > MAX_CURSOR)
        throw new WeftError('value_too_large', 'The cursor of a source is at most 1 MB of JSON.');
      await store.keep(id, next);
    },
    works: () => setup.works(),
    log: (level, text) => log[level === 'debug' ? 'info' : level]({ flow, node }, text),
    sleep,
    now: () => host.now(),
    hash: hashOf,
    service: (name) => serviceOf(name, deps),
  };
}

/** The argument of what a source does without its flow: it starts and keeps nothing. */
export function callWithoutFlow(
  { flow, node, operator }: SourceId,
  params: unknown,
  deps: Pick<SourceCallDeps, 'host' | 'log'> & { readonly services: Services; readonly signal: AbortSignal },
): SourceCall {
  const { host, log, services, signal } = deps;
  const refuse = async (): Promise<never> => {
    throw new WeftError('source_ended', 'The flow is no longer live.');
  };
  return {
    ...{ params, signal, node, vars: {}, cursor: undefined, emit: refuse, skip: refuse, keep: refuse },
    asker: { flow, version: '', run: `source:${flow}:${node}`, node, operator },
    works: () => undefined,
    log: (level, text) => log[level === 'debug' ? 'info' : level]({ flow, node }, text),
    sleep: (ms) => pause(host, ms, signal),
    now: () => host.now(),
    hash: hashOf,
    service: (name) => given(name, services[name]),
  };
}

function hashOf(value: unknown): string {
  const sorted = sortedJson(JSON.parse(writeJson(value ?? null)));
  return createHash('sha256').update(sorted).digest('base64url');
}

export type Starting = Pick<SourceCallDeps, 'live' | 'durable' | 'store' | 'runs' | 'subFlows'>;

/** Starts the item's run; false if the item already has one. Throws `source_ended`, and what prevents a run. */
export async function startItem(
  id: SourceId,
  { live, durable, store, runs, subFlows }: Starting,
  item: string,
  value: unknown,
): Promise<boolean> {
  const flow = live(id.flow);
  // The source of a flow that is no longer live is about to end.
  if (flow?.compiled.plans.has(id.node) !== true)
    throw new WeftError('source_ended', 'The flow is no longer live.');
  const request = { method: 'SOURCE', query: {}, params: {}, headers: {}, body: value };
  const run: RunRequest = { flow, trigger: id.node, request, output: value, source: 'source' };
  if (!isDurable(flow, id.node)) {
    if ((await store.note(id, [item])) === 0) return false;
    try {
      const placed = await withPlace(runs, run);
      subFlows.hold(flow, () => runs.start(placed));
      return true;
    } catch (error) {
      await store.forget(id, item);
      throw error;
    }
  }
  const { created } = await durable.start(run, { key: `source:${id.flow}:${id.node}:${item}` });
  await store.note(id, [item]);
  return created;
}

async function whenAccepted<T>(
  start: () => Promise<T>,
  signal: AbortSignal,
  sleep: (ms: number) => Promise<void>,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await start();
    } catch (error) {
      if (!REFUSALS.has((error as { code?: unknown }).code)) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

function itemId(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID) return id;
  throw new WeftError('source_item', `The id of an item is a text of 1 to ${MAX_ID} characters.`);
}

/** Expressions of the params see variables, but no run. */
export function paramsOf(plan: Plan, vars: Readonly<Record<string, unknown>>, host: Clock): unknown {
  const { params, makeParams } = plan.steps[plan.triggerStep] ?? {};
  if (makeParams === undefined) return params;
  const { flow, version, trigger, slots: values } = plan;
  const root = { id: '', flow, version, trigger, startedAt: host.now() };
  const run = { root, host, request: {}, vars, values };
  return makeParams({ input: undefined, inputs: {}, item: undefined, index: undefined, acc: undefined, run });
}

function serviceOf<K extends keyof Services>(
  name: K,
  { host, subFlows }: SourceCallDeps,
): NonNullable<Services[K]> {
  if (name === 'flows') return { run: subFlows.alone } as unknown as NonNullable<Services[K]>;
  return given(name, host.services?.[name]);
}

function given<K extends keyof Services>(
  name: K,
  service: Services[K] | undefined,
): NonNullable<Services[K]> {
  if (service) return service as NonNullable<Services[K]>;
  throw new WeftError('service_missing', `This source needs \`${name}\`, which is not available here.`);
}
