import { z } from 'zod';
import { isProxyAddress } from '../../base/outbound/allow-list.ts';
import { type OwnProxy, readProxy } from '../../base/outbound/proxy.ts';

/** The settings of kinds whose connections may be reached through another proxy than that of the server. */
export const proxyFields = {
  proxy: z
    .string()
    .trim()
    .max(500)
    .refine(
      (text) => text === '' || text === 'none' || isProxyAddress(text),
      'It is an address such as http://proxy.example:3128 or socks5://proxy.example:1080, without a user; or none.',
    )
    .default('')
    .describe(
      'The proxy that leads there, such as http://proxy.example:3128 or socks5://proxy.example:1080; none: no proxy. Empty: the proxy of the server (WEFT_PROXY), if it has one.',
    )
    .meta({ group: 'Proxy' }),
  proxyCredentials: z
    .string()
    .max(4096)
    .regex(/^(?:[^:\s]+:.+)?$/, 'It is a user and a password, like user:password.')
    .default('')
    .describe('The user and the password for this proxy, as user:password; empty if it asks for none.')
    .meta({ format: 'password', group: 'Proxy' }),
};

/** The proxy in the settings of a connection; undefined for that of the server. */
export function proxyOf(settings: Readonly<Record<string, unknown>>): OwnProxy {
  const { proxy, proxyCredentials } = settings;
  if (typeof proxy !== 'string' || proxy === '') return undefined;
  if (proxy === 'none') return proxy;
  return readProxy(
    proxy,
    typeof proxyCredentials === 'string' && proxyCredentials !== '' ? proxyCredentials : undefined,
  );
}
