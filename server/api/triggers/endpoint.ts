import type { JsonSchema } from '#shared/json.ts';
import type { CallRate } from '#shared/rate.ts';
import { credentialHeader, type TriggerAuth } from '#shared/trigger-auth.ts';
import type { TriggerRoute } from '../../flows/service/trigger-table.ts';
import type { Notify } from '../../execution/after-runs/notify.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { type JsonLimits, jsonLimits } from '../../access/http/read-json.ts';
import { pathParams } from '../../base/requests/path.ts';
import { createRequestModel, type RequestModel } from '../../base/requests/request-model.ts';
import { checkedHeaders, checkedStatus } from '../../access/answers/response-headers.ts';
import type { UploadLimits } from './upload.ts';
import type { ResponseSettings, StreamFormatName } from '../../access/answers/response-settings.ts';

/** A trigger prepared for requests: its params, processed once. */
export interface Endpoint {
  readonly route: TriggerRoute;
  /** Undefined for an unknown setting: no one may call it. */
  readonly auth: TriggerAuth | undefined;
  /** The header of its own that carries the signature or the secret, in lower case: hidden from flows. */
  readonly credentialHeader: string | undefined;
  /** Undefined if the trigger declares no request schema. */
  readonly model: RequestModel | undefined;
  /** The field of a request that names a conversation; undefined if none is remembered. */
  readonly memory: string | undefined;
  readonly accept: readonly string[];
  /** Largest body in bytes; undefined if the trigger does not set it. */
  readonly bodyLimit: number | undefined;
  readonly jsonLimits: JsonLimits;
  /** The limits that the trigger sets. */
  readonly uploads: Partial<UploadLimits>;
  /** The caller gets 202 and the run's id instead of the result. */
  readonly immediately: boolean;
  /** Its runs outlive the request, and the process. */
  readonly durable: boolean;
  /** Whether a call waits for a place for its run. */
  readonly queues: boolean;
  /** How often it may be called; undefined if there is no limit. */
  readonly rate: CallRate | undefined;
  /** Whether its calls only start a run in memory and wait for its result. */
  readonly plain: boolean;
  /** Who is notified when such a run is over. */
  readonly notify: Notify | undefined;
  readonly response: ResponseSettings;
  /** If the request decides: the endpoint for a request that asks for a stream. `response` then applies to others. */
  readonly streamed: Endpoint | undefined;
  readonly onDisconnect: 'cancel' | 'continue' | undefined;
}

const prepared = new WeakMap<TriggerRoute, Endpoint>();

/** Throws `bad_response` if the trigger's own `response` has settings that cannot be sent. */
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
  const response = (params['response'] as Record<string, unknown> | undefined) ?? {};
  const memory = params['memory'] as string | undefined;
  const rate = params['rate'] as CallRate | undefined;
  const immediately = params['answer'] === 'immediately';
  const durable = isDurable(route.flow, route.node);
  const endpoint = {
    route,
    auth,
    credentialHeader: credentialHeader(auth),
    model: request && createRequestModel(request, pathParams(route.path), params['otherFields'] === 'drop'),
    memory,
    accept: (params['accept'] as readonly string[] | undefined) ?? ['json'],
    ...limitsOf(params['limits']),
    immediately,
    durable,
    rate,
    plain: [immediately, durable, memory !== undefined, rate !== undefined].every((special) => !special),
    queues: settings?.maxRuns !== undefined && settings.whenFull === 'queue',
    notify: params['notify'] as Notify | undefined,
    response: responseSettings(response),
    streamed: undefined,
    onDisconnect: settings?.onDisconnect,
  };
  if (response['as'] !== 'request') return endpoint;
  const streamAs = (response['stream'] as StreamFormatName | undefined) ?? 'sse';
  return { ...endpoint, streamed: { ...endpoint, response: { ...endpoint.response, streamAs } } };
}

interface GivenLimits extends Partial<JsonLimits> {
  readonly bytes?: number;
  readonly fileBytes?: number;
  readonly filesBytes?: number;
  readonly files?: number;
}

function limitsOf(given: unknown): Pick<Endpoint, 'bodyLimit' | 'jsonLimits' | 'uploads'> {
  const { bytes, fileBytes, filesBytes, files, ...json } = (given as GivenLimits | undefined) ?? {};
  const uploads = {
    ...(fileBytes !== undefined && { fileBytes }),
    ...(filesBytes !== undefined && { totalBytes: filesBytes }),
    ...(files !== undefined && { files }),
  };
  return { bodyLimit: bytes, jsonLimits: { ...jsonLimits, ...json }, uploads };
}

/** Whether a request, as the flow gets it, asks for a streamed answer. */
export function asksForStream(request: unknown): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { stream, streaming } = request as { readonly stream?: unknown; readonly streaming?: unknown };
  return stream === true || streaming === true;
}

/** Without a key the limit is a megabyte, which is also Fastify's default. */
const OPEN_BODY = 1024 * 1024;

/** The largest body that a trigger accepts, in bytes. `usual`: the limit elsewhere for a caller with a key. */
export function bodyLimitOf({ auth, bodyLimit }: Endpoint, usual: number | undefined = OPEN_BODY): number {
  return bodyLimit ?? (auth === 'api-key' ? usual : Math.min(usual, OPEN_BODY));
}

/** How many files a form may have by default. */
const FILES = 10;

/** The upload limits of a trigger. `most`: the largest other body that it accepts, in bytes. */
export function uploadLimits({ uploads }: Endpoint, most: number): UploadLimits {
  const { fileBytes = most, totalBytes = Math.max(fileBytes, most), files = FILES } = uploads;
  return { fileBytes, totalBytes, files, textBytes: most };
}

const KNOWN: ReadonlySet<unknown> = new Set<Exclude<TriggerAuth, string>['type']>([
  'hmac',
  'basic',
  'header',
  'jwt',
  'jwt-secret',
]);

/** The operator's schema has checked it; a value unknown to the schema comes from no flow of ours. */
function readAuth(auth: unknown): TriggerAuth | undefined {
  if (auth === 'none' || auth === 'api-key') return auth;
  if (typeof auth !== 'object' || auth === null) return undefined;
  const { type } = auth as { type?: unknown };
  return KNOWN.has(type) ? (auth as TriggerAuth) : undefined;
}

function responseSettings(response: Readonly<Record<string, unknown>>): ResponseSettings {
  const headers = checkedHeaders((response['headers'] as Record<string, unknown> | undefined) ?? {});
  const as = (response['as'] as ResponseSettings['as'] | 'request' | undefined) ?? 'json';
  return {
    as: as === 'request' ? 'json' : as,
    status: checkedStatus(response['status'] ?? 200),
    headers: headers.length > 0 ? headers : undefined,
  };
}
