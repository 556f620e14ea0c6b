import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { z } from 'zod';
import {
  compile,
  defineOperator,
  type Host,
  input,
  literal,
  makeRegistry,
  type Operator,
  type Services,
  type WaitFor,
} from '#engine';
import { foreignOperator } from '#engine/workbench';
import type { Flow, FlowNode, FlowSettings } from '#shared/flow.ts';
import { createHost } from '../../../base/adapters/node-host.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunHub } from '../../runs/run-types.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { createDiskBlobs } from '../../history/blobs/disk-blobs.ts';
import type { RunHistory } from '../../history/history.ts';
import { createMemoryHistory } from '../../history/memory-history.ts';
import { createRunHub } from '../../runs/run-hub.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { openSecrets } from '../../../base/secrets/store.ts';
import { createSubFlows, type SubFlows } from '../../starts/sub-flows.ts';
import { createDurableRuns, type Durable } from '../create-durable-runs.ts';
import type { DurableEnd } from '../durable-runs.ts';
import { createMemoryWaits, type MemoryWaits } from './memory-waits.ts';
import type { DurableEngine } from '../port.ts';
import type { ReviveFlow } from '../../starts/revive-flow.ts';
import { createValues, type Values } from '../values.ts';
import { loop } from './loop.ts';

/** The parts of a test that outlive the process: an engine's disk, waits, the history, and a list of executed steps. */
export interface World {
  readonly folder: string;
  readonly waits: MemoryWaits;
  readonly history: RunHistory;
  /** The starts of steps with an effect, by node, in order. */
  readonly carried: string[];
  /** Idempotency keys by node, one for each execution. */
  readonly keys: Map<string, string[]>;
  readonly ended: DurableEnd[];
  readonly redactor: ReturnType<typeof createRedactor>;
  /** The next writes of values fail, this many times, as on a full disk. */
  failWrites(times: number): void;
  /** The same for the addresses of accepted runs. */
  failLinks(times: number): void;
  boot(): Promise<Process>;
  flow(flow: Flow): LiveFlow;
  remove(): Promise<void>;
}

/** A process that executes durable runs. */
export interface Process {
  readonly durable: Durable;
  readonly engine: DurableEngine;
  readonly hub: RunHub;
  /** Stops it where it is. */
  kill(): Promise<void>;
  /** Stops it gracefully. */
  stop(graceMs?: number): Promise<void>;
}

/** Opens an engine over a folder; `kill` leaves the folder as the next process finds it. */
export type OpenEngine = (folder: string, host: Host) => OpenedEngine | Promise<OpenedEngine>;

interface OpenedEngine {
  readonly engine: DurableEngine;
  kill(): Promise<void>;
}

const builtIns = loadOperators({ builtIn: true });

/** The services of a process's host. */
type Offer = (parts: {
  readonly hub: RunHub;
  readonly flows: SubFlows;
  live(id: string): LiveFlow | undefined;
}) => Services;

