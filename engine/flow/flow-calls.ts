import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { hasTemplate } from '../expr/index.ts';
import { allNodes } from './bodies.ts';
import { operatorInfo } from './ports.ts';

/** A node that runs another flow. */
export interface FlowCall {
  readonly node: string;
  /** The param that names the flow. */
  readonly param: string;
  readonly flow: string;
  /** The param and name of the trigger at which it starts, if it is given. */
  readonly trigger: { readonly param: string; readonly name: string } | undefined;
}

/** The calls of a flow whose target is known before a run: params with the widget `flow` that are texts without expressions. */
export function flowCalls(flow: Flow, catalog: Catalog): FlowCall[] {
  return Object.entries(allNodes(flow)).flatMap(([node, { operator, params = {}, disabled }]) => {
    const info = operatorInfo(catalog, operator);
    const param = info && paramWith(info, 'flow');
    const target = param === undefined ? undefined : params[param];
    if (info === undefined || param === undefined || disabled || !isName(target)) return [];
    const at = paramWith(info, 'flow-trigger');
    const name = at === undefined ? undefined : params[at];
    const trigger = at !== undefined && isName(name) ? { param: at, name } : undefined;
    return [{ node, param, flow: target, trigger }];
  });
}

function paramWith({ params }: OperatorInfo, widget: string): string | undefined {
  const properties = (params['properties'] ?? {}) as Record<string, { widget?: unknown }>;
  for (const name in properties) if (properties[name]?.widget === widget) return name;
  return undefined;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !hasTemplate(value);
}
