import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatFlow } from '#engine/check';
import type { Flow, FlowNode } from '#shared/flow.ts';

/** A separate folder with files, as the working folder of commands. */
export interface TempProject {
  readonly folder: string;
  path(name: string): string;
  write(name: string, text: string): void;
  read(name: string): string;
  has(name: string): boolean;
  remove(): void;
}

export function tempProject(files: Readonly<Record<string, string>> = {}): TempProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'weft-cli-')));
  const path = (name: string): string => join(folder, name);
  const project: TempProject = {
    folder,
    path,
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  return project;
}

type Nodes = Record<string, FlowNode>;

/** The canonical text of a flow. Edges are written `from > to`; the default ports are `out` and `in`. */
export function flowText(id: string, nodes: Nodes, edges: readonly string[] = []): string {
  return formatFlow(flowOf(id, nodes, edges));
}

export function flowOf(id: string, nodes: Nodes, edges: readonly string[] = []): Flow {
  const port = (end: string, name: string): string => (end.includes('.') ? end : `${end}.${name}`);
  return {
    format: 1,
    id,
    nodes,
    edges: edges.map((edge) => {
      const [from = '', to = ''] = edge.split(' > ');
      return { from: port(from, 'out'), to: port(to, 'in') };
    }),
  };
}

export function http(path: string, params: Readonly<Record<string, unknown>> = {}): FlowNode {
  return { operator: 'trigger.http', params: { path, auth: 'none', ...params } };
}

export function template(text: string): FlowNode {
  return { operator: 'text.template', params: { template: text } };
}

export function map(value: unknown): FlowNode {
  return { operator: 'core.map', params: { value } };
}

/** A flow that greets `name` at a path. */
export function greeting(
  id: string,
  options: { path?: string; says?: string; auth?: string; methods?: readonly string[] } = {},
): string {
  const { path = `/${id}`, says = 'Hello', auth = 'none', methods = ['GET'] } = options;
  const request = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  const nodes = {
    greet: template(`${says}, {{ input.name }}`),
    request: http(path, { auth, methods, request }),
  };
  return flowText(id, nodes, ['request > greet']);
}
