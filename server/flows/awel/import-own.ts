import { isDeepStrictEqual } from 'node:util';
import { operatorInfo } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import { FlowNode } from '#shared/flow.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import type { AwelData } from './awel-flow.ts';
import { shownValue } from './export-node.ts';
import { OWN_CLASS } from './metadata.ts';

/**
 * Imports one of our own nodes: `weft` in its data has the whole node. A client that knows only DB-GPT's format
 * drops that key; the node is then taken from the current flow (`before`), or is a new one. The client's changes of
 * values and label apply.
 */
export function ownNode(
  data: AwelData,
  before: FlowNode | undefined,
  catalog: Catalog,
): FlowNode | undefined {
  const kept = keptNode(data) ?? sameOperator(data, before) ?? newNode(data, catalog);
  if (!kept) return undefined;
  return withLabel(withValues(kept, data, catalog), data);
}

function keptNode({ weft }: AwelData): FlowNode | undefined {
  return isRecord(weft) ? FlowNode.safeParse(weft['node']).data : undefined;
}

function sameOperator(data: AwelData, before: FlowNode | undefined): FlowNode | undefined {
  if (!before) return undefined;
  const awel = isRecord(before['awel']) && isRecord(before['awel']['data']) ? before['awel']['data'] : {};
  return before.operator === data.name || awel['name'] === data.name ? before : undefined;
}

function newNode({ name, type_cls }: AwelData, catalog: Catalog): FlowNode | undefined {
  const type = type_cls?.startsWith(OWN_CLASS) ? type_cls.slice(OWN_CLASS.length) : name;
  return operatorInfo(catalog, type) ? { operator: type } : undefined;
}

function withValues(node: FlowNode, { parameters }: AwelData, catalog: Catalog): FlowNode {
  const params = new Map(Object.entries(node.params ?? {}));
  const before = params.size;
  let changed = false;
  for (const { name, value } of parameters ?? []) {
    if (value === undefined || isDeepStrictEqual(value, shownValue(node, name))) continue;
    changed = true;
    if (value === null) params.delete(name);
    else params.set(name, converted(value, schemaOf(node, name, catalog)));
  }
  if (!changed) return node;
  const { params: _params, ...rest } = node;
  return params.size === 0 && before > 0 ? rest : { ...node, params: Object.fromEntries(params) };
}

function schemaOf({ operator }: FlowNode, name: string, catalog: Catalog): JsonSchema {
  const properties = operatorInfo(catalog, operator)?.params['properties'];
  const schema = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isRecord(schema) ? schema : {};
}

/** Values of basic types may arrive as texts, as from forms; an expression stays an expression. */
function converted(value: unknown, { type }: JsonSchema): unknown {
  if (typeof value !== 'string' || value.includes('{{')) return value;
  const text = value.trim();
  if ((type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text)))
    return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return value;
}

function withLabel(node: FlowNode, { custom_label }: AwelData): FlowNode {
  if (typeof custom_label !== 'string' || custom_label === '' || custom_label === node.name) return node;
  const awel = isRecord(node['awel']) && isRecord(node['awel']['data']) ? node['awel']['data'] : {};
  return custom_label === awel['custom_label'] ? node : { ...node, name: custom_label.slice(0, 200) };
}
