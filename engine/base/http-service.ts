import type { FileValue } from '#shared/file.ts';

/**
 * The claim of this process to a run that other servers may take over. A process that stood still may have lost it without
 * knowing; a step that it had begun by then must send nothing more.
 */
export interface RunClaim {
  /** Whether the claim is known to hold at this moment. */
  isFresh(): boolean;
  /** Resolves once it is known again. Rejects if another server has the run. */
  prove(): Promise<void>;
}

/** The caller, for grants, logs and recordings. */
export interface Asker {
  readonly flow: string;
  readonly version: string;
  readonly run: string;
  readonly node: string;
  /** The operator's type, such as `http.request`. */
  readonly operator: string;
  /** Its run tries a draft, or is a part of one that does. */
  readonly isDraft?: boolean;
  /** Its run goes on after a restart. */
  readonly isDurable?: boolean;
  /** Present if another server may take its run over while it works. */
  readonly claim?: RunClaim | undefined;
}

/** Credentials that are computed from what is sent. They stay with the origin of the request. */
export type Signing =
  | {
      /** AWS Signature 4. */
      readonly scheme: 'aws';
      readonly accessKey: string;
      readonly secretKey: string;
      /** For temporary credentials; empty for others. */
      readonly sessionToken: string;
      /** Region and service; empty: as the host says, in the form of AWS. */
      readonly region: string;
      readonly service: string;
    }
  | {
      /** HTTP Digest (RFC 7616). */
      readonly scheme: 'digest';
      readonly user: string;
      readonly password: string;
    };

/** A request of a node to another server. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** `url` is below the address of this connection, which adds its credentials. */
  readonly connection?: string;
  /** `url` is below this address, if the connection leads to its host: one sign-in may lead to several. */
  readonly base?: string;
  /**
   * The address of the service, for a request that needs no credentials: it goes to `base` itself if the connection leads to this
   * address; a stand-in of the service gets it below its own address.
   */
  readonly open?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers that carry a secret. They are dropped when a redirect leaves the origin of `url`. */
  readonly secretHeaders?: readonly string[];
  readonly signing?: Signing | undefined;
  /**
   * The name of a jar of the run: cookies that answers set are sent with requests that name the same jar, to the same host. The jar
   * is in memory until the run ends.
   */
  readonly cookies?: string | undefined;
  /** Pieces are sent one after the other; a file, as returned by `find`, is opened when its turn comes. */
  readonly body: string | Uint8Array | readonly HttpPiece[] | undefined;
  /** The most redirects to follow; 0 returns the redirect itself. */
  readonly redirects: number;
  /** The answer is read in chunks for as long as necessary: its connection does not count among those of short calls. */
  readonly streams?: boolean;
  /** The only hosts that it and its redirects may go to, and the package that declared them. */
  readonly onlyHosts?: { readonly of: string; readonly hosts: readonly string[] };
  /** From the call to the last byte, in milliseconds, including the wait for a connection. */
  readonly timeoutMs: number;
  /** The largest answer, in bytes after decompression. */
  readonly maxBytes: number;
}

/** A part of a body that is sent piece by piece. */
export type HttpPiece = string | Uint8Array | FileValue;

/** The answer of another server, whatever its status. */
export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; several values of one name are joined by `, `. Without `set-cookie`, which cannot be joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of `set-cookie`; absent if there are none. */
  readonly cookies?: readonly string[];
  /** The address of the answer, after redirects. */
  readonly url: string;
  /** Read once; stopping early ends the connection. Throws like `send`. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The nodes' way to other servers: through the guarded client, never around it. */
export interface HttpService {
  /**
   * Sends one request through the guarded client; any status is an answer. Throws `outbound_invalid` (malformed address,
   * method or header), `outbound_refused` (forbidden destination), `outbound_failed` (no connection, broken answer; worth a
   * retry), `outbound_timeout`, `outbound_busy` (too many wait for a connection), `proxy_failed`, `proxy_refused`, `proxy_auth`,
   * `bad_answer` (an unknown content encoding), `value_too_large`, and the errors of files in the body; with a connection also
   * `connection_missing`, `connection_not_granted`, `secret_draft`, `connection_broken`, `connection_limited`. For an operator of
   * a package `package_not_declared`.
   */
  send(request: HttpRequest, by: Asker, signal: AbortSignal): Promise<HttpResponse>;
}
