/** How an OAuth2 client gets a token. */
export type Grant = 'code' | 'device' | 'client' | 'jwt';

/** How the client proves who it is at the token address. */
export type ClientAuth = 'basic' | 'post' | 'none';

export interface ProviderScope {
  readonly scope: string;
  /** The action that it allows to flows, such as “Read spreadsheets”. */
  readonly label: string;
  /** The part of the service that it belongs to. */
  readonly group?: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * A service that signs in by OAuth2, as data: one file of `providers/` each. Addresses are https. `{tenant}` in an address stands
 * for the setting `tenant`.
 */
export interface Provider {
  readonly name: string;
  readonly title: string;
  /** The services that it leads to, for the gallery and its search. */
  readonly doc: string;
  readonly grants: readonly Grant[];
  readonly authorize: string;
  readonly token: string;
  readonly revoke?: string;
  readonly device?: string;
  /** The `iss` of answers, for providers that send it (RFC 9207). */
  readonly issuer?: string;
  /** Hosts that get the token, besides that of `address`: `api.example.com`, `*.example.com`. */
  readonly hosts: readonly string[];
  /** Paths without a host are below it. */
  readonly address: string;
  readonly scopes: readonly ProviderScope[];
  /** Scopes that are always requested: to refresh, and to read the name of the account. */
  readonly always?: readonly string[];
  /** Between scopes; a space if absent. */
  readonly separator?: string;
  readonly pkce: boolean;
  readonly clientAuth: ClientAuth;
  /** The token address takes JSON instead of a form. */
  readonly jsonBody?: boolean;
  /** More fields of the address where people consent. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Headers of every request, which a node may override. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds that a token is used if the answer does not say how long it lives. */
  readonly lifetime?: number;
  /** The answer of the token address in the form of RFC 6749, for providers that differ. */
  tokenAnswer?(answer: Json): Json;
  /** Where the name of the account is read with a token. */
  readonly account?: {
    readonly url: string;
    readonly post?: string;
    read(answer: Json): unknown;
  };
  /** The name of the account in the answer of the token address. */
  accountIn?(answer: Json): unknown;
  /** The address of the API in the answer of the token address, which must be on one of `hosts`. */
  addressIn?(answer: Json): unknown;
  /** How a person registers an app there. */
  readonly register: { readonly url: string; readonly steps: string };
  /** A setting of this provider that is part of its addresses. */
  readonly tenant?: { readonly label: string; readonly doc: string; readonly default: string };
  /** The pages of the vendor to check the data against. */
  readonly pages: readonly string[];
}

/** Checks the type of a provider. */
export function defineProvider(provider: Provider): Provider {
  return provider;
}

/** A field of an answer, or of an object in it; undefined where there is none. */
export function fieldIn(answer: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Json)[name]
        : undefined,
    answer,
  );
}
