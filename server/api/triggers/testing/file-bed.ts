import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bed, startBed, tempFolder } from '../../../testing/platform-bed.ts';
import type { Config } from '../../../base/config/config.ts';

export const API_KEY = 'key-for-the-tests-of-files';

interface NodeSketch {
  readonly operator: string;
  readonly params?: unknown;
  /** The output that goes to the next node; `out` by default. */
  readonly output?: string;
}

interface FlowSketch {
  /** Params of its HTTP trigger at `/<id>`. */
  readonly trigger: Readonly<Record<string, unknown>>;
  /** Nodes in a line after the trigger. */
  readonly nodes?: Readonly<Record<string, NodeSketch>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A whole server with these flows, each a line of nodes behind a trigger for POST without a key. */
export async function fileBed(
  flows: Readonly<Record<string, FlowSketch>>,
  changes: Partial<Config> = {},
): Promise<Bed> {
  const folder = join(await tempFolder(), 'flows');
  mkdirSync(folder);
  for (const [id, { trigger, nodes = {}, settings }] of Object.entries(flows)) {
    const params = { path: `/${id}`, methods: ['POST'], auth: 'none', ...trigger };
    const names = ['trigger', ...Object.keys(nodes)];
    const outputs = ['out', ...Object.values(nodes).map(({ output = 'out' }) => output)];
    const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.${outputs[i]}`, to: `${to}.in` }));
    const drawn = Object.entries(nodes).map(([name, { output: _, ...node }]) => [name, node] as const);
    const flow = {
      format: 1,
      id,
      nodes: { trigger: { operator: 'trigger.http', params }, ...Object.fromEntries(drawn) },
      edges,
      ...(settings && { settings }),
    };
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(flow));
  }
  return startBed({ flows: [folder], apiKeys: [API_KEY], ...changes });
}

/** A form with texts and files. */
export function formOf(fields: Readonly<Record<string, string | File | readonly File[]>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) form.append(name, one as string);
  return form;
}
