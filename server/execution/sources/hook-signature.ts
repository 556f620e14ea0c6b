import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceVerify } from '#shared/service-trigger.ts';
import { equalSecrets } from '../../access/security/secrets.ts';
import { ServiceError } from '../../base/errors/errors.ts';

/** A delivery of a service, before anything of it is read. */
export interface Delivered {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** What a delivery is held against. */
interface Against {
  readonly secret: string;
  readonly address: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** More signatures than a service sends while its secret is being replaced are an attack. */
const MAX_SIGNATURES = 5;

/** Throws `signature_invalid` unless the service of this secret has sent it, and lately where it says when. */
export function assertSent(
  verify: ServiceVerify,
  { headers, body }: Pick<Delivered, 'headers' | 'body'>,
  { secret, address, now }: Against,
): void {
  // Whoever knows the address counts as the service.
  if (verify.by === 'address') return;
  const given = headerOf(headers, verify.header);
  if (given === undefined) throw refused(`\`${verify.header}\` is missing`);
  if (verify.by === 'header') {
    if (!equalSecrets(given, secret)) throw refused(`\`${verify.header}\` is not the secret`);
    return;
  }
  const { algorithm, encoding, prefix, part, signed, timestamp } = verify;
  const time = timestamp === undefined ? '' : timeIn(headers, timestamp, now);
  const mac = createHmac(algorithm, secret);
  for (const piece of signed.split(/(\{body\})/)) {
    if (piece === '{body}') mac.update(body);
    else mac.update(piece.replaceAll('{timestamp}', () => time).replaceAll('{address}', () => address));
  }
  const wanted = mac.digest();
  const found = partsOf(given, part).slice(0, MAX_SIGNATURES);
  let fits = false;
  for (const text of found) fits = isThat(text, { prefix, encoding }, wanted) || fits;
  if (!fits) throw refused('The signature is not that of this body');
}

function isThat(
  text: string,
  { prefix, encoding }: { readonly prefix: string; readonly encoding: 'hex' | 'base64' },
  wanted: Buffer,
): boolean {
  if (!text.startsWith(prefix)) return false;
  const given = Buffer.from(text.slice(prefix.length), encoding);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

type Timestamp = NonNullable<Extract<ServiceVerify, { by: 'hmac' }>['timestamp']>;

function timeIn(headers: IncomingHttpHeaders, { header, part, seconds }: Timestamp, now: number): string {
  const [time = ''] = partsOf(headerOf(headers, header) ?? '', part);
  if (!/^\d{1,12}$/.test(time)) throw refused('The time of sending is missing');
  if (Math.abs(now / 1000 - Number(time)) > seconds) throw refused('It was sent too long ago');
  return time;
}

/** The whole header, or the parts of this name in a list such as `t=1,v1=abc`. */
function partsOf(value: string, part: string | undefined): string[] {
  if (part === undefined) return [value];
  return value
    .split(',')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${part}=`) ? [pair.slice(part.length + 1)] : []));
}

/** Undefined if it was sent twice: one of them is somebody else's. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value.trim() : undefined;
}

function refused(why: string): ServiceError {
  return new ServiceError('signature_invalid', `${why}.`, {
    headers: { 'www-authenticate': 'Signature realm="weft"' },
  });
}
