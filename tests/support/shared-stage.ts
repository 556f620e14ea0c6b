import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { BrowserServer } from '@playwright/test';
import type { TestProject } from 'vitest/node';
import { startSharedPostgres } from '../../server/storage/database/testing/postgres-server.ts';
import { buildEditor } from '../editor/support/build.ts';
import { launchChromiumServer } from './chromium.ts';
import { type Owner, signIn } from './client.ts';
import { useMemory } from './memory-folder.ts';
import { discard, startServer, type TestServer } from './server.ts';

/** A server for all test files that need the same settings, do not test the start and use only their own flows. */
export interface SharedServer {
  readonly server: Pick<TestServer, 'url' | 'entrance' | 'key' | 'flows' | 'data'>;
  readonly owner: Pick<Owner, 'headers'>;
}

/** Where Playwright connects to the browser, which all test files share. The editor has then been built. */
export interface SharedBrowser {
  readonly endpoint: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The address at which `browser` gives the `SharedBrowser`, and `server?{settings as JSON}` a `SharedServer`. */
    sharedStage: string;
  }
}

/**
 * Vitest's global set-up: runs in its main process, so that every worker can use what it starts, each when the first file
 * needs it, and all stopped after the last file.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // PostgreSQL does not wait for the disk, and would need much memory.
  const disk = tmpdir();
  if (process.env['TEST_TEMP'] === 'memory') useMemory();
  let browser: Promise<BrowserServer> | undefined;
  let postgres: Promise<string> | undefined;
  const servers = new Map<string, Promise<Started>>();
  const give = async ({ pathname, search }: URL): Promise<SharedBrowser | SharedServer | string> => {
    if (pathname === '/postgres') return await (postgres ??= startSharedPostgres(disk));
    browser ??= buildEditor().then(launchChromiumServer);
    const endpoint = (await browser).wsEndpoint();
    if (pathname === '/browser') return { endpoint };
    const started = servers.get(search) ?? start(search);
    servers.set(search, started);
    return (await started).shared;
  };
  const http = createServer(({ url = '' }, response) => {
    give(new URL(url, 'http://stage')).then(
      (shared) => response.end(typeof shared === 'string' ? shared : JSON.stringify(shared)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  project.provide('sharedStage', `${address}/`);
  // Benchmarks take databases too, without Vitest, so it is no provided value.
  process.env['TEST_STAGE_POSTGRES'] = `${address}/postgres`;
  return async () => {
    http.close();
    await (await browser?.catch(() => undefined))?.close();
    for (const started of await Promise.allSettled(servers.values()))
      if (started.status === 'fulfilled') await discard(started.value.server);
  };
}

interface Started {
  readonly server: TestServer;
  readonly shared: SharedServer;
}

async function start(search: string): Promise<Started> {
  const env = JSON.parse(decodeURIComponent(search.slice(1))) as Record<string, string>;
  const server = await startServer({ env });
  const { headers } = await signIn(server);
  const { url, entrance, key, flows, data } = server;
  return { server, shared: { server: { url, entrance, key, flows, data }, owner: { headers } } };
}
