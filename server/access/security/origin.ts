import { isLoopback } from '../../base/config/hosts.ts';
import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { AccessRequest } from './request.ts';

/**
 * A request of a page carries the page's origin, and browsers send cookies also for pages of other
 * ports on this machine. So a cookie counts only if the origin, when one is sent, is ours.
 */
export function checkOrigin(
  request: AccessRequest,
  config: Config,
  presence: 'optional' | 'required' = 'optional',
): void {
  const { origin } = request.headers;
  if (origin === undefined && presence === 'optional') return;
  if (origin === undefined || !isOurs(origin, request, config)) throw new ServiceError('bad_origin');
}

/** The Host header was checked before, so an origin with the same host is one of our pages. */
function isOurs(origin: string, request: AccessRequest, config: Config): boolean {
  if (config.publicUrl !== undefined && origin === new URL(config.publicUrl).origin) return true;
  const { host } = request.headers;
  return origin === `http://${host}` || (config.trustProxy && origin === `https://${host}`);
}

/**
 * Whether a request that one of our pages makes on behalf of a stranger may come from one: browsers send the page's origin,
 * programs none.
 */
export function comesFromOurs(request: AccessRequest, config: Config): boolean {
  const { origin } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return false;
  return origin === undefined || origin === config.triggerOrigin || isOurs(origin, request, config);
}

/**
 * Whether a page of another site makes its visitor's browser send the request. Programs name no page, and a person who
 * opens the address comes from none. Pages of WEFT_CORS_ORIGINS may call.
 */
export function isForeignPage(request: AccessRequest, config: Config): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined) return site === 'cross-site' || site === 'same-site';
  return !config.corsOrigins.includes(origin) && !isOurs(origin, request, config);
}

/**
 * A proxy in front makes a server that was meant for this machine reachable from outside, often by accident. Management
 * then needs a password, or the setting that confirms the proxy.
 */
export function checkForwarding(request: AccessRequest, config: Config): void {
  if (config.trustProxy || config.adminPassword !== undefined) return;
  if (!isForwarded(request)) return;
  throw new ServiceError(
    'forbidden',
    'The request came through a proxy. Set WEFT_ADMIN_PASSWORD, or WEFT_TRUST_PROXY=on if the proxy is yours.',
  );
}

/**
 * Warns once that a proxy on this machine forwards requests, all of which count as one client: someone who tries too many
 * keys or passwords then locks all others out.
 */
export function createForwardingNotice(
  { trustProxy }: Pick<Config, 'trustProxy'>,
  warn: (text: string) => void,
): (request: AccessRequest) => void {
  let hasWarned = trustProxy;
  return (request) => {
    if (hasWarned || !isLoopback(request.socket?.remoteAddress?.replace('::ffff:', '') ?? '')) return;
    if (!isForwarded(request)) return;
    hasWarned = true;
    warn(FORWARDED);
  };
}

const FORWARDED =
  'a proxy on this machine forwards requests, and WEFT_TRUST_PROXY is off: all clients behind it count as one, so one that tries too many keys or passwords keeps the others out. Set WEFT_TRUST_PROXY=on if the proxy is yours (docs/deploy)';

/** Whether a proxy has forwarded the request. */
export function isForwarded({ headers }: AccessRequest): boolean {
  return Object.keys(headers).some(
    (name) =>
      name === 'forwarded' || name === 'via' || name === 'x-real-ip' || name.startsWith('x-forwarded-'),
  );
}
