import type { FastifyInstance } from 'fastify';
import { headersToSend, type TriggerAuth } from '#shared/trigger-auth.ts';
import type { TriggerTable } from '../../../flows/service/trigger-table.ts';
import { pathBehind } from '../../../api/triggers/address.ts';
import { triggerPrefix } from '../../../api/triggers/front-door.ts';
import type { CallLine, DevEvent } from './dev-events.ts';
import type { DevFlows, Loading } from './dev-flows.ts';
import type { Exchange, RequestWatch } from './dev-requests.ts';
import { graphText } from '../show/graph-text.ts';
import type { Project } from '../local/project.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { routesOf, type TriggerInfo } from '../../../flows/service/trigger-routes.ts';
import { curlLine } from '../show/curl-line.ts';

export interface DevSessionDeps {
  readonly flows: DevFlows;
  readonly triggers: TriggerTable;
  readonly requests: RequestWatch;
  readonly app: FastifyInstance;
  /** Origin of the server, as callers write it. */
  readonly origin: string;
  /** Printed once, with the first flow that requires credentials. */
  readonly authNote: string;
  readonly report: (event: DevEvent) => void;
}

export interface DevSession {
  /** Reports the first loading of the files. */
  opened(loadings: readonly Loading[]): void;
  /** Reads the files again, reports what has changed, and repeats the last request if the change concerns it. */
  reload(project: Project): void;
}

export function createDevSession(deps: DevSessionDeps): DevSession {
  const { flows, triggers, requests, app, report } = deps;
  /** The last printed graph of each flow, so it is printed again only after a change. */
  const shown = new Map<string, string>();
  let saidAuthNote = false;

  function reportLoading(loading: Loading): void {
    if (loading.state === 'gone') {
      report({ event: 'gone', file: loading.file.shown, flow: loading.file.id });
      return;
    }
    const { file, problems } = loading.loaded;
    if (problems.length > 0) report({ event: 'problems', file: file.shown, problems });
    if (loading.state === 'live') reportFlow(loading);
    else report({ event: 'broken', file: file.shown, flow: file.id, serving: loading.serving });
  }

  function reportFlow({ loaded, live, catalog }: Extract<Loading, { state: 'live' }>): void {
    const calls = flowCalls(live, loaded.examined.triggers, deps.origin);
    const graph = graphText(live.flow, catalog);
    // Another setting of a node is no other graph.
    const picture = JSON.stringify([graphText(live.flow, { operators: {} }), calls]);
    if (shown.get(live.id) !== picture) {
      report({ event: 'flow', flow: live.id, file: loaded.file.shown, graph, triggers: calls });
    }
    shown.set(live.id, picture);
    if (saidAuthNote || calls.every(({ auth }) => auth === 'none')) return;
    saidAuthNote = true;
    report({ event: 'note', text: deps.authNote });
  }

  return {
    opened(loadings) {
      for (const loading of loadings) reportLoading(loading);
    },
    reload(project) {
      const loadings = flows.load(project);
      for (const loading of loadings) {
        reportLoading(loading);
        if (loading.state !== 'live') continue;
        report({ event: 'reloaded', file: loading.loaded.file.shown, flow: loading.live.id });
      }
      const { last } = requests;
      const live = new Set(loadings.flatMap((one) => (one.state === 'live' ? [one.live.id] : [])));
      if (!last || !concerns(last, live, triggers)) return;
      requests.replay(app).catch((error: unknown) => {
        report({ event: 'note', text: `The last request could not be repeated: ${String(error)}` });
      });
    },
  };
}

/** Whether the request ran one of the flows, or would run it now: a refused request ran none. */
function concerns(
  { method, url, flow }: Exchange,
  ids: ReadonlySet<string>,
  triggers: TriggerTable,
): boolean {
  if (flow !== undefined && ids.has(flow)) return true;
  try {
    const found = triggers.find(method, pathBehind(url, triggerPrefix));
    return found !== undefined && ids.has(found.route.flow.id);
  } catch {
    // The encoding of its path is invalid, so it matches no trigger.
    return false;
  }
}

/** A line for each way to call the flow over HTTP. `origin` is the server's address. */
function flowCalls(live: LiveFlow, triggers: readonly TriggerInfo[], origin: string): CallLine[] {
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
