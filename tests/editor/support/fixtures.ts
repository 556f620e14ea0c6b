import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { onTestFinished } from 'vitest';
import { httpTrigger } from '../../support/flows.ts';
import { type FlowPage, flowPage } from './flow-page.ts';
import type { FlowLike, Stage } from './stage.ts';

/** An id that no other test has: processes of one run may have the same number one after the other. */
export function freshId(): string {
  return `flow_${randomUUID().slice(0, 8)}`;
}

/**
 * start -> first -> second in a row, and below the middle one `lone`, which is connected to start too and has more
 * inputs.
 */
export function rowFlow(id: string) {
  return {
    flow: {
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`, {
          request: { type: 'object', properties: { name: { type: 'string', default: 'you' } } },
        }),
        first: { operator: 'text.template', params: { template: 'Hello {{ input.name }}' } },
        second: { operator: 'text.template', params: { template: '{{ nodes.first }}!' } },
        lone: { operator: 'core.merge' },
      },
      edges: [
        { from: 'start.out', to: 'first.in' },
        { from: 'first.out', to: 'second.in' },
        { from: 'start.out', to: 'lone.in' },
      ],
    },
    layout: {
      format: 1,
      nodes: {
        start: { x: 0, y: 0 },
        first: { x: 340, y: 0 },
        second: { x: 680, y: 0 },
        lone: { x: 340, y: 200 },
      },
    },
  };
}

/** `rowFlow` without `lone`: one end, so that it has an answer. */
export function lineFlow(id: string) {
  const { flow, layout } = rowFlow(id);
  const { lone: _node, ...nodes } = flow.nodes;
  const { lone: _place, ...places } = layout.nodes;
  return { flow: { ...flow, nodes, edges: flow.edges.slice(0, 2) }, layout: { ...layout, nodes: places } };
}

/** Opens a new flow from `rowFlow`, or from `make`. */
export async function openRow(
  stage: Stage,
  id = freshId(),
  make: (id: string) => { flow: FlowLike; layout: object } = rowFlow,
): Promise<FlowPage> {
  const { flow, layout } = make(id);
  await stage.putFlow(flow, layout);
  return openFlow(stage, id);
}

export async function openFlow(stage: Stage, id: string): Promise<FlowPage> {
  const page = flowPage(await stage.visit(`/flows/${id}`));
  await page.ready();
  return page;
}

/** Another tab of the same browser. */
export async function openTab(page: Page, path: string): Promise<FlowPage> {
  const tab = await page.context().newPage();
  onTestFinished(() => tab.close());
  await tab.goto(path);
  const flow = flowPage(tab);
  await flow.ready();
  return flow;
}
