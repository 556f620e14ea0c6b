import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Caller } from '../security/access.ts';
import type { AccessRequest } from '../security/request.ts';
import { equalSecrets } from '../security/secrets.ts';
import type { Scope } from '../security/scopes.ts';

/** The header by which one server asks another one on behalf of a caller whom it has admitted. */
export const PEER_HEADER = 'x-weft-peer';

/** How far the times of two servers may be apart, and for how long a proof is good, in milliseconds. */
const TOLERANCE_MS = 30_000;

interface Claim {
  /** Unix milliseconds. */
  readonly at: number;
  readonly nonce: string;
  /** The tag of the server that is asked. */
  readonly to: string;
  readonly caller: Pick<Caller, 'kind' | 'name' | 'owner'> & { readonly scopes: readonly Scope[] };
}

interface Deps {
  /** The keys of the secrets, which all servers of a database have: the one of now first. */
  readonly secretsKeys: () => readonly Uint8Array[];
  /** The tag of this server. */
  readonly tag: string;
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
}

/**
 * Proves to a server that another one of the same database asks it, and for whom.
 * PP1. A proof is for one method and address, one server and one request, and for half a minute; it covers no body, so a request
 *      with a body has none.
 * PP2. The caller keeps its name, its scopes and what belongs to it, and gets no further rights.
 */
export class PeerProof {
  private readonly deps: Deps;
  /** Until when each nonce could come again. */
  private readonly seen = new Map<string, number>();
  /** One request is read several times while it is answered, a websocket for as long as it is open; its headers are one object. */
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

  /** The caller for whom another server asks; undefined if none does. Throws `peer_refused`. */
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

  /** One for each key: not all servers hear of a new one at the same moment. */
  private macs(text: string, method: string, url: string): string[] {
    return this.deps.secretsKeys().map((secretsKey) => {
      const key = new Uint8Array(hkdfSync('sha256', secretsKey, '', 'weft requests between servers', 32));
      return createHmac('sha256', key).update(`${method}\n${url}\n${text}`).digest('base64url');
    });
  }
}
