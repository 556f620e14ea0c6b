import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  headersToSend,
  type SignatureAlgorithm,
  type SignatureAuth,
  type SignatureForm,
  signatureForm,
} from '#shared/trigger-auth.ts';
import { ServiceError } from '../../../base/errors/errors.ts';

/** The claim in a request's headers: one of these is the HMAC of `before` and the body. */
export interface SignatureClaim {
  readonly algorithm: SignatureAlgorithm;
  readonly macs: readonly Buffer[];
  /** The part that is signed before the body. */
  readonly before: string;
  /** When its time becomes too old, in Unix milliseconds; absent if no time is signed. */
  readonly endsAt: number | undefined;
}

const bytesOf: Readonly<Record<SignatureAlgorithm, number>> = { sha1: 20, sha256: 32, sha512: 64 };
/** A sender with two secrets sends two signatures; an endless list is an attack. */
const maxMacs = 5;

/**
 * Reads the claim before the body arrives. Throws `unauthorized` if the signature is missing, `signature_invalid` if
 * it is malformed or its time is off. `now` in Unix milliseconds.
 */
export function readClaim(auth: SignatureAuth, headers: IncomingHttpHeaders, now: number): SignatureClaim {
  const form = signatureForm(auth);
  const value = textHeader(headers, form.header);
  if (value === undefined || value === '') throw missing(auth, form.header);
  const { time, signatures } =
    auth.preset === 'stripe' ? stripeParts(value) : plainParts(auth, form, value, headers);
  const macs = signatures.slice(0, maxMacs).flatMap((text) => decoded(form, text) ?? []);
  if (macs.length === 0) throw invalid(auth, `\`${form.header}\` contains no signature in the right format`);
  if (time !== undefined) checkTime(auth, form, time, now);
  return {
    algorithm: form.algorithm,
    macs,
    before: signedBefore(auth, time),
    endsAt: time === undefined ? undefined : (Number(time) + form.tolerance) * 1000,
  };
}

/** The HMAC of the body if the claim is true; throws `signature_invalid` otherwise. Needs the same time for any claim. */
export function provenMac(
  auth: SignatureAuth,
  claim: SignatureClaim,
  secret: string,
  body: Uint8Array,
): Buffer {
  const mac = createHmac(claim.algorithm, secret).update(claim.before).update(body).digest();
  let fits = false;
  for (const claimed of claim.macs) fits = timingSafeEqual(claimed, mac) || fits;
  if (fits) return mac;
  throw invalid(auth, 'The signature is not the one of this body with the secret that is set here');
}

interface Deps {
  readonly time: string | undefined;
  readonly signatures: readonly string[];
}

function plainParts(
  auth: SignatureAuth,
  form: SignatureForm,
  value: string,
  headers: IncomingHttpHeaders,
): Deps {
  const signatures = value.startsWith(form.prefix) ? [value.slice(form.prefix.length)] : [];
  if (form.timestampHeader === undefined) return { time: undefined, signatures };
  const time = textHeader(headers, form.timestampHeader);
  if (time === undefined || time === '') throw missing(auth, form.timestampHeader);
  return { time, signatures };
}

/** `t=1492774577,v1=5257a8…,v0=…`; other schemes than `v1` are not for production. */
function stripeParts(value: string): Deps {
  const pairs = value.split(',').map((pair) => pair.split('=', 2));
  const valuesOf = (key: string) =>
    pairs.flatMap(([name, text = '']) => (name?.trim() === key ? [text] : []));
  // A header without its time must not count as one that needs none.
  return { time: valuesOf('t')[0] ?? '', signatures: valuesOf('v1') };
}

function signedBefore({ preset }: SignatureAuth, time: string | undefined): string {
  if (time === undefined) return '';
  return preset === 'slack' ? `v0:${time}:` : `${time}.`;
}

function decoded({ algorithm, encoding }: SignatureForm, text: string): Buffer | undefined {
  const spelling = encoding === 'hex' ? /^[0-9a-f]+$/i : /^[\w+/-]+={0,2}$/;
  if (!spelling.test(text)) return undefined;
  const mac = Buffer.from(text, encoding);
  const fits = encoding === 'base64' || text.length === 2 * mac.length;
  return fits && mac.length === bytesOf[algorithm] ? mac : undefined;
}

function checkTime(auth: SignatureAuth, { tolerance }: SignatureForm, time: string, now: number): void {
  if (!/^\d{1,12}$/.test(time)) throw invalid(auth, 'The time of sending is not in Unix seconds');
  const off = Math.abs(now / 1000 - Number(time));
  if (off <= tolerance) return;
  const seconds = Math.round(off);
  throw invalid(auth, `The time of sending is ${seconds} s off, where ${tolerance} s are allowed`);
}

/** Node joins a repeated header; the result is not a signature. */
function textHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value.trim() : undefined;
}

function missing(auth: SignatureAuth, header: string): ServiceError {
  const message = `This trigger takes signed requests, and \`${header}\` is missing: ${whatToSend(auth)}`;
  return new ServiceError('unauthorized', message, { headers: challenge });
}

/** `what`: the fault, without a final stop. */
export function invalid(auth: SignatureAuth, what: string): ServiceError {
  return new ServiceError('signature_invalid', `${what}: ${whatToSend(auth)}`, { headers: challenge });
}

/** HTTP requires a challenge with every 401; there is no registered name for this one. */
const challenge = { 'www-authenticate': 'Signature realm="weft"' };

function whatToSend(auth: SignatureAuth): string {
  const headers = headersToSend(auth).map((line) => `\`${line}\``);
  return `send ${headers.join(' and ')}, over the raw body.`;
}
