import { ID_PATTERN } from '#shared/flow.ts';
import type { CurlCommand } from './curl-command.ts';

/** A secret from the command, and how the node sends it once it is in the secret store. */
export interface FoundSecret {
  /** A suggested name. */
  readonly name: string;
  readonly value: string;
  readonly auth: Readonly<Record<string, unknown>>;
}

const credentialHeader = /^(?:cookie|x-api-key|api-key|.*-(?:token|secret|key|signature))$/i;

/** Removes the credentials from a command and its headers. */
export function takeCredentials(command: CurlCommand): { secret: FoundSecret | undefined; notes: string[] } {
  const found = [...userOf(command), ...headersOf(command)];
  const [first, ...others] = found;
  const notes = others.map(({ label }) => `A node can only send one secret; ${label} was left out.`);
  if (!first) return { secret: undefined, notes };
  const name = secretName(command.url ?? '');
  const { value, auth } = first;
  return { secret: { name, value, auth: { ...auth, secret: { $secret: name } } }, notes };
}

interface Credential {
  readonly label: string;
  readonly value: string;
  readonly auth: Readonly<Record<string, unknown>>;
}

function userOf(command: CurlCommand): Credential[] {
  if (command.user === undefined) return [];
  const [username = '', ...password] = command.user.split(':');
  return [{ label: '`--user`', value: password.join(':'), auth: { ...schemeOf(command), username } }];
}

/** `--aws-sigv4` takes `provider1[:provider2[:region[:service]]]`. */
function schemeOf({ signs }: CurlCommand): Readonly<Record<string, unknown>> {
  const [type = 'basic', how = ''] = signs ?? [];
  if (type !== 'aws') return { type };
  const [, , region = '', service = ''] = how.split(':');
  return { type, ...(region !== '' && { region }), ...(service !== '' && { service }) };
}

function headersOf(command: CurlCommand): Credential[] {
  const found: Credential[] = [];
  const kept = command.headers.filter(([name, value]) => {
    const credential = credentialOf(name, value);
    if (credential) found.push(credential);
    return !credential;
  });
  command.headers.splice(0, command.headers.length, ...kept);
  return found;
}

function credentialOf(name: string, value: string): Credential | undefined {
  const label = `the header ${name}`;
  if (name.toLowerCase() === 'authorization') {
    const [, scheme = '', token = ''] = /^(\w+)\s+(.*)$/.exec(value) ?? [];
    if (/^bearer$/i.test(scheme)) return { label, value: token, auth: { type: 'bearer' } };
    const pair = /^basic$/i.test(scheme) ? userAndPassword(token) : undefined;
    if (pair) return { label, value: pair[1], auth: { type: 'basic', username: pair[0] } };
    return { label, value, auth: { type: 'header', name: 'authorization' } };
  }
  if (!credentialHeader.test(name) || /^idempotency-key$/i.test(name)) return undefined;
  return { label, value, auth: { type: 'header', name: name.toLowerCase() } };
}

function userAndPassword(token: string): [string, string] | undefined {
  try {
    const bytes = Uint8Array.from(atob(token), (char) => char.charCodeAt(0));
    const [user = '', ...password] = new TextDecoder().decode(bytes).split(':');
    return password.length > 0 ? [user, password.join(':')] : undefined;
  } catch {
    return undefined;
  }
}

/** After the host: `api.example.com` gives `api_example_com`. */
function secretName(url: string): string {
  const host = /^(?:https?:\/\/)?([^/:?#]+)/i.exec(url)?.[1] ?? '';
  const name = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 60);
  return ID_PATTERN.test(name) ? name : 'api_secret';
}
