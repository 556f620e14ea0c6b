import type { JsonSchema } from '#shared/json.ts';
import { signatureForm, type TriggerAuth } from '#shared/trigger-auth.ts';
import type { TriggerRoute } from '../context.ts';
import type { Notify } from '../calls/notify.ts';
import { isDurable } from '../durable/is-durable.ts';
import { pathParams } from './path.ts';
import { createRequestModel, type RequestModel } from './request-model.ts';
import { checkedHeaders, checkedStatus, type Headers } from './response-headers.ts';

/** A trigger made ready for requests: what its params say, prepared once. */
export interface Endpoint {
  readonly route: TriggerRoute;
  /** Undefined for a setting that is not understood: nobody may call it. */
  readonly auth: TriggerAuth | undefined;
  /** The header that carries the signature, in lower case: not for flows. */
  readonly signatureHeader: string | undefined;
  /** Absent when the trigger declares no request schema. */
  readonly model: RequestModel | undefined;
  readonly accept: readonly string[];
  /** The caller gets 202 and the run's id instead of the result. */
  readonly immediately: boolean;
  /** Its runs outlive the request, and the process. */
  readonly durable: boolean;
  /** A call that finds no place for its run waits for one. */
  readonly queues: boolean;
  /** Who is told when such a run is over. */
  readonly notify: Notify | undefined;
  readonly response: ResponseSettings;
  readonly onDisconnect: 'cancel' | 'continue' | undefined;
}

/** A way to send a result item by item; a value that is no stream is one item. */
export type StreamFormatName = 'text' | 'sse' | 'ndjson' | 'bytes';

export interface ResponseSettings {
  readonly as: 'json' | StreamFormatName;
  readonly status: number;
  /** Undefined when there are none. */
  readonly headers: Headers | undefined;
}

const prepared = new WeakMap<TriggerRoute, Endpoint>();

/** Throws `bad_response` when the trigger's own `response` holds what cannot be sent. */
export function endpointOf(route: TriggerRoute): Endpoint {
  const known = prepared.get(route);
  if (known) return known;
  const endpoint = prepare(route);
  prepared.set(route, endpoint);
  return endpoint;
}

function prepare(route: TriggerRoute): Endpoint {
  const params = route.flow.compiled.plans.get(route.node)?.params ?? {};
  const request = params['request'] as JsonSchema | undefined;
  const { settings } = route.flow.flow;
  const auth = readAuth(params['auth'] ?? 'api-key');
  return {
    route,
    auth,
    signatureHeader:
      typeof auth === 'object' && auth.type === 'hmac' ? signatureForm(auth).header.toLowerCase() : undefined,
    model: request && createRequestModel(request, pathParams(route.path)),
    accept: (params['accept'] as readonly string[] | undefined) ?? ['json'],
    immediately: params['answer'] === 'immediately',
    durable: isDurable(route.flow, route.node),
    queues: settings?.maxRuns !== undefined && settings.whenFull === 'queue',
    notify: params['notify'] as Notify | undefined,
    response: responseSettings(params['response'] as Record<string, unknown> | undefined),
    onDisconnect: settings?.onDisconnect,
  };
}

/** The operator's schema has read it; what that one does not know comes from no flow of ours. */
function readAuth(auth: unknown): TriggerAuth | undefined {
  if (auth === 'none' || auth === 'api-key') return auth;
  if (typeof auth !== 'object' || auth === null) return undefined;
  const { type } = auth as { type?: unknown };
  return type === 'hmac' || type === 'basic' ? (auth as TriggerAuth) : undefined;
}

function responseSettings(response: Readonly<Record<string, unknown>> = {}): ResponseSettings {
  const headers = checkedHeaders((response['headers'] as Record<string, unknown> | undefined) ?? {});
  return {
    as: (response['as'] as ResponseSettings['as'] | undefined) ?? 'json',
    status: checkedStatus(response['status'] ?? 200),
    headers: headers.length > 0 ? headers : undefined,
  };
}
