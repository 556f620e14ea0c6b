import type { Catalog } from '#shared/catalog.ts';
import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { Flow } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import { type CheckContext, checkContext, isTrigger, type NodeView } from '../flow/context.ts';
import { pathParamNames } from '../flow/trigger-path.ts';
import { type FlowTypes, flowTypes } from './flow-types.ts';
import { resultType } from './result-type.ts';
import { toSchema } from './schema.ts';
import { sentType } from './sent-type.ts';
import { type Type, UNKNOWN } from './type.ts';

/**
 * What a called flow takes and returns, by trigger. The results of flows that it calls itself count as unknown, so that this
 * only changes with the flow.
 */
export function flowSchemas(flow: Flow, catalog: Catalog): Readonly<Record<string, FlowSchemas>> {
  const context = checkContext(flow, catalog, NOTHING_ELSE, () => {});
  const types = flowTypes(context);
  const triggers = [...context.nodes.values()].filter((view) => isTrigger(view) && !view.node.disabled);
  return Object.fromEntries(triggers.map((view) => [view.id, schemasAt(context, types, view)]));
}

const NOTHING_ELSE = { routes: [], variables: undefined, secrets: undefined };

function schemasAt(context: CheckContext, types: FlowTypes, trigger: NodeView): FlowSchemas {
  const { result, items } = resultType(context, types, trigger.id);
  return { takes: known(takenBy(trigger)), gives: known(result), givesItems: known(items) };
}

function known(type: Type): JsonSchema | undefined {
  return type.any ? undefined : toSchema(type);
}

/** The input type by the trigger's schema; a field that is also in its path may be of any type, since paths carry text. */
function takenBy({ info, node }: NodeView): Type {
  const [rule] = Object.values(info?.infer?.outputs ?? {});
  if (!rule || !('schemaIn' in rule)) return UNKNOWN;
  const { path, [rule.schemaIn]: schema } = node.params ?? {};
  return sentType(schema, typeof path === 'string' ? pathParamNames(path) : []);
}
