import postgres from 'postgres';
import type { Config } from '../../../base/config/config.ts';
import { isLoopback } from '../../../base/config/hosts.ts';
import type { Finding } from './finding.ts';

const CONNECT_S = 5;

/** Names are quoted as in statements. */
const ABOUT = `SELECT current_setting('server_version') AS version, quote_ident(current_database()) AS name,
  quote_ident(current_user) AS self, quote_ident(pg_get_userbyid(datdba)) AS owner,
  has_database_privilege('public', datname, 'CONNECT') AS "isOpen"
  FROM pg_database WHERE datname = current_database()`;

interface About {
  readonly version: string;
  readonly name: string;
  readonly self: string;
  readonly owner: string;
  readonly isOpen: boolean;
}

/** Checks who may connect to the database that servers share. */
export async function checkSharedDatabase({ databaseUrl: url }: Config): Promise<Finding[]> {
  if (url === undefined) return [];
  const about = 'database';
  try {
    const { version, name, self, owner, isOpen } = await ask(url);
    const found: Finding = {
      about,
      state: 'ok',
      says: `PostgreSQL ${version}: ${name}, which belongs to ${owner}, as ${self}.`,
    };
    if (!isOpen) return [found];
    const says = `Every role of its server may connect to ${name}: it overhears when something changes and which runs do, and may hold the locks of a start.`;
    const todo = `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${self};`;
    return [found, { about, state: 'warning', says, todo }];
  } catch (error) {
    const { code = '', message } = error as Error & { readonly code?: string };
    const says = `It cannot be used: ${message === '' ? code : message}.`;
    return [{ about, state: 'error', says, todo: 'Correct WEFT_DATABASE_URL, or start the database.' }];
  }
}

async function ask(url: string): Promise<About> {
  const client = postgres(url, { max: 1, connect_timeout: CONNECT_S, onnotice: () => {} });
  try {
    const [row] = await client.unsafe<About[]>(ABOUT);
    return row as About;
  } finally {
    await client.end({ timeout: 1 });
  }
}

/** A public address in front of a server that only this machine reaches belongs to a proxy. */
export function checkProxy({ host, publicUrl, trustProxy }: Config): Finding[] {
  if (trustProxy || publicUrl === undefined || !isLoopback(host)) return [];
  if (isLoopback(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''))) return [];
  return [
    {
      about: 'proxy',
      state: 'warning',
      says: `WEFT_PUBLIC_URL is ${publicUrl}, which a proxy has to serve, and WEFT_TRUST_PROXY is off: all clients count as one, so one that tries too many keys keeps the others out.`,
      todo: 'Set WEFT_TRUST_PROXY=on, and let the proxy replace X-Forwarded-For with the address of the client.',
    },
  ];
}
