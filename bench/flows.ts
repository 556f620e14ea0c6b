import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';

/** The flows that are measured. */

const examples = new URL('../flows/examples/', import.meta.url);

export function exampleFlow(id: string): Flow {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`${id}.json`, examples)), 'utf8')) as Flow;
}

/** The two-node example under another id and path, with changed settings and trigger params. */
export function helloFlow(
  id: string,
  path: string,
  change: { settings?: Flow['settings']; trigger?: Record<string, unknown>; template?: string } = {},
): Flow {
  const flow = exampleFlow('simple_dag_example');
  const { trigger, handler } = flow.nodes as { trigger: FlowNode; handler: FlowNode };
  return {
    ...flow,
    id,
    settings: { ...flow.settings, ...change.settings },
    nodes: {
      trigger: { ...trigger, params: { ...trigger.params, path, ...change.trigger } },
      handler: change.template ? { ...handler, params: { template: change.template } } : handler,
    },
  };
}

/** A trigger and `length` nodes in a row that pass their input on. */
export function chainFlow(
  id: string,
  length: number,
  trigger: FlowNode = { operator: 'trigger.manual' },
): Flow {
  const names = Array.from({ length }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(names.map((name) => [name, { operator: 'core.map' }]));
  const edges = names.map((name, i) => edge(i === 0 ? 'trigger' : `n${i - 1}`, name));
  return { format: 1, id, nodes: { trigger, ...nodes }, edges };
}

/** A trigger, `width` parallel nodes, and one that merges them. */
export function fanFlow(id: string, width: number): Flow {
  const names = Array.from({ length: width }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(names.map((name) => [name, { operator: 'core.map' }]));
  const edges = names.flatMap((name) => [edge('trigger', name), edge(name, 'merge')]);
  return {
    format: 1,
    id,
    nodes: { trigger: { operator: 'trigger.manual' }, ...nodes, merge: { operator: 'core.merge' } },
    edges,
  };
}

function edge(from: string, to: string): FlowEdge {
  return { from: `${from}.out`, to: `${to}.in` };
}

export function manyHelloFlows(count: number): Flow[] {
  return Array.from({ length: count }, (_, i) => helloFlow(`hello_${i}`, `/bench/hello-${i}`));
}

export function writeFlows(folder: string, flows: readonly Flow[]): void {
  mkdirSync(folder, { recursive: true });
  for (const flow of flows)
    writeFileSync(join(folder, `${flow.id}.json`), `${JSON.stringify(flow, null, 2)}\n`);
}
