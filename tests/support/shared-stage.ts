import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { BrowserServer } from '@playwright/test';
import type { TestProject } from 'vitest/node';
import { startSharedPostgres } from '../../server/storage/testing/postgres-server.ts';
import { buildEditor } from '../editor/support/build.ts';
import { launchChromiumServer } from './chromium.ts';
import { type Owner, signIn } from './client.ts';
import { useMemory } from './memory-folder.ts';
import { discard, startServer, type TestServer } from './server.ts';

/** A server and a browser for all test files that do not test the start and use only their own flows. */
export interface SharedStage {
  readonly server: Pick<TestServer, 'url' | 'entrance' | 'key' | 'flows' | 'data'>;
  readonly owner: Pick<Owner, 'headers'>;
  /** Where Playwright connects to the browser. */
  readonly browser: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The `SharedStage`, set when the first file needs it. */
    sharedStage: string;
  }
}

/**
 * Vitest's global set-up: runs in its main process, so that every worker can use what it starts, which is stopped after
 * the last one. Each part is started when a file first asks for it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // PostgreSQL does not wait for the disk, and would need much memory.
  const disk = tmpdir();
  if (process.env['TEST_TEMP'] === 'memory') useMemory();
  let stage: ReturnType<typeof start> | undefined;
  let postgres: Promise<string> | undefined;
  const asked: Readonly<Record<string, () => Promise<string>>> = {
    '/stage': async () => JSON.stringify((await (stage ??= start())).shared),
    '/postgres': () => (postgres ??= startSharedPostgres(disk)),
  };
  const http = createServer(({ url = '' }, response) => {
    asked[url]?.().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  project.provide('sharedStage', `${address}/stage`);
  // Benchmarks take databases too, without Vitest, so it is no provided value.
  process.env['TEST_POSTGRES'] = `${address}/postgres`;
  return async () => {
    http.close();
    const started = await stage?.catch(() => undefined);
    await started?.browser.close();
    if (started) await discard(started.server);
  };
}

async function start(): Promise<{ server: TestServer; browser: BrowserServer; shared: SharedStage }> {
  await buildEditor();
  const [server, browser] = await Promise.all([startServer(), launchChromiumServer()]);
  const { headers } = await signIn(server);
  const { url, entrance, key, flows, data } = server;
  const shared = {
    server: { url, entrance, key, flows, data },
    owner: { headers },
    browser: browser.wsEndpoint(),
  };
  return { server, browser, shared };
}
