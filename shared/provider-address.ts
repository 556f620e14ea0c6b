/** The kinds of APIs that a provider may have. */
export const PROVIDER_TYPES = ['openai-compatible', 'anthropic', 'google', 'ollama'] as const;
type ProviderType = (typeof PROVIDER_TYPES)[number];

/** Where the API of each type begins, if the provider does not say. */
export const PROVIDER_ADDRESSES: Readonly<Record<ProviderType, string | undefined>> = {
  'openai-compatible': undefined,
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  ollama: 'http://127.0.0.1:11434/v1',
};

/** Host and port of a provider, as `allow` names them; undefined for an address that is none. */
export function placeOf({
  type,
  baseUrl,
}: {
  type: ProviderType;
  baseUrl?: string | undefined;
}): string | undefined {
  const address = baseUrl ?? PROVIDER_ADDRESSES[type];
  const url = address === undefined ? null : parseUrl(address);
  return url ? `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}` : undefined;
}

function parseUrl(address: string): { hostname: string; port: string; protocol: string } | null {
  const [, protocol = '', hostname = '', port = ''] =
    /^(https?:)\/\/(?:[^/?#@]*@)?(\[[^\]]+\]|[^/:?#]+)(?::(\d+))?/i.exec(address) ?? [];
  return hostname === ''
    ? null
    : { protocol: protocol.toLowerCase(), hostname: hostname.toLowerCase(), port };
}

/** What `closedRange` of the server calls an address of this machine or of a private network, as far as its text tells. */
const NEAR = /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]|\[f[cd])/;

/** Whether requests to the host and port need a yes, which its text tells only where it is an address or `localhost`. */
export function isNearPlace(place: string): boolean {
  return NEAR.test(place);
}
