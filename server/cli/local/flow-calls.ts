import type { LiveFlow } from '../../flows/flow-types.ts';
import { headersToSend, type TriggerAuth } from '#shared/trigger-auth.ts';
import { routesOf, type TriggerInfo } from '../../flows/trigger-routes.ts';
import { triggerPrefix } from '../../triggers/front-door.ts';
import { curlLine } from '../show/curl-line.ts';
import type { CallLine } from '../dev/dev-events.ts';

/** A line for each way to call the flow over HTTP. `origin` is the server's address. */
export function flowCalls(live: LiveFlow, triggers: readonly TriggerInfo[], origin: string): CallLine[] {
  const base = `${origin}${triggerPrefix}`;
  return routesOf(triggers).flatMap(({ node, path, methods }) => {
    const params = live.flow.nodes[node]?.params ?? {};
    const auth = triggers.find((trigger) => trigger.node === node)?.auth ?? 'api-key';
    return methods.map((method) => ({
      node,
      method,
      url: `${base}${path}`,
      curl: curlLine(base, { method, path, params }),
      auth,
      needs: headersToSend((params['auth'] ?? 'api-key') as TriggerAuth),
    }));
  });
}
