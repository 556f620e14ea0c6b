import type { DatabaseSync } from 'node:sqlite';
import { isRecord } from '#shared/json.ts';
import { createOutbound, optionsOf } from '../../../base/outbound/outbound.ts';
import { MOST_FILE_BYTES } from '../../../flows/imports/import-files.ts';
import { type Io, UsageError } from '../io.ts';
import { readSettings } from './project.ts';
import type { Given } from './read-import.ts';

/** All workflows of an instance of n8n: over its public API, and from the file of its database. */

const ASKER = { flow: '', version: '', run: '', node: '', operator: 'import' };
const PAGE = 100;
const MOST_PAGES = 1000;

/**
 * The workflows that `GET /api/v1/workflows` of the instance lists, page by page. The key is sent as `X-N8N-API-KEY`, to this address only.
 * Throws `UsageError` if it is refused, or is no such API.
 */
export async function askInstance(address: string, key: string, io: Io): Promise<Given> {
  const options = optionsOf(readSettings(io));
  // The address was typed by its owner, and is often one of this machine or its network.
  const { hostname, port, protocol } = pageOf(address, undefined);
  const near = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const outbound = createOutbound({ ...options, allow: [...options.allow, near] });
  const workflows: unknown[] = [];
  try {
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const url = pageOf(address, cursor);
      const { status, body } = await outbound.send(
        {
          method: 'GET',
          url: url.href,
          headers: { accept: 'application/json', 'x-n8n-api-key': key },
          body: undefined,
          redirects: 0,
          timeoutMs: 60_000,
          maxBytes: MOST_FILE_BYTES,
        },
        ASKER,
        io.stopSignal(),
      );
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      if (status === 401 || status === 403)
        throw new UsageError(`${url.origin} refuses the key (${status}): make one under Settings, n8n API.`);
      if (status !== 200)
        throw new UsageError(
          `${url.href} answers with the status ${status}: name the address of n8n itself.`,
        );
      const answer = read(Buffer.concat(pieces));
      if (answer === undefined)
        throw new UsageError(`${url.href} gives no list of workflows: name the address of n8n itself.`);
      workflows.push(...answer.data);
      if (answer.next === undefined) return given(address, workflows);
      cursor = answer.next;
    }
    throw new UsageError(`${address} has more than ${PAGE * MOST_PAGES} workflows: export them in parts.`);
  } finally {
    await outbound.close();
  }
}

function pageOf(address: string, cursor: string | undefined): URL {
  if (!URL.canParse(address))
    throw new UsageError(`--url ${address}: an address is https://n8n.example.com.`);
  const url = new URL(address);
  const base = url.pathname.replace(/\/(?:api\/v1\/?)?$/, '');
  url.pathname = `${base}/api/v1/workflows`;
  url.search = '';
  url.searchParams.set('limit', String(PAGE));
  if (cursor !== undefined) url.searchParams.set('cursor', cursor);
  return url;
}

function read(bytes: Buffer): { data: readonly unknown[]; next: string | undefined } | undefined {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isRecord(json) || !Array.isArray(json['data'])) return undefined;
  const next = json['nextCursor'];
  return { data: json['data'], next: typeof next === 'string' && next !== '' ? next : undefined };
}

function given(path: string, workflows: readonly unknown[]): Given {
  if (workflows.length === 0) throw new UsageError(`${path} has no workflows.`);
  return { flows: [], left: [], foreign: [{ path, text: '', json: workflows }], single: false };
}

/** The columns of its table of workflows that hold JSON. */
const AS_JSON = ['nodes', 'connections', 'settings', 'pinData', 'meta'] as const;

/** The workflows in `database.sqlite` of an instance, which is only read. Throws `UsageError` if it is another database. */
export async function readDatabase(file: string, path: string): Promise<Given> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const columns = columnsOf(file, database);
    const names = columns.map(({ name }) => String(name));
    if (!names.includes('nodes') || !names.includes('connections'))
      throw new UsageError(`${file} is no database of n8n: it has no table workflow_entity.`);
    const wanted = ['id', 'name', 'active', ...AS_JSON].filter((name) => names.includes(name));
    const rows = database
      .prepare(`SELECT ${wanted.map((name) => `"${name}"`).join(', ')} FROM workflow_entity ORDER BY id`)
      .all();
    return given(file, rows.map(workflowOf));
  } finally {
    database.close();
  }
}

function columnsOf(file: string, database: DatabaseSync): Record<string, unknown>[] {
  try {
    return database.prepare('SELECT name FROM pragma_table_info(?)').all('workflow_entity');
  } catch {
    throw new UsageError(`${file} is no database of SQLite that can be read.`);
  }
}

function workflowOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = AS_JSON.flatMap((name) => {
    const text = row[name];
    if (typeof text !== 'string') return [];
    try {
      return [[name, JSON.parse(text) as unknown] as const];
    } catch {
      return [];
    }
  });
  return {
    nodes: [],
    connections: {},
    ...Object.fromEntries(parsed),
    id: row['id'],
    name: row['name'],
    active: row['active'] === 1,
  };
}
