import { isLoopback } from '../../base/config/hosts.ts';
import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { AccessRequest } from './request.ts';

/**
 * A request that a browser makes for a page carries the page's origin, and cookies are also sent for pages of other
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
 * Whether a request that a page of ours makes for a stranger may come from one: browsers say the page's origin, programs
 * none.
 */
export function comesFromOurs(request: AccessRequest, config: Config): boolean {
  const { origin } = request.headers;
  if (request.headers['sec-fetch-site'] === 'cross-site') return false;
  return origin === undefined || origin === config.triggerOrigin || isOurs(origin, request, config);
}

/**
 * Whether a page of another site has its visitor's browser send the request. Programs say nothing of a page, and a person who
 * opens the address comes from none. Pages of WEFT_CORS_ORIGINS may call.
 */
export function isForeignPage(request: AccessRequest, config: Config): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (origin === undefined) return site === 'cross-site' || site === 'same-site';
  return !config.corsOrigins.includes(origin) && !isOurs(origin, request, config);
}

/**
 * A proxy in front makes a server that was meant for this machine reachable by others, often by accident. Management
 * then needs a password, or the setting that says that the proxy is intended.
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
 * Says once that a proxy on this machine forwards requests of others, all of which count as one client: whoever tries too many
 * keys or passwords then keeps all others out.
 */
export function createForwardingNotice(
  { trustProxy }: Pick<Config, 'trustProxy'>,
  tell: (text: string) => void,
): (request: AccessRequest) => void {
  let isTold = trustProxy;
  return (request) => {
    if (isTold || !isLoopback(request.socket?.remoteAddress?.replace('::ffff:', '') ?? '')) return;
    if (!isForwarded(request)) return;
    isTold = true;
    tell(FORWARDED);
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
