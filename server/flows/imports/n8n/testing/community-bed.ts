import { expect } from 'vitest';
import { check, formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { catalog, ELSEWHERE, importedAlone, type Node, post } from './service-bed.ts';
import type { Asked } from '../../../../testing/stand-in.ts';

/** Nodes of the community, each alone in a flow that has the items of a request. */

export async function imported(node: Node): Promise<Flow> {
  const { flow, report } = await importedAlone(node);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const found = check(flow, catalog, { routes: [], variables: [], secrets: undefined });
  expect(found.filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code))).toEqual([]);
  return flow;
}

type Nodes = Flow['nodes'];

/** All requests, those in bodies too. */
export function requestsIn(nodes: Nodes): Record<string, unknown>[] {
  return Object.values(nodes).flatMap(({ operator, params, body }) => [
    ...(operator === 'http.request' ? [params ?? {}] : []),
    ...(body === undefined ? [] : requestsIn(body.nodes)),
  ]);
}

/** Posts items to a node, whose service is the stand-in. */
export async function run(node: Node, items: unknown, answer: (asked: Asked) => unknown): Promise<unknown> {
  const text = formatFlow(await imported(node)).replaceAll(/https:\/\/(?:api|www)\.[\w.]+/g, '');
  return post([text], items, answer);
}
