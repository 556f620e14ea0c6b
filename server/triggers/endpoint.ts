import type { JsonSchema } from '#shared/json.ts';
import type { TriggerRoute } from '../context.ts';
import { pathParams } from './path.ts';
import { createRequestModel, type RequestModel } from './request-model.ts';
import { checkedHeaders, checkedStatus, type Headers } from './response-headers.ts';

/** A trigger made ready for requests: what its params say, prepared once. */
export interface Endpoint {
  readonly route: TriggerRoute;
  /** `none`, `api-key`, or one that is not built yet. */
  readonly auth: string;
  /** Absent when the trigger declares no request schema. */
  readonly model: RequestModel | undefined;
  readonly accept: readonly string[];
  /** The caller gets 202 and the run's id instead of the result. */
  readonly immediately: boolean;
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
  return {
    route,
    auth: typeof params['auth'] === 'string' ? params['auth'] : 'api-key',
    model: request && createRequestModel(request, pathParams(route.path)),
    accept: (params['accept'] as readonly string[] | undefined) ?? ['json'],
    immediately: params['answer'] === 'immediately',
    response: responseSettings(params['response'] as Record<string, unknown> | undefined),
    onDisconnect: route.flow.flow.settings?.onDisconnect,
  };
}

function responseSettings(response: Readonly<Record<string, unknown>> = {}): ResponseSettings {
  const headers = checkedHeaders((response['headers'] as Record<string, unknown> | undefined) ?? {});
  return {
    as: (response['as'] as ResponseSettings['as'] | undefined) ?? 'json',
    status: checkedStatus(response['status'] ?? 200),
    headers: headers.length > 0 ? headers : undefined,
  };
}
