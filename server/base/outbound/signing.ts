import { createHash, type Hash } from 'node:crypto';
import type { HttpRequest, Signing } from '#engine';
import { createDigests, type Digests } from './digest.ts';
import type { Hop } from './hop.ts';

/** A hop whose credentials are computed from what is sent. */
type SignedHop = Hop & { readonly signing: Signing };

/** What an exchange gave, as far as it matters here. */
interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { destroy(): unknown };
}

interface Exchanging<A extends Answered> {
  send(hop: Hop): Promise<A>;
  /** The bytes of a body, each time anew. */
  bytes(body: HttpRequest['body']): AsyncIterable<Uint8Array>;
}

/** Sends hops with credentials that are computed for each of them. */
export interface Signers {
  send<A extends Answered>(hop: SignedHop, exchanging: Exchanging<A>): Promise<A>;
}

/**
 * OSI1. A secret is never sent: only what is computed from it, for this method, address and body.
 * OSI2. A redirect within the origin is signed anew; one that leaves it is not signed.
 */
export function createSigners(): Signers {
  const digests = createDigests();
  return {
    send: async (hop, exchanging) =>
      hop.signing.scheme === 'aws'
        ? exchanging.send(await signedForAws(hop, hop.signing, exchanging))
        : sendWithDigest(digests, hop, exchanging),
  };
}

/** Signing keys of AWS, by day, region and service. */
const keys = new Map<string, ArrayBuffer>();
const MOST_KEYS = 100;

async function signedForAws<A extends Answered>(
  hop: Hop,
  { accessKey, secretKey, sessionToken, region, service }: Extract<Signing, { scheme: 'aws' }>,
  { bytes }: Exchanging<A>,
): Promise<Hop> {
  const { AwsV4Signer } = await import('aws4fetch');
  if (keys.size > MOST_KEYS) keys.clear();
  const own = Object.entries(hop.headers).filter(([name]) => name.startsWith('x-amz-'));
  const { headers } = await new AwsV4Signer({
    method: hop.method,
    url: hop.target.url.href,
    headers: {
      ...Object.fromEntries(own),
      'x-amz-content-sha256': await hashed(createHash('sha256'), bytes(hop.body)),
    },
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    cache: keys,
    ...(sessionToken !== '' && { sessionToken }),
    ...(region !== '' && { region }),
    ...(service !== '' && { service }),
  }).sign();
  return { ...hop, headers: { ...hop.headers, ...Object.fromEntries(headers) } };
}

/** The server says how to sign in its answer to the first request; later ones go on with that. */
async function sendWithDigest<A extends Answered>(
  digests: Digests,
  hop: SignedHop,
  { send, bytes }: Exchanging<A>,
): Promise<A> {
  if (hop.signing.scheme !== 'digest') throw new Error('This is no digest.');
  const { user, password } = hop.signing;
  const asked = {
    origin: hop.target.origin,
    user,
    password,
    method: hop.method,
    uri: `${hop.target.url.pathname}${hop.target.url.search}`,
    bodyHash: (algorithm: string) => hashed(createHash(algorithm), bytes(hop.body)),
  };
  const authorized = (authorization: string): Hop => ({ ...hop, headers: { ...hop.headers, authorization } });
  const known = await digests.next(asked);
  const first = await send(known === undefined ? hop : authorized(known));
  if (first.status !== 401) return first;
  const answer = await digests.answer(asked, first.headers['www-authenticate'] ?? '');
  if (answer === undefined) return first;
  first.body.destroy();
  return send(authorized(answer));
}

async function hashed(hash: Hash, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}
