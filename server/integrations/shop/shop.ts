import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectionBody } from '#shared/connection.ts';
import { SHOP, type ShopState } from '#shared/shop.ts';
import type { Config } from '../../base/config/config.ts';
import { SHOP_FOLDER, SHOP_PATH, shopFolder } from '../../base/files/data-folder.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Connections } from '../connections/connections.ts';
import { countKeptMails } from '../connections/kinds/smtp/kept-mails.ts';
import type { KnownConnection } from '../connections/stored-connections.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';

/** The data of the shop: a database, a handbook, files, and the answers of its HTTP service. */
const SHIPPED = fileURLToPath(new URL('./shipped', import.meta.url));

const DATABASE = 'shop.db';

/** The first grants. Flows of templates get the connections one by one; agents may ask the database, although flows may change it. */
const GRANTS: Readonly<Record<string, ConnectionBody['grants']>> = {
  [SHOP.database]: {
    flows: ['import_table', 'purchase_example', 'shop_orders'],
    drafts: true,
    writers: true,
  },
};

export interface ShopDeps {
  readonly config: Config;
  /** The database that servers share; undefined for a server on its own. */
  readonly database?: object | undefined;
  readonly connections: Connections;
  readonly knowledge: Knowledge;
  readonly ownPort: () => number;
  /** A key of this server that nobody else knows. */
  readonly formKey: { get(): Promise<Uint8Array> };
}

/** Whether the shop is switched on: its database is there. */
export function isOpen(config: Config): boolean {
  return existsSync(join(shopFolder(config), DATABASE));
}

export async function shopState({
  config,
  database,
  ownPort,
}: Pick<ShopDeps, 'config' | 'database' | 'ownPort'>): Promise<ShopState> {
  const mails = await countKeptMails(join(shopFolder(config), 'mails'));
  return { on: isOpen(config), here: database === undefined, service: addressOf(ownPort()), mails };
}

/**
 * Makes what is missing of the shop; what is there stays. Throws `shop_name_taken`, `storage_failed`, and `shop_not_here` where
 * servers share a database.
 */
export async function openShop(deps: ShopDeps): Promise<void> {
  const { config, connections, knowledge } = deps;
  if (deps.database !== undefined) throw new ServiceError('shop_not_here');
  const wanted = await connectionsOf(deps);
  const known = new Map(connections.list().map((one) => [one.name, one]));
  for (const [name, { kind }] of Object.entries(wanted)) {
    const other = known.get(name);
    if (other && !isOurs(other))
      throw new ServiceError(
        'shop_name_taken',
        `A connection called ${name} (${kind}) is there already, and is not the shop’s.`,
      );
  }
  await writeDatabase(shopFolder(config));
  for (const [name, body] of Object.entries(wanted)) {
    if (known.has(name)) continue;
    await connections.put(name, { ...body, grants: GRANTS[name] ?? { flows: [], drafts: true } });
  }
  await loadHandbook(await knowledge.opened());
}

/** Leads the connection of its service to this server again, after a start on another port. */
export async function moveShop(deps: ShopDeps): Promise<void> {
  const found = deps.connections.list().find((one) => one.name === SHOP.service && isOurs(one));
  if (!found || found.settings['address'] === addressOf(deps.ownPort())) return;
  const { [SHOP.service]: wanted } = await connectionsOf(deps);
  if (wanted) await deps.connections.put(SHOP.service, { ...wanted, grants: found.grants });
}

/** Removes the shop, with all that flows have stored in it and all mails. */
export async function closeShop({ config, connections, knowledge }: ShopDeps): Promise<void> {
  for (const connection of connections.list())
    if (isOurs(connection)) await connections.remove(connection.name);
  if (knowledge.exists()) {
    const opened = await knowledge.opened();
    const space = (await opened.spaces()).find(({ name }) => name === SHOP.handbook);
    if (space) await opened.removeSpace(space.id);
  }
  await rm(shopFolder(config), { recursive: true, force: true });
}

