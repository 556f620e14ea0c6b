import { z } from 'zod';

/** A host as grants name it: scheme and port may be left out. */
const GRANTED_HOST = /^(?:(https?):\/\/)?((?:\*\.)?[^\s:/?#@[\]\\*,]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/?$/i;

/**
 * Who may use a secret. A list that is there names all who may; one that is not does not restrict. Without any list nobody
 * may. Grants are kept with the secret, never in a flow, so that an imported flow cannot help itself.
 */
export const SecretGrants = z.strictObject({
  /** Types of operators, such as `http.request`. */
  operators: z.array(z.string().min(1)).optional(),
  /**
   * Where it may be sent. `api.example.com`, or `*.example.com` for all names below: by https on port 443, to this machine
   * (`localhost`, `127.0.0.1`, `[::1]`) in any way. `api.example.com:8443`: by https on that port. `http://api.example.com`: in
   * clear text, on port 80 or the one that is named.
   */
  hosts: z
    .array(
      z
        .string()
        .refine(
          (host) => readPlace(host) !== undefined,
          'Write a host like api.example.com, *.example.com, api.example.com:8443 or http://10.0.0.7:8080, without a path.',
        ),
    )
    .optional(),
  /** Ids of flows. */
  flows: z.array(z.string().min(1)).optional(),
});
export type SecretGrants = z.infer<typeof SecretGrants>;

/** One use of a secret. Without `origin` it is not known where it will go. */
export interface SecretUse {
  readonly flow: string;
  readonly operator: string;
  /** Scheme, host and port of the address that it is sent to: `https://api.example.com`. */
  readonly origin?: string | undefined;
}

/** What the grants lack for a use, to follow "is not granted": "to the operator code.run"; undefined when they allow it. */
export function lackingGrant(
  grants: SecretGrants,
  { flow, operator, origin }: SecretUse,
): string | undefined {
  const { operators, hosts, flows } = grants;
  if (operators === undefined && hosts === undefined && flows === undefined) return 'to anyone';
  if (flows && !flows.includes(flow)) return `to the flow ${flow}`;
  if (operators && !operators.includes(operator)) return `to the operator ${operator}`;
  if (!hosts) return undefined;
  if (origin === undefined) return 'for a use that may send it anywhere';
  return maySendTo(hosts, origin) ? undefined : `for the host ${grantFor(origin)}`;
}

/** Whether grants of these hosts allow requests to an origin. */
export function maySendTo(hosts: readonly string[], origin: string): boolean {
  const target = readPlace(origin);
  return target !== undefined && hosts.some((host) => allows(host, target));
}

/** The grant that allows an origin and no other: `api.example.com`, `api.example.com:8443`, `http://10.0.0.7:8080`. */
export function grantFor(origin: string): string {
  const place = readPlace(origin);
  if (place?.scheme !== 'https') return origin;
  return place.port === undefined || place.port === 443 ? place.host : `${place.host}:${place.port}`;
}

interface Place {
  readonly scheme: 'http' | 'https' | undefined;
  /** In lower case, without a dot at the end; an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

function readPlace(text: string): Place | undefined {
  // An IPv6 address by itself.
  const written = /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(text) ? `[${text}]` : text;
  const [whole, scheme, host = '', port] = GRANTED_HOST.exec(written) ?? [];
  if (whole === undefined) return undefined;
  return {
    scheme: scheme?.toLowerCase() as Place['scheme'],
    host: host.toLowerCase().replace(/\.$/, ''),
    port: port === undefined ? undefined : Number(port),
  };
}

function allows(grant: string, target: Place): boolean {
  const granted = readPlace(grant);
  if (granted === undefined || !isNamed(granted.host, target.host)) return false;
  const port = portOf(target);
  if (granted.scheme !== undefined) return granted.scheme === target.scheme && portOf(granted) === port;
  if (isThisMachine(target.host)) return granted.port === undefined || granted.port === port;
  return target.scheme === 'https' && port === (granted.port ?? 443);
}

function isNamed(granted: string, host: string): boolean {
  return granted.startsWith('*.') ? host.endsWith(granted.slice(1)) : host === granted;
}

function portOf({ scheme, port }: Place): number {
  return port ?? (scheme === 'http' ? 80 : 443);
}

/** What is sent there passes no network. */
function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
