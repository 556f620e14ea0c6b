import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Caller } from '../security/access.ts';
import type { AccessRequest } from '../security/request.ts';
import { equalSecrets } from '../security/secrets.ts';
import type { Scope } from '../security/scopes.ts';

/** The header by which a server sends a request on behalf of a caller that it has admitted. */
export const PEER_HEADER = 'x-weft-peer';

/** How far the clocks of two servers may be apart, and how long a proof is valid, in milliseconds. */
const TOLERANCE_MS = 30_000;

interface Claim {
  /** Unix milliseconds. */
  readonly at: number;
  readonly nonce: string;
  /** The tag of the receiving server. */
  readonly to: string;
  readonly caller: Pick<Caller, 'kind' | 'name' | 'owner'> & { readonly scopes: readonly Scope[] };
}

interface Deps {
  /** The secrets keys, which all servers of a database have: the current one first. */
  readonly secretsKeys: () => readonly Uint8Array[];
  /** The tag of this server. */
  readonly tag: string;
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
}

/**
 * Proves to a server that a request comes from another server of the same database, and on whose behalf.
 * PP1. A proof is valid for one method and address, one server and one request, and for half a minute; it covers no body, so a request
 *      with a body has none.
 * PP2. The caller keeps its name, its scopes and what belongs to it, and gets no further rights.
 */
export class PeerProof {
  private readonly deps: Deps;
  /** Until when each nonce could come again. */
  private readonly seen = new Map<string, number>();
  /** A request is read several times while it is answered, a websocket while it is open; its headers are one object. */
  private readonly admitted = new WeakMap<IncomingHttpHeaders, Caller>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The value of the header, for a request to the server with the tag `to`. `url`: path and query. */
  write(method: string, url: string, to: string, { kind, name, owner, scopes }: Caller): string {
    const claim: Claim = {
      at: this.deps.now(),
      nonce: randomBytes(12).toString('base64url'),
      to,
      caller: { kind, name, owner, scopes: [...scopes] },
    };
    const text = Buffer.from(JSON.stringify(claim)).toString('base64url');
    return `${text}.${this.macs(text, method, url)[0]}`;
  }

  /** The caller on whose behalf another server asks; undefined if none does. Throws `peer_refused`. */
  read(request: AccessRequest): Caller | undefined {
    const { headers } = request;
    if (headers[PEER_HEADER] === undefined) return undefined;
    const known = this.admitted.get(headers);
    if (known !== undefined) return known;
    const caller = this.prove(request);
    this.admitted.set(headers, caller);
    return caller;
  }

  private prove({ method = 'GET', url = '', headers }: AccessRequest): Caller {
    const [text = '', mac = ''] = String(headers[PEER_HEADER]).split('.', 2);
    const isProven = this.macs(text, method, url).some((own) => equalSecrets(mac, own));
    if (!isProven) throw new ServiceError('peer_refused');
    const { at, nonce, to, caller } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Claim;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (to !== this.deps.tag || hasBody || !this.isFresh(at, nonce)) throw new ServiceError('peer_refused');
    return { ...caller, scopes: new Set(caller.scopes), csrf: undefined };
  }

  private isFresh(at: number, nonce: string): boolean {
    const now = this.deps.now();
    if (this.seen.has(nonce) || Math.abs(now - at) > TOLERANCE_MS) return false;
    for (const [old, until] of this.seen) {
      if (until > now) break;
      this.seen.delete(old);
    }
    this.seen.set(nonce, now + 2 * TOLERANCE_MS);
    return true;
  }

  /** One for each key: servers do not all learn of a new one at the same moment. */
  private macs(text: string, method: string, url: string): string[] {
    return this.deps.secretsKeys().map((secretsKey) => {
      const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', 'weft requests between servers', 32));
      return createHmac('sha256', key).update(`${method}\n${url}\n${text}`).digest('base64url');
    });
  }
}
