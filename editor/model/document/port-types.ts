import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowEdge } from '#shared/flow.ts';
import { knownTypes, schemaWords, type World } from '#engine/check';
import { inputPort } from './connect.ts';
import { nodeOf } from './edit.ts';

export { knownTypes };

/** The known type of the values at a port before any run, in short form such as `{name: string, age: integer}`. */
export interface PortTypes {
  /** The type of an output or input. */
  readonly carries: string | undefined;
  /** The type that an input takes, if it declares one. */
  readonly takes: string | undefined;
  /** The fields of an output that is an object. */
  readonly fields: readonly string[];
}

/** `world`: the known types of the flows that it may call and of its SQL statements. */
export function portTypes(
  { flow, catalog, world }: { flow: Flow; catalog: Catalog; world?: Pick<World, 'flows' | 'statements'> },
  ref: string,
  side: 'input' | 'output',
): PortTypes {
  const types = knownTypes(flow, catalog, nodeOf(ref), world);
  if (side === 'output') {
    const output = types.output(ref);
    const fields = Object.keys((output?.schema['properties'] ?? {}) as Record<string, unknown>);
    return { carries: output?.words, takes: undefined, fields };
  }
  const port = inputPort({ flow, layout: { format: 1, nodes: {} } }, catalog, ref);
  return { carries: types.input(ref)?.words, takes: port?.schema && schemaWords(port.schema), fields: [] };
}

/** The field of the value at the start of an edge that its end takes, where only this one fits. */
export function likelyField(
  { flow, catalog, world }: { flow: Flow; catalog: Catalog; world?: Pick<World, 'flows' | 'statements'> },
  { from, to, pick }: FlowEdge,
): string | undefined {
  const port = inputPort({ flow, layout: { format: 1, nodes: {} } }, catalog, to);
  if (pick !== undefined || !port?.schema) return undefined;
  return knownTypes(flow, catalog, nodeOf(from), world).fieldFor(from, port);
}

/** The operators with an input that asks for values such as this output gives; undefined if nothing is known of them. */
export function takersOf(
  { flow, catalog, world }: { flow: Flow; catalog: Catalog; world?: Pick<World, 'flows' | 'statements'> },
  output: string,
): ReadonlySet<string> | undefined {
  const types = knownTypes(flow, catalog, nodeOf(output), world);
  if (!types.output(output)) return undefined;
  const takers = Object.values(catalog.operators).filter(({ inputs }) =>
    inputs.some(({ schema }) => schema && types.fits(output, schema)),
  );
  return new Set(takers.map(({ type }) => type));
}
