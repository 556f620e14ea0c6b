import { afterEach, beforeEach } from 'vitest';
import type { FlowNode, FlowSettings } from '#shared/flow.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { createWorld, durableFlow, type OpenEngine, type Process, until, type World } from './durable-bed.ts';

/** A fresh world for each test, and the process that runs in it. */
export interface ContractBed {
  readonly world: World;
  readonly process: Process;
  boot(): Promise<void>;
  /** Kills the process and starts another one. */
  restart(): Promise<void>;
  start(flow: LiveFlow, output?: unknown, key?: string): Promise<string>;
  /** Waits until the run is parked. */
  parked(run: string): Promise<void>;
  /** A flow with a chain of nodes. */
  row(id: string, nodes: Readonly<Record<string, FlowNode>>, settings?: FlowSettings): LiveFlow;
}

export function useContractBed(open: OpenEngine): ContractBed {
  let world: World;
  let process: Process;
  beforeEach(async () => {
    world = await createWorld(open);
    process = await world.boot();
  });
  afterEach(() => world.remove());
  return {
    get world() {
      return world;
    },
    get process() {
      return process;
    },
    async boot() {
      process = await world.boot();
    },
    async restart() {
      await process.kill();
      process = await world.boot();
    },
    async start(flow, output = 1, key) {
      const request = { flow, trigger: 't', request: {}, output, source: 'manual' as const };
      return (await process.durable.start(request, { key })).run;
    },
    parked: (run) => until(async () => (await process.durable.get(run))?.status === 'waiting'),
    row(id, nodes, settings) {
      const names = ['t', ...Object.keys(nodes)];
      const edges = names.slice(1).map((to, i) => `${names[i]} > ${to}`);
      return world.flow(durableFlow(id, nodes, edges, settings));
    },
  };
}
