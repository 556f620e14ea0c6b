import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';

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
