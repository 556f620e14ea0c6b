import { type Asker, WeftError } from '#engine';
import type { ErrorCode } from '#shared/errors.ts';
import type { ServiceAdding, ServiceInfo, ServiceOffer } from '#shared/service-api.ts';
import type { ServiceFile } from '#shared/service-file.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { readService } from './read-service.ts';
import { invalid, MAX_DESCRIPTION, readDocument, slugOf } from './reader/document.ts';
import { readDescription, serviceOf } from './reader/read-description.ts';
import type { KnownService } from './services.ts';

/** From a description, at an address or as a text, to a service. */

type Given = Pick<ServiceAdding, 'address' | 'text'>;

/** The caller where no flow is involved. */
const SERVER: Asker = { flow: '', version: '', run: '', node: '', operator: '' };
const TIMEOUT_MS = 30_000;

/** The calls to choose from. Throws `service_invalid`, and the errors of requests. */
export async function offerOf(http: ProviderHttp, given: Given): Promise<ServiceOffer> {
  const text = await textIn(http, given);
  const own = await ownService(text);
  if (own !== undefined) {
    const { id, title, doc, base, version, calls } = own;
    const shown = calls.filter(({ hidden }) => !hidden);
    return {
      ...{ id, title, doc, base, form: 'service', version: `${version}` },
      calls: shown.map((call) => ({ ...pick(call), tags: [], isOld: false })),
    };
  }
  const { title, doc, form, version, base, offered } = await readDescription(text, given.address);
  const calls = offered.map((call) => ({ ...pick(call), tags: [...call.tags], isOld: call.isOld }));
  return { title, doc, form, version, id: slugOf(title), base, calls };
}

function pick({
  id,
  title,
  doc,
  method,
  path,
}: Readonly<Record<'id' | 'title' | 'doc' | 'method' | 'path', string>>) {
  return { id, title, doc, method, path };
}

/** The service that is wished for. Throws `service_invalid`, and the errors of requests. */
export async function serviceFor(
  http: ProviderHttp,
  wish: ServiceAdding,
  today: string,
): Promise<ServiceFile> {
  const { address = 'a file', calls, id, base } = wish;
  const text = await textIn(http, wish);
  const own = await ownService(text);
  if (own !== undefined) return id === undefined ? own : readService({ ...own, id });
  return serviceOf(await readDescription(text, wish.address), { calls, id, base, address, today });
}

/** The text, if it is a file of a service already. */
async function ownService(text: string): Promise<ServiceFile | undefined> {
  if (!/^\s*\{[^{}]{0,200}"format"\s*:\s*"weft-service\//.test(text.slice(0, 2000))) return undefined;
  return readService(await readDocument(text));
}

async function textIn(http: ProviderHttp, { address, text }: Given): Promise<string> {
  if ((address === undefined) === (text === undefined)) throw invalid('Give either an address or a text.');
  return text ?? (await fetched(http, address ?? ''));
}

async function fetched(http: ProviderHttp, address: string): Promise<string> {
  const request = {
    method: 'GET',
    url: address,
    headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5' },
    body: undefined,
    redirects: 5,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_DESCRIPTION,
  };
  const chunks: Uint8Array[] = [];
  const status = await (async () => {
    const answer = await http.send(request, SERVER, new AbortController().signal);
    for await (const chunk of answer.body) chunks.push(chunk);
    return answer.status;
  })().catch((error: unknown) => {
    throw error instanceof WeftError ? new ServiceError(error.code as ErrorCode, error.message) : error;
  });
  if (status < 200 || status >= 300) throw invalid(`The address answers with status ${status}.`);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** A service as the API shows it. */
export function infoOf({ file, isShipped }: KnownService): ServiceInfo {
  const { id, title, doc, icon, color, version, source, page, base, variables, connect, rate } = file;
  const shown = (one: ServiceFile['calls'][number] | ServiceFile['triggers'][number]) => ({
    type: `${id}.${one.id}`,
    title: one.title,
    doc: one.doc,
    ...(one.synonyms !== undefined && { synonyms: one.synonyms }),
  });
  return {
    ...{ id, title, doc, icon, color, version, source, base, variables, connect, isShipped },
    ...(page !== undefined && { page }),
    ...(rate !== undefined && { rate }),
    calls: file.calls.filter(({ hidden }) => !hidden).map(shown),
    triggers: file.triggers.map(shown),
  };
}
