import type { Catalog } from '#shared/catalog.ts';
import { operatorInfo, portsOf } from '#engine/check';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { type AwelData, type AwelFlow, type AwelNode, ownEntry } from './awel-flow.ts';
import { isChatFlow } from './import-chat.ts';
import { ownNode } from './import-own.ts';
import type { Around } from './mappings/mapping.ts';
import { mappingOf } from './mappings/table.ts';
import { idFrom, idSource, portNames } from './names.ts';
import { type FlowFacts, isResource, type Note, type Original, originals } from './original.ts';

/** A node of the import, with the facts that its edges need. */
export interface ImportedNode extends Around {
  readonly id: string;
  readonly node: FlowNode;
  readonly position: AwelNode['position'];
  /** Our ports by DB-GPT's index. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** All its inputs become edges of the first one. */
  readonly many: boolean;
}

export interface NodeImport {
  /** Nodes by their id in the file. */
  readonly nodes: ReadonlyMap<string, ImportedNode>;
  readonly problems: readonly Problem[];
  /** The chat trigger of a flow, by its id here. */
  readonly chat: string | undefined;
}

export interface NodeImportOptions {
  readonly id: string;
  readonly catalog: Catalog;
  /** The current flow, when one is overwritten. */
  readonly before: Flow | undefined;
}

type Built = Omit<ImportedNode, 'id' | 'position'>;

export function importNodes(awel: AwelFlow, { id: flowId, catalog, before }: NodeImportOptions): NodeImport {
  const all = originals(awel);
  const named = new Set([...all.values()].map(({ name }) => name));
  const flow: FlowFacts = { id: flowId, has: (name) => named.has(name) };
  const ids = createIds(awel.flow_data.nodes);
  const problems: Problem[] = [];
  const nodes = new Map<string, ImportedNode>();
  for (const given of awel.flow_data.nodes) {
    if (isResource(given)) continue;
    const id = ids(given);
    const note: Note = (code, message, severity = 'error') =>
      void problems.push({ code, severity, message, node: id });
    const original = all.get(given.id) as Original;
    const own = ownNode(given.data, ownEntry(before?.nodes, given.id), catalog);
    const built = own ? builtOwn(own, given.data, catalog) : builtFrom(original, flow, note, catalog);
    nodes.set(given.id, { id, position: given.position, ...built });
  }
  problems.push(...strayResources(awel));
  return { nodes, problems, chat: chatTrigger(awel, nodes, flow) };
}

/** Our ids stay; those of DB-GPT contain `___$$___` and are derived from the operator's name. */
function createIds(nodes: readonly AwelNode[]): (node: AwelNode) => string {
  const idOf = idSource(nodes.map(({ id }) => id).filter((id) => ID_PATTERN.test(id)));
  return ({ id, data }) => (ID_PATTERN.test(id) ? id : idOf(idFrom(data.name, 'node')));
}

function builtOwn(node: FlowNode, data: AwelData, catalog: Catalog): Built {
  const info = operatorInfo(catalog, node.operator);
  const known = info ? portsOf(node, info) : { inputs: [], outputs: [] };
  const inputs = portNames(data.inputs ?? known.inputs, 'in');
  const outputs = portNames(data.outputs ?? known.outputs, 'out');
  return { node, inputs, outputs, many: false };
}

function builtFrom(original: Original, flow: FlowFacts, note: Note, catalog: Catalog): Built {
  const mapping = mappingOf(original.name);
  // An operator that this server lacks is not a counterpart.
  if (!mapping || !operatorInfo(catalog, mapping.operator)) return placeholder(original, note);
  const { operator, inputs = ['in'], outputs = ['out'], many = false } = mapping;
  const params = mapping.params?.(original, flow, note);
  const node: FlowNode = {
    operator,
    ...labelled(original.data),
    ...(params && Object.keys(params).length > 0 && { params }),
  };
  return { node, inputs, outputs, many, ...mapping.around?.(original, flow) };
}

/**
 * Preserves everything in the file about a node without a counterpart, so that nothing is lost and the node can be
 * replaced by hand.
 */
function placeholder(original: Original, note: Note): Built {
  const { name, resources } = original;
  note(
    'unknown-operator',
    `The original's operator ${original.data.label ?? name} (${name}) has no counterpart; put another one in its place. Its values are kept under \`awel\`.`,
  );
  const data = withoutCredentials(original.data, note);
  const given = (data.parameters ?? []).filter(({ value }) => value !== undefined && value !== null);
  const params = Object.fromEntries(given.map((parameter) => [parameter.name, parameter.value]));
  const kept = resources.map((resource) => withoutCredentials(resource.data, note));
  const node: FlowNode = {
    operator: `awel.${name}`.slice(0, 200),
    ...labelled(data),
    ...(given.length > 0 && { params }),
    awel: { data, ...(kept.length > 0 && { resources: kept }) },
  };
  return {
    node,
    inputs: portNames(data.inputs ?? [], 'in'),
    outputs: portNames(data.outputs ?? [], 'out'),
    many: false,
  };
}

const CREDENTIAL = /(?:api|access|private)_?key|token$|password|secret/i;

/** DB-GPT's files contain keys and passwords; flow files must not. */
function withoutCredentials(data: AwelData, note: Note): AwelData {
  const isSecret = ({ name, value }: { name: string; value?: unknown }) =>
    CREDENTIAL.test(name) && typeof value === 'string' && value !== '';
  const found = data.parameters?.filter(isSecret) ?? [];
  if (found.length === 0) return data;
  note(
    'not-supported',
    `${found.map(({ name }) => name).join(', ')} of ${data.label ?? data.name} was left out; store it as a secret.`,
    'warning',
  );
  const parameters = data.parameters?.map((one) => (isSecret(one) ? { ...one, value: null } : one));
  return { ...data, parameters };
}

function labelled({ custom_label, label }: AwelData): { name?: string } {
  const name = custom_label || label;
  return name ? { name: name.slice(0, 200) } : {};
}

/** Resources that belong to no node would be lost silently. */
function strayResources({ flow_data: { nodes, edges } }: AwelFlow): Problem[] {
  const wired = new Set(edges.map(({ source }) => source));
  return nodes
    .filter((node) => isResource(node) && !wired.has(node.id))
    .map(({ data }) => ({
      code: 'not-supported',
      severity: 'warning',
      message: `The resource ${data.label ?? data.name} belongs to no node and was left out.`,
    }));
}

function chatTrigger(
  { flow_category, flow_data }: AwelFlow,
  nodes: ReadonlyMap<string, ImportedNode>,
  flow: FlowFacts,
): string | undefined {
  if (!isChatFlow(flow_category, flow.has)) return undefined;
  const trigger = flow_data.nodes.find(({ data }) => data.name === 'common_llm_http_trigger');
  return trigger && nodes.get(trigger.id)?.id;
}