/** Whether a connection is one that the shop has made. */
export function isOurs({ name, settings }: Pick<KnownConnection, 'name' | 'settings'>): boolean {
  if (name === SHOP.database) return settings['folder'] === SHOP_FOLDER;
  if (name === SHOP.mail) return settings['keep'] === true;
  if (name !== SHOP.service || !URL.canParse(String(settings['address']))) return false;
  const { protocol, hostname, pathname } = new URL(String(settings['address']));
  return protocol === 'http:' && hostname === '127.0.0.1' && pathname === SHOP_PATH;
}

/** A file of the shop, for a first run. */
export function readShopFile(name: string): Promise<Uint8Array> {
  return readFile(join(SHIPPED, 'files', name));
}

/** The answer of its service; undefined for another request. Throws `unauthorized` for all but its own connection. */
export async function serviceAnswer(
  deps: Pick<ShopDeps, 'formKey'>,
  {
    method,
    path,
    authorization,
  }: { readonly method: string; readonly path: string; readonly authorization: string },
): Promise<unknown> {
  const given = Buffer.from(authorization);
  const wanted = Buffer.from(`Bearer ${await serviceKey(deps)}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new ServiceError('unauthorized');
  const answers = JSON.parse(await readFile(join(SHIPPED, 'service.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const asked = `${method} ${path}`;
  return Object.hasOwn(answers, asked) ? answers[asked] : undefined;
}

async function serviceKey({ formKey }: Pick<ShopDeps, 'formKey'>): Promise<string> {
  return createHmac('sha256', await formKey.get())
    .update('the service of the small shop')
    .digest('base64url');
}

const addressOf = (port: number): string => `http://127.0.0.1:${port}${SHOP_PATH}`;

async function connectionsOf(deps: ShopDeps): Promise<Record<string, ConnectionBody>> {
  return {
    [SHOP.database]: {
      kind: 'sqlite',
      settings: { folder: SHOP_FOLDER, file: DATABASE },
      description: 'The small shop: products, customers and orders. Made with the shop, and removed with it.',
    },
    [SHOP.mail]: {
      kind: 'smtp',
      settings: { host: 'localhost', from: 'Small shop <shop@example.com>', keep: true },
      description: 'The mailbox of the small shop: nothing is sent.',
    },
    [SHOP.service]: {
      kind: 'http',
      settings: {
        address: addressOf(deps.ownPort()),
        auth: 'bearer',
        secret: await serviceKey(deps),
        testPath: '/rates',
      },
      description: 'The HTTP service of the small shop, which this server plays.',
    },
  };
}

/** Under another name first, so that a database is there as a whole or not at all. */
async function writeDatabase(folder: string): Promise<void> {
  const file = join(folder, DATABASE);
  if (existsSync(file)) return;
  try {
    await mkdir(folder, { recursive: true });
    const draft = `${file}.new`;
    await rm(draft, { force: true });
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(draft);
    database.exec(await readFile(join(SHIPPED, DATABASE.replace('.db', '.sql')), 'utf8'));
    database.close();
    await rename(draft, file);
  } catch (error) {
    throw new ServiceError(
      'storage_failed',
      `The database of the small shop could not be written: ${String(error)}`,
    );
  }
}

async function loadHandbook(opened: Awaited<ReturnType<Knowledge['opened']>>): Promise<void> {
  const there = (await opened.spaces()).find(({ name }) => name === SHOP.handbook);
  const space =
    there ??
    (await opened.addSpace({
      name: SHOP.handbook,
      description: 'The handbook of the small shop: delivery, returns, care.',
      model: null,
    }));
  const pages = await readdir(join(SHIPPED, 'handbook'));
  const { items } = await opened.documents(space.id, { offset: 0, limit: 1000 });
  const missing = pages.filter((page) => !items.some(({ name }) => name === page));
  for (const name of missing) {
    const content = await readFile(join(SHIPPED, 'handbook', name), 'utf8');
    const by = { flow: 'knowledge', version: '', run: '', node: '', operator: 'knowledge.load' };
    await opened.load({ space: SHOP.handbook, name, content, metadata: {} }, by, AbortSignal.timeout(30_000));
  }
}
