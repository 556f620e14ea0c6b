import type { Catalog, InputPort } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import { outermostNode } from '../flow/bodies.ts';
import { checkContext, type World } from '../flow/context.ts';
import { formatPath } from '../flow/field-path.ts';
import { reach } from '../flow/graph.ts';
import { clashOf } from './clash.ts';
import { fittingField } from './edge-type.ts';
import { flowTypes } from './flow-types.ts';
import { fromSchema, toSchema } from './schema.ts';
import { isNever, type Type } from './type.ts';
import { shortType } from './words.ts';

/** What is known of the values at the ports of a flow before it runs; a port is written `node.port`. */
export interface KnownTypes {
  /** The type of an output or input; of a stream, that of one item. Undefined if nothing is known. */
  output(port: string): KnownType | undefined;
  input(port: string): KnownType | undefined;
  /** The type of `item` in the expressions of a node that works on items. */
  item(node: string): KnownType | undefined;
  /** Whether values of an output can be what a schema asks for; undefined if it takes anything, or if nothing is known of them. */
  fits(output: string, schema: JsonSchema): boolean | undefined;
  /**
   * The path of the only field of an output that an input takes, where it does not take the output itself; undefined where there is
   * none or several, and for streams.
   */
  fieldFor(output: string, input: Pick<InputPort, 'name' | 'schema'>): string | undefined;
}

/** A type as schema and in words. */
export interface KnownType {
  readonly schema: JsonSchema;
  /** Short form: `{name: string, age: integer}`. */
  readonly words: string;
}

/**
 * The types of a flow; with `node`, only of that node and its ancestors, which its expressions can read. `outside` has the
 * types of called flows and of rows of databases.
 */
export function knownTypes(
  flow: Flow,
  catalog: Catalog,
  node?: string,
  { flows, statements }: Pick<World, 'flows' | 'statements'> = {},
): KnownTypes {
  const world = { routes: [], variables: undefined, secrets: undefined, flows, statements };
  const context = checkContext(flow, catalog, world, () => {});
  // What is in a body is known with the node that runs it.
  const wanted = node === undefined ? undefined : reach(context.graph, [outermostNode(flow, node)], true);
  const { inputs, outputs, items } = flowTypes(context, undefined, wanted);
  return {
    output: (port) => known(outputs.get(port)),
    input: (port) => known(inputs.get(port)),
    item: (id) => known(items.get(id)),
    fits(output, schema) {
      const [from, to] = [outputs.get(output), fromSchema(schema)];
      if (!from || from.any || isNever(from) || to.any) return undefined;
      return clashOf(from, to) === undefined;
    },
    fieldFor(output, { name, schema }) {
      const [from, to] = [outputs.get(output), fromSchema(schema ?? {})];
      const isKnown = from && !from.any && !isNever(from) && !to.any;
      if (!isKnown || context.kinds.get(output) === 'stream' || !clashOf(from, to)) return undefined;
      const path = fittingField(from, to, { name, isOnly: true });
      return path && formatPath(path);
    },
  };
}

function known(type: Type | undefined): KnownType | undefined {
  if (!type || type.any || isNever(type)) return undefined;
  return { schema: toSchema(type), words: shortType(type) };
}

/** A JSON Schema in short form; undefined for one that takes anything. */
export function schemaWords(schema: JsonSchema): string | undefined {
  return known(fromSchema(schema))?.words;
}
