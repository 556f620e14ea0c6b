import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import { type Owner, signIn } from '../../support/client.ts';
import { discard, type ServerSetup, startServer, type TestServer } from '../../support/server.ts';
import { buildEditor } from './build.ts';

/** A flow as JSON: enough of it to have an address. */
export interface FlowLike {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A real server with the built editor, and a browser of which each test gets a fresh profile. */
export interface Stage {
  readonly server: TestServer;
  readonly owner: Owner;
  /** A page in a browser profile of its own, signed in. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Signs the page's browser in anew, as opening the address does that the server has printed. */
  admit(page: Page): Promise<void>;
  /** Makes a flow by the server's API; it is live when it has no errors. */
  putFlow(flow: FlowLike, layout?: object): Promise<void>;
  /** What the file of a flow says now. */
  fileText(id: string): string;
  /** Stops the server and starts another one on the same folders. */
  restart(): Promise<void>;
}

interface Parts {
  server: TestServer;
  owner: Owner;
  browser: Browser;
}

const LAUNCH_MS = 300_000;

/** For the whole file: set up before its tests, gone after them. An error in a page fails the test that had it open. */
export function useStage(setup: ServerSetup = {}): Stage {
  let parts: Parts | undefined;
  const faults: string[] = [];
  const now = (): Parts => {
    if (!parts) throw new Error('The stage is set by beforeAll.');
    return parts;
  };
  beforeAll(async () => {
    await buildEditor();
    const [server, browser] = await Promise.all([startServer(setup), launchChromium()]);
    parts = { server, browser, owner: await signIn(server) };
  }, LAUNCH_MS);
  afterEach(() => {
    const found = faults.splice(0);
    if (found.length > 0) throw new Error(`Errors in the page:\n${found.join('\n')}`);
  });
  afterAll(async () => {
    await parts?.browser.close();
    if (parts) await discard(parts.server);
  });
  return {
    get server() {
      return now().server;
    },
    get owner() {
      return now().owner;
    },
    visit: (path, options) => visit(now(), faults, path, options),
    admit: (page) => page.context().addCookies([cookieOf(now())]),
    putFlow: (flow, layout) => putFlow(now().owner, flow, layout),
    fileText: (id) => readFileSync(join(now().server.flows, `${id}.json`), 'utf8'),
    restart: async () => {
      const { server, browser } = now();
      await server.stop();
      const { flows, data } = server;
      const again = await startServer({
        ...setup,
        flows,
        data,
        env: { ...setup.env, WEFT_PORT: portOf(server) },
      });
      parts = { server: again, browser, owner: await signIn(again) };
    },
  };
}

function portOf({ url }: TestServer): string {
  return new URL(url).port;
}

async function visit(
  { server, owner, browser }: Parts,
  faults: string[],
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    baseURL: server.url,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(10_000);
  await context.addCookies([cookieOf({ server, owner })]);
  context.on('page', (page) => watch(page, faults));
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

function cookieOf({ server, owner }: Pick<Parts, 'server' | 'owner'>) {
  const [name = '', value = ''] = (owner.headers['cookie'] ?? '').split('=', 2);
  return { name, value, url: server.url, httpOnly: true, sameSite: 'Strict' as const };
}

/** Exceptions, and whatever the content security policy has stopped. */
function watch(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(error.stack || error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && /Content Security Policy|Minified React error/.test(text))
      faults.push(text);
  });
}

/** As the editor saves it; formatted, with its places. */
async function putFlow(owner: Owner, flow: FlowLike, layout?: object): Promise<void> {
  await owner.data('POST', '/flows', { id: flow.id, flow });
  if (layout) await owner.data('PUT', `/flows/${flow.id}/layout`, layout);
}
