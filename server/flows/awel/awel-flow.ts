import { ServiceError } from '../../base/errors/errors.ts';
import { z } from 'zod';
import { MAX_NODES } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';

/**
 * The parts of DB-GPT's flow JSON that are read. As lenient as DB-GPT: unknown keys are preserved or
 * ignored, names may be those of its editor in the browser (`sourceHandle`) or of its server
 * (`source_handle`).
 */

const text = z.string().max(100_000).nullish();
const name = z.string().min(1).max(200);

const AwelParameter = z.looseObject({
  name,
  value: z.unknown().optional(),
  default: z.unknown().optional(),
  category: text,
  type_name: text,
});

const AwelPort = z.looseObject({ name: text });

/** A node's content: a copy of the description of its operator (or resource), with values in its parameters. */
export const AwelData = z.looseObject({
  name,
  flow_type: z.enum(['operator', 'resource']),
  id: text,
  label: text,
  custom_label: text,
  category: text,
  type_cls: text,
  parameters: z.array(AwelParameter).max(1000).nullish(),
  inputs: z.array(AwelPort).max(1000).nullish(),
  outputs: z.array(AwelPort).max(1000).nullish(),
  /** Present only in Weft's own flows: the node from the flow file. */
  weft: z.unknown().optional(),
});
export type AwelData = z.infer<typeof AwelData>;

const coordinate = z.number();

const AwelNode = z.looseObject({
  id: name,
  data: AwelData,
  position: z.looseObject({ x: coordinate, y: coordinate }).nullish(),
});
export type AwelNode = z.infer<typeof AwelNode>;

const place = z.int().min(0).max(10_000).nullish();

const AwelEdge = z.looseObject({
  source: name,
  target: name,
  source_order: place,
  target_order: place,
  source_handle: text,
  target_handle: text,
  sourceHandle: text,
  targetHandle: text,
  weft: z.unknown().optional(),
});
export type AwelEdge = z.infer<typeof AwelEdge>;

const FlowData = z
  .looseObject({
    nodes: z.array(AwelNode).max(MAX_NODES),
    edges: z.array(AwelEdge).max(MAX_NODES * 10),
    viewport: z.looseObject({ x: coordinate, y: coordinate, zoom: z.number().positive() }).nullish(),
  })
  .superRefine(({ nodes }, context) => {
    const seen = new Set<string>();
    nodes.forEach(({ id }, i) => {
      if (seen.has(id))
        context.addIssue({
          code: 'custom',
          message: `Two nodes have the id ${id}.`,
          path: ['nodes', i, 'id'],
        });
      seen.add(id);
    });
  });

export const AWEL_STATES = [
  'initializing',
  'developing',
  'testing',
  'deployed',
  'running',
  'disabled',
  'load_failed',
] as const;

export const AwelFlow = z.looseObject({
  uid: text,
  name: text,
  label: text,
  description: text,
  flow_category: text,
  state: z.enum(AWEL_STATES).nullish(),
  define_type: text,
  flow_data: FlowData,
  /** Present only in Weft's own flows: the flow file without its nodes and edges. */
  weft: z.unknown().optional(),
});
export type AwelFlow = z.infer<typeof AwelFlow>;

/** Facts about a flow from its package, for files that contain only its nodes. */
export type About = Partial<Record<'name' | 'label' | 'description', string>>;

/**
 * The flow object itself, which export files and templates have under `flow`. Packages of flows contain only its
 * `{nodes, edges, viewport}`, of which `about` is the rest. Throws `unsupported_import` for other products' files.
 */
export function unwrapped(value: unknown, about: About = {}): unknown {
  const product = otherProduct(value);
  if (product !== undefined)
    throw new ServiceError(
      'unsupported_import',
      `This is an export of ${product}. Here Weft imports flows of DB-GPT (AWEL) and its own exports; \`weft import\` and POST /api/v1/imports read those of n8n.`,
    );
  if (!isRecord(value) || value['flow_data'] !== undefined) return value;
  const inside = isRecord(value['flow']) ? value['flow'] : value;
  return isDrawing(inside) ? { ...about, flow_data: inside } : inside;
}

/** Whether it consists of nodes and edges alone. */
function isDrawing(value: Record<string, unknown>): boolean {
  return value['flow_data'] === undefined && Array.isArray(value['nodes']) && Array.isArray(value['edges']);
}

/** Whether a file could contain a flow of DB-GPT, or an export of Weft. */
export function looksLikeFlow(value: unknown): boolean {
  const inside = isRecord(value) && isRecord(value['flow']) ? value['flow'] : value;
  return isRecord(inside) && (isRecord(inside['flow_data']) || isDrawing(inside));
}

type Marks = (file: Record<string, unknown>) => boolean;

/** Keys that only exports of other products contain. */
const OTHER_PRODUCTS: Readonly<Record<string, Marks>> = {
  n8n: ({ nodes, connections }) => Array.isArray(nodes) && isRecord(connections),
  Dify: ({ kind, workflow }) => kind === 'app' && isRecord(workflow),
  Langflow: ({ data }) => isRecord(data) && Array.isArray(data['nodes']),
  Flowise: ({ nodes }) => Array.isArray(nodes) && nodes.some(isFlowiseNode),
};

function isFlowiseNode(node: unknown): boolean {
  return isRecord(node) && isRecord(node['data']) && 'inputAnchors' in node['data'];
}

/** The product whose export a file looks like. */
function otherProduct(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.some((one) => isRecord(one) && 'wires' in one) ? 'Node-RED' : undefined;
  if (!isRecord(value) || value['flow_data'] !== undefined || value['flow'] !== undefined) return undefined;
  return Object.keys(OTHER_PRODUCTS).find((product) => OTHER_PRODUCTS[product]?.(value));
}

/** Own entries only: names in a file may equal those of inherited members. */
export function ownEntry<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}
