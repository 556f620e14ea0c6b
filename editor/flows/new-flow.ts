import type { Layout } from '#shared/layout.ts';
import type { FlowSummary } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';

/** Paths of the flows that there are, and a new flow that needs no example. */

/** The paths of all triggers of these flows; the copy of a flow gets others. */
export function pathsOf(flows: readonly FlowSummary[]): Set<string> {
  return new Set(flows.flatMap((flow) => flow.triggers.flatMap(({ path }) => path ?? [])));
}

/** A flow to start with that needs no example on the server: it greets its callers. */
export function helloFlow(id: string, name: string): { flow: Flow; layout: Layout } {
  return {
    flow: {
      format: 1,
      id,
      ...(name !== '' && { name }),
      nodes: {
        request: {
          operator: 'trigger.http',
          params: {
            path: `/${id}`,
            methods: ['GET'],
            auth: 'none',
            request: { type: 'object', properties: { name: { type: 'string', default: 'world' } } },
          },
        },
        greeting: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}!' } },
      },
      edges: [{ from: 'request.out', to: 'greeting.in' }],
    },
    layout: { format: 1, nodes: { request: { x: 0, y: 0 }, greeting: { x: 320, y: 0 } } },
  };
}

/** Triggers that a flow may begin with, and the settings with which each is valid; `id` stands for that of the flow. */
const BEGINNINGS = {
  'trigger.http': (id: string) => ({ path: `/${id}`, methods: ['GET'] }),
  'trigger.form': (id: string) => ({
    path: `/${id}`,
    title: 'My form',
    fields: [{ name: 'name', label: 'Your name' }],
  }),
  'trigger.schedule': () => ({ cron: '0 9 * * *' }),
  'trigger.chat': () => ({ title: 'My chat' }),
};
/** A trigger that a first flow may begin with. */
export type Beginning = keyof typeof BEGINNINGS;

/** A new flow that is valid as it is. */
export interface FirstFlow {
  readonly flow: Flow;
  readonly layout: Layout;
  /** The node that starts it, which is to be set first. */
  readonly node: string;
}

/** The first flow of somebody who has chosen what starts it. A request gets an answer, so that the first run shows one. */
export function flowWith(trigger: Beginning): FirstFlow {
  const id = 'my_flow';
  const node = trigger.slice(trigger.indexOf('.') + 1);
  const answers = trigger === 'trigger.http';
  return {
    flow: {
      format: 1,
      id,
      name: 'My flow',
      nodes: {
        [node]: { operator: trigger, params: BEGINNINGS[trigger](id) },
        ...(answers && { respond: { operator: 'core.respond' } }),
      },
      edges: answers ? [{ from: `${node}.out`, to: 'respond.in' }] : [],
    },
    layout: {
      format: 1,
      nodes: { [node]: { x: 0, y: 0 }, ...(answers && { respond: { x: 320, y: 0 } }) },
    },
    node,
  };
}