export async function createWorld(
  open: OpenEngine,
  offer: Offer = ({ flows }) => ({ flows }),
): Promise<World> {
  const { registry: base } = await builtIns;
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  const waits = createMemoryWaits();
  const history = createMemoryHistory();
  const redactor = createRedactor();
  const nothing = { key: undefined, environment: {}, grants: {} };
  const secrets = openSecrets({ ...nothing, data: folder, redactor, now: Date.now });
  const carried: string[] = [];
  const keys = new Map<string, string[]>();
  const ended: DurableEnd[] = [];
  const flows = new Map<string, LiveFlow>();
  let epoch = 0;
  let failures = 0;
  let linkFailures = 0;
  const processes: Process[] = [];

  const operators = (born: number): Readonly<Record<string, Operator>> => {
    const note = (node: string, key: string): boolean => {
      if (born !== epoch) return false;
      carried.push(node);
      const used = keys.get(node);
      if (used === undefined) keys.set(node, [key]);
      else used.push(key);
      return true;
    };
    const [one, many] = [effect(note, () => carried), items(note)].map(foreignOperator) as [
      Operator,
      Operator,
    ];
    return { 'test.effect': one, 'test.wait': wait, 'test.items': many, 'test.loop': loop(note) };
  };

  function make({ id, ...flow }: Flow, version: string, born = epoch): LiveFlow {
    const registry = makeRegistry(new Map([...base.operators, ...Object.entries(operators(born))]));
    const whole = { id, ...flow };
    return { id, version, flow: whole, compiled: compile(whole, version, registry, expressionTools('UTC')) };
  }

  const failing = ({ write, ...others }: Values): Values => ({
    ...others,
    write(value) {
      if (failures-- > 0) throw new Error('The disk is full.');
      return write(value);
    },
  });

  async function boot(): Promise<Process> {
    const services: Services = {};
    const host = createHost(services);
    const log = pino({ level: 'silent' });
    const hub = createRunHub({ host, log, history, redactor, maxRuns: 10_000, variables: () => ({}) });
    for (const [id, { flow, version }] of flows) flows.set(id, make(flow, version));
    let alive = true;
    const born = epoch;
    const revive: ReviveFlow = (_, version, text) => make(JSON.parse(text) as Flow, version, born);
    const live = (id: string): LiveFlow | undefined => (alive ? flows.get(id) : undefined);
    Object.assign(services, offer({ hub, live, flows: createSubFlows({ live, runs: hub, revive }) }));
    const { engine, kill } = await open(folder, host);
    const durable = createDurableRuns({
      hub,
      host,
      log,
      waits: { ...waits, onAnswer: (fn) => waits.onAnswer((run) => alive && fn(run)) },
      open: () => engine,
      exists: () => true,
      unfinished: () => true,
      // Short, so that tests of waits are short too.
      parkMs: 100,
      variables: () => ({ greeting: 'hello' }),
      links: {
        async prepare() {
          if (linkFailures-- > 0) throw new Error('The disk is full.');
        },
      },
      live,
      revive,
      values: (run) =>
        failing(
          createValues({ redactor, sealer: secrets, blobs: createDiskBlobs(join(folder, 'values', run)) }),
        ),
      forget: (runs) => {
        for (const run of runs) rmSync(join(folder, 'values', run), { recursive: true, force: true });
      },
    });
    durable.onEnd((end) => void ended.push(end));
    durable.resume();
    const process: Process = {
      durable,
      engine,
      hub,
      async kill() {
        if (!alive) return;
        alive = false;
        epoch++;
        await kill();
      },
      async stop(graceMs = 1000) {
        if (!alive) return;
        alive = false;
        await durable.close(graceMs);
        epoch++;
      },
    };
    processes.push(process);
    return process;
  }

  return {
    folder,
    waits,
    history,
    carried,
    keys,
    ended,
    redactor,
    failWrites(times) {
      failures = times;
    },
    failLinks(times) {
      linkFailures = times;
    },
    boot,
    flow(flow) {
      const made = make(flow, `v${JSON.stringify(flow).length}`);
      flows.set(flow.id, made);
      return made;
    },
    async remove() {
      for (const process of processes) await process.stop(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Longer than any test. */
const HELD_MS = 3_600_000;

const effectParams = z.object({
  give: z.unknown().optional(),
  ms: z.number().default(0),
  failures: z.number().default(0).describe('Times that it fails at first.'),
  held: z
    .number()
    .default(0)
    .describe('Times that it does not end at first, so that it is in flight when the process dies.'),
});

/** Notes that it was executed, and returns `give` or its input. */
function effect(note: (node: string, key: string) => boolean, carried: () => readonly string[]): Operator {
  return defineOperator({
    title: 'Effect',
    doc: 'Counts.',
    icon: 'zap',
    params: effectParams,
    inputs: { in: input() },
    outputs: { out: { kind: 'value', schema: undefined } },
    effects: 'write',
    lift: true,
    examples: [],
    async run(call) {
      if (!note(call.node, call.idempotencyKey)) return new Promise(() => {});
      const { give, ms, failures, held } = call.params;
      const isFirst = (times: number): boolean =>
        times > 0 && carried().filter((node) => node === call.node).length <= times;
      if (isFirst(held)) await call.sleep(HELD_MS);
      const fails = isFirst(failures);
      if (ms > 0) await call.sleep(ms);
      if (fails) throw Object.assign(new Error('not yet'), { transient: true });
      return give ?? call.input;
    },
  }) as unknown as Operator;
}

const wait = defineOperator({
  title: 'Wait',
  doc: 'Waits for a time or an answer, as configured.',
  icon: 'hourglass',
  params: z.object({ ms: z.number().optional(), title: z.string().optional() }),
  inputs: { in: input() },
  outputs: { out: { kind: 'value', schema: undefined } },
  effects: 'wait',
  examples: [],
  async run(call) {
    const { ms, title } = call.params;
    const until = ms === undefined ? {} : { until: call.now() + ms };
    const what =
      title === undefined ? { kind: 'time', ...until } : { kind: 'answer', title, ask: {}, ...until };
    return (await call.wait(what as WaitFor)) ?? call.input;
  },
}) as unknown as Operator;

/** A stream that reads from outside. */
function items(note: (node: string, key: string) => boolean): Operator {
  return defineOperator({
    title: 'Items',
    doc: 'Gives items.',
    icon: 'list',
    params: z.object({ list: literal(z.array(z.unknown())) }),
    inputs: { in: input() },
    outputs: { out: { kind: 'stream', schema: undefined } },
    effects: 'read',
    examples: [],
    run(call) {
      note(call.node, call.idempotencyKey);
      return streamOf(call.params.list);
    },
  }) as unknown as Operator;
}

// oxlint-disable-next-line require-await -- a stream is what is asked for
async function* streamOf(list: readonly unknown[]): AsyncGenerator<unknown> {
  yield* list;
}

/** A flow of nodes and `from > to` edges, with a manual trigger called `t`. */
export function durableFlow(
  id: string,
  nodes: Readonly<Record<string, FlowNode>>,
  edges: readonly string[],
  settings: FlowSettings = {},
): Flow {
  return {
    format: 1,
    id,
    nodes: { t: { operator: 'trigger.manual' }, ...nodes },
    edges: edges.map((edge) => {
      const [from, to] = edge.split(' > ') as [string, string];
      return { from: `${from}.out`, to: to.includes('.') ? to : `${to}.in` };
    }),
    settings: { durable: true, ...settings },
  };
}

export function effectNode(params: Record<string, unknown> = {}, more: Partial<FlowNode> = {}): FlowNode {
  return { operator: 'test.effect', params, ...more };
}

export function waitNode(params: { ms?: number; title?: string }): FlowNode {
  return { operator: 'test.wait', params };
}

export async function until(holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('The condition was not met in time.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
