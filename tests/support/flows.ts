import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, tempFolder } from './server.ts';

export interface NodeJson {
  readonly operator: string;
  readonly params?: unknown;
}

/** A flow as it is written to a file. */
export interface FlowJson {
  readonly format: 1;
  readonly id: string;
  readonly nodes: Readonly<Record<string, NodeJson>>;
  readonly edges: readonly { from: string; to: string }[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

export function httpTrigger(path: string, more: Readonly<Record<string, unknown>> = {}): NodeJson {
  return { operator: 'trigger.http', params: { path, auth: 'none', ...more } };
}

/** Answers GET /<id> with a text. */
export function sayFlow(id: string, says: string, trigger: NodeJson = httpTrigger(`/${id}`)): FlowJson {
  return {
    format: 1,
    id,
    nodes: { say: { operator: 'text.template', params: { template: says } }, trigger },
    edges: [{ from: 'trigger.out', to: 'say.in' }],
  };
}

/** Answers GET /<id> with a text after a wait. */
export function lateFlow(id: string, says: string, ms: number): FlowJson {
  return {
    format: 1,
    id,
    nodes: {
      pause: { operator: 'logic.delay', params: { ms } },
      say: { operator: 'text.template', params: { template: says } },
      trigger: httpTrigger(`/${id}`),
    },
    edges: [
      { from: 'trigger.out', to: 'pause.in' },
      { from: 'pause.out', to: 'say.in' },
    ],
  };
}

/** Accepts GET /asking with 202, waits for a person, then answers. */
export const askingFlow: FlowJson = {
  format: 1,
  id: 'asking',
  nodes: {
    trigger: httpTrigger('/asking', { answer: 'immediately' }),
    ask: { operator: 'human.approval', params: { title: 'Go on?' } },
    say: { operator: 'text.template', params: { template: 'went on' } },
  },
  edges: [
    { from: 'trigger.out', to: 'ask.in' },
    { from: 'ask.approved', to: 'say.in' },
  ],
  settings: { durable: true },
};

/** A trigger and `count` nodes in a row that pass their input on. */
export function chainFlow(id: string, count: number): FlowJson {
  const names = Array.from({ length: count }, (_, i) => `n${i}`);
  const map = { operator: 'core.map', params: { value: '{{ input }}' } };
  return {
    format: 1,
    id,
    nodes: {
      ...Object.fromEntries(names.map((name) => [name, map])),
      trigger: httpTrigger(`/${id}`),
    },
    edges: names.map((name, i) => ({
      from: `${i === 0 ? 'trigger' : names[i - 1]}.out`,
      to: `${name}.in`,
    })),
  };
}

/** A trigger, and `count` nodes in a circle. */
export function circleFlow(id: string, count: number): FlowJson {
  const chain = chainFlow(id, count);
  const [first, ...others] = chain.edges;
  if (first === undefined) throw new Error('A circle has at least one node.');
  return { ...chain, edges: [{ from: `n${count - 1}.out`, to: first.to }, ...others] };
}

export function flowText(flow: FlowJson): string {
  return `${JSON.stringify(flow, null, 2)}\n`;
}

/** Writes a flow or any text as a file below `folder`, as an editor would: in place. */
export function write(folder: string, file: string, content: FlowJson | string | Uint8Array): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  const isRaw = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, isRaw ? content : flowText(content));
  return path;
}

export function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`Nothing in ${path} was changed.`);
  writeFileSync(path, after);
}

/** A new flows folder with a copy of the shipped examples. */
export function copyOfExamples(): string {
  const flows = tempFolder('flows');
  cpSync(join(root, 'flows'), flows, { recursive: true });
  return flows;
}
