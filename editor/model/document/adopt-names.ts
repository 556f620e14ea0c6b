import type { Draft } from 'immer';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { recordOf } from '../form/schema-shapes.ts';
import type { Doc } from './document.ts';
import { infoOf } from './edit.ts';
import { flatFlow, graphOf } from './flat.ts';

/** The kinds of names that a node can share with the other nodes of its flow. */
const SHARED: ReadonlySet<unknown> = new Set(['connection', 'space', 'store']);

/**
 * Settings that a new node begins with: the connection, space or folder that it has to name, if the other nodes of the flow name one and
 * the same where they name such a thing; and the name and the path of a page, after the flow.
 */
export function adoptedNames(doc: Doc, catalog: Catalog, info: OperatorInfo): Record<string, string> {
  return { ...ofFlow(doc, info), ...ofOthers(doc, catalog, info) };
}

/** The settings for which the name or the id of the flow is a good beginning. */
function ofFlow({ flow }: Doc, { params }: OperatorInfo): Record<string, string> {
  const begins: Readonly<Record<string, string | undefined>> = {
    'flow-name': flow.name,
    'flow-path': `/${flow.id.replaceAll('_', '-')}`,
  };
  return Object.fromEntries(
    Object.entries(recordOf(params['properties']) ?? {}).flatMap(([name, schema]) => {
      const value = begins[String(recordOf(schema)?.['begins'])];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function ofOthers(doc: Doc, catalog: Catalog, info: OperatorInfo): Record<string, string> {
  const wanted = sharedParams(info).filter(({ isRequired }) => isRequired);
  if (wanted.length === 0) return {};
  const others = Object.values(flatFlow(doc.flow).nodes).flatMap((node) => {
    const known = infoOf(catalog, node);
    return known ? sharedParams(known).map((param) => ({ ...param, value: node.params?.[param.name] })) : [];
  });
  return Object.fromEntries(
    wanted.flatMap(({ name, schema }) => {
      const used = others.filter((other) => isSameThing(other.schema, schema)).map(({ value }) => value);
      const names = new Set(used.filter((value) => typeof value === 'string' && isFixed(value)));
      const [only] = names;
      return names.size === 1 && typeof only === 'string' ? [[name, only]] : [];
    }),
  );
}

/** Gives a node that was just added such settings. */
export function adopt(draft: Draft<Doc>, id: string, names: Readonly<Record<string, string>>): void {
  const node = graphOf(draft.flow as Doc['flow'], id)?.nodes[id];
  if (node && Object.keys(names).length > 0) node.params = { ...node.params, ...names };
}

type Schema = Readonly<Record<string, unknown>>;

interface SharedParam {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function sharedParams({ params }: OperatorInfo): readonly SharedParam[] {
  const required: readonly unknown[] = Array.isArray(params['required']) ? params['required'] : [];
  return Object.entries(recordOf(params['properties']) ?? {}).flatMap(([name, given]) => {
    const schema = recordOf(given) ?? {};
    return SHARED.has(schema['widget']) ? [{ name, schema, isRequired: required.includes(name) }] : [];
  });
}

/** What says which things a setting can name. A connection to one service is of no use to another, though both are of one kind. */
const WHICH = ['widget', 'kinds', 'service', 'providers'] as const;

function isSameThing(a: Schema, b: Schema): boolean {
  return WHICH.every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

function isFixed(name: string): boolean {
  return name !== '' && !name.includes('{{');
}
