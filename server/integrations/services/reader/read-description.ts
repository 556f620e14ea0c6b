import type { ServiceFile } from '#shared/service-file.ts';
import { readService } from '../read-service.ts';
import type { Described, MadeCall } from './described.ts';
import { type Document, invalid, readDocument, slugOf } from './document.ts';

/** Reads the description of an API: OpenAPI 3.0 or 3.1 in JSON or YAML, or Google Discovery. Throws `service_invalid`. */
export async function readDescription(text: string, address?: string): Promise<Described> {
  const root = await readDocument(text);
  const described = await readForm(root, address);
  if (described.offered.length === 0) throw invalid('The description has no calls.');
  return described;
}

async function readForm(root: Document, address: string | undefined): Promise<Described> {
  const { openapi, swagger, kind } = root;
  if (typeof openapi === 'string' && /^3\.[01]/.test(openapi))
    return (await import('./openapi.ts')).readOpenApi(root, address);
  if (typeof kind === 'string' && kind.startsWith('discovery#restDescription'))
    return (await import('./discovery.ts')).readDiscovery(root);
  if (typeof swagger === 'string' || typeof openapi === 'string')
    throw invalid(`OpenAPI ${String(openapi ?? swagger).slice(0, 20)} is not read; 3.0 and 3.1 are.`);
  throw invalid('The file is neither OpenAPI 3.0 or 3.1, nor Google Discovery, nor a service.');
}

export interface Picked {
  /** Ids of calls. */
  readonly calls: readonly string[];
  readonly id?: string | undefined;
  readonly base?: string | undefined;
  readonly address: string;
  readonly today: string;
}

/** The most calls of a service that is made from a description. */
export const MAX_CALLS = 100;
const COLORS = ['#2563eb', '#0f766e', '#9333ea', '#c2410c', '#be185d', '#4d7c0f', '#0369a1', '#b45309'];

/** The service with these calls. Throws `service_invalid`, which names what is missing. */
export function serviceOf(described: Described, picked: Picked): Promise<ServiceFile> {
  const { form, title, doc, version, page, variables, offered } = described;
  const known = new Set(offered.map(({ id }) => id));
  const unknown = picked.calls.find((id) => !known.has(id));
  if (unknown !== undefined) throw invalid(`The description has no call ${unknown.slice(0, 100)}.`);
  if (picked.calls.length === 0 || picked.calls.length > MAX_CALLS)
    throw invalid(`Choose 1 to ${MAX_CALLS} calls; each becomes an operator.`);
  const base = (picked.base ?? described.base).replace(/\/+$/, '');
  if (!/^https:\/\/[^/]/.test(base))
    throw invalid(
      `The description gives ${base === '' ? 'no address' : `the address ${base.slice(0, 200)}`}; name one with https as the base.`,
    );
  const id = picked.id ?? slugOf(title);
  const { calls, connect, definitions, errors } = described.make(new Set(picked.calls));
  return readService({
    format: 'weft-service/1',
    id,
    title,
    doc,
    icon: 'plug',
    color: COLORS[Array.from(id).reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % COLORS.length],
    version: 1,
    source: { address: picked.address.slice(0, 1000), form, version, date: picked.today },
    ...(page !== undefined && { page }),
    base,
    variables: picked.base === undefined ? variables : {},
    connect,
    errors,
    definitions,
    calls: calls.map(({ tags: _tags, isOld: _isOld, failure: _failure, ...call }) => plainCall(call)),
  });
}

/** Only what files have. */
function plainCall({
  id,
  title,
  doc,
  method,
  path,
  parameters,
  body,
  answer,
  pages,
  query,
  idempotency,
}: Omit<MadeCall, 'tags' | 'isOld' | 'failure'>): object {
  const parts = { body, answer, pages, query, idempotency };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return { id, title, doc, method, path, parameters, ...Object.fromEntries(given) };
}
