import { z } from 'zod';
import { isAllowEntry, isException, isProxyAddress } from '../outbound/allow-list.ts';
import { OutboundLimits } from '../outbound/limits.ts';
import { json, list, oneOf, optional, setting, text } from './setting.ts';

const PROXY_FORM =
  'an address like http://proxy.example:3128, https://… or socks5://…, without a path; user and password are WEFT_PROXY_CREDENTIALS';

/** Where requests may go, how many at once, and by which way. */
export const outside = {
  outboundAllow: setting(
    'WEFT_OUTBOUND_ALLOW',
    list('hosts, host:port or blocks like 10.0.0.0/8', z.string().refine(isAllowEntry)),
    [],
    'Non-public addresses that flows may send requests to: host, host:port, 10.0.0.0/8.',
  ),
  outboundLimits: setting(
    'WEFT_OUTBOUND_LIMITS',
    {
      ...json(
        OutboundLimits,
        'limits by host, like {"api.example.com": {"calls": 20, "streams": 50, "queue": 1000}}, with at least one connection',
      ),
      shown: '512 calls, 512 streams, 10000 waiting',
    },
    {},
    'Most connections to one destination at once, by host, host:port or * for all others. calls: for answers that are read at once; streams: for streamed answers and for models; queue: most waiting requests of each kind.',
  ),
  proxy: optional(
    'WEFT_PROXY',
    {
      ...text(z.string().refine(isProxyAddress), PROXY_FORM),
      shown: 'none: destinations are reached directly',
      // Somebody may have written the password into it.
      secret: true,
    },
    'Proxy that everything goes out through: requests, models, mail and databases: `http://proxy.example:3128`, `https://…` or `socks5://…`. Proxies of the environment (HTTPS_PROXY) are ignored. See docs/proxy.md.',
  ),
  proxyCredentials: optional(
    'WEFT_PROXY_CREDENTIALS',
    {
      ...text(z.string().regex(/^[^:\s]+:.+$/), 'a user and a password, like user:password'),
      secret: true,
    },
    'User and password for the proxy: `user:password`.',
  ),
  noProxy: setting(
    'WEFT_NO_PROXY',
    list('names, addresses or blocks like .corp.example or 10.0.0.0/8', z.string().refine(isException)),
    [],
    'Destinations that are reached without the proxy: names with all names below them, addresses, blocks, each also with a port; `*` for all. This machine is never reached through it.',
  ),
  proxyDns: setting(
    'WEFT_PROXY_DNS',
    oneOf('local', 'proxy'),
    'local',
    'Who looks up names. local: this server, which judges their addresses and hands the proxy one of them. proxy: the proxy, where outside names cannot be looked up inside; a name that leads to an inner address is then not recognised (SECURITY.md).',
  ),
};
