import postgres from 'postgres';
import { inTime } from './answered.ts';
import { backoff } from './pool.ts';
import { refusedStart } from './refused-start.ts';

/** A database as it is, whatever its format. */
export interface SeenDatabase {
  /** The number of its last migration; 0 without tables of Weft. */
  readonly format: number;
  /** Servers that were seen within the last minute. */
  readonly servers: readonly { readonly name: string; readonly version: string }[];
  readonly flows: readonly StoredText[];
  readonly drafts: readonly StoredText[];
  readonly services: readonly StoredText[];
}

interface StoredText {
  readonly id: string;
  readonly text: string;
}

const CONNECT_S = 5;
const END_S = 1;

/** The first format with flows and servers. */
const WITH_FLOWS = 8;

/** Reads in one transaction that cannot write. Throws a `StartError` if the database cannot be reached or used. */
export async function lookAt(url: string): Promise<SeenDatabase> {
  const client = postgres(url, { max: 1, connect_timeout: CONNECT_S, backoff, onnotice: () => {} });
  try {
    return await inTime(client.begin('READ ONLY', look));
  } catch (error) {
    throw refusedStart(error);
  } finally {
    await client.end({ timeout: END_S });
  }
}

async function look(tx: postgres.TransactionSql): Promise<SeenDatabase> {
  const [table] = await tx`SELECT to_regclass('migration') IS NOT NULL AS known`;
  const [row] =
    table?.['known'] === true ? await tx`SELECT coalesce(max(n), 0)::int AS format FROM migration` : [];
  const format = Number(row?.['format'] ?? 0);
  if (format < WITH_FLOWS) return { format, servers: [], flows: [], drafts: [], services: [] };
  const [stored] = await tx`SELECT json FROM document WHERE part = 'services'`;
  const services = stored === undefined ? {} : (JSON.parse(stored['json']) as Record<string, unknown>);
  return {
    format,
    servers: await tx<{ name: string; version: string }[]>`SELECT name, version FROM node
      WHERE seen_at > extract(epoch FROM now()) * 1000 - 60000 ORDER BY name`,
    flows: await tx<StoredText[]>`SELECT id, text FROM flow_file ORDER BY id`,
    drafts: await tx<StoredText[]>`SELECT id, text FROM flow_draft ORDER BY id`,
    services: Object.entries(services).map(([id, text]) => ({ id, text: String(text) })),
  };
}
