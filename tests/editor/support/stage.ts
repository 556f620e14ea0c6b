import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { type Owner, ownerOf, signIn } from '../../support/client.ts';
import { discard, type ServerSetup, startServer, type TestServer } from '../../support/server.ts';
import type { SharedBrowser, SharedServer } from '../../support/shared-stage.ts';
import { PATIENCE_MS } from '../../support/eventually.ts';
import { keepAnnouncements } from './announcements.ts';
import { Profiles } from './profiles.ts';

/** A flow as JSON, with at least an id. */
export interface FlowLike {
  readonly id: string;
  readonly [field: string]: unknown;
}

type StageServer = SharedServer['server'];

/** A real server with the built editor, and a browser with a fresh profile for each test. */
export interface Stage {
  readonly server: StageServer;
  readonly owner: Owner;
  /** A page in a separate browser profile, signed in. */
  visit(path: string, options?: VisitOptions): Promise<Page>;
  /** Signs the page's browser in again, as opening the printed address does. */
  admit(page: Page): Promise<void>;
  /** Creates a flow through the server's API; it is live if it has no errors. */
  putFlow(flow: FlowLike, layout?: object): Promise<void>;
  /** The text of a flow as it was saved: its draft, or its file if it has none. */
  fileText(id: string): string;
  /** The text of the file, which is live. */
  liveText(id: string): string;
}

/** A stage with a server for this file only. */
export interface OwnStage extends Stage {
  readonly server: TestServer;
  /** Stops the server and starts another one on the same folders. */
  restart(): Promise<void>;
}

interface Deps<Server extends StageServer> {
  server: Server;
  owner: Owner;
  browser: Browser;
}

/** With a profile that has loaded nothing before, not even files of the editor. */
export interface VisitOptions extends BrowserContextOptions {
  readonly isFirst?: boolean;
}

const LAUNCH_MS = 300_000;

/**
 * The server for all files that need the same settings and use only their own flows (`freshId`), and the browser of all
 * files: starting both for each file took a quarter of the time.
 */
export function useStage(env: Readonly<Record<string, string>> = {}): Stage {
  const { now, stage } = stageOf<StageServer>(async () => {
    const settings = encodeURIComponent(JSON.stringify(env));
    const { server, owner } = await shared<SharedServer>(`server?${settings}`);
    return { server, owner: ownerOf(server, owner.headers), browser: await sharedBrowser() };
  });
  afterAll(() => now().browser.close());
  return stage;
}

async function sharedBrowser(): Promise<Browser> {
  return chromium.connect((await shared<SharedBrowser>('browser')).endpoint);
}

async function shared<T>(path: string): Promise<T> {
  const response = await fetch(inject('sharedStage') + path);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/**
 * A server for the whole file, for tests that need settings of this file alone, a restart or an empty server: started
 * before the tests, removed after them.
 */
export function useOwnStage(setup: ServerSetup = {}): OwnStage {
  const { now, set, stage } = stageOf<TestServer>(async () => {
    // First, because it waits until the editor is built.
    const browser = await sharedBrowser();
    const server = await startServer(setup);
    return { server, browser, owner: await signIn(server) };
  });
  afterAll(async () => {
    await now().browser.close();
    await discard(now().server);
  });
  const restart = async (): Promise<void> => {
    const { server, browser } = now();
    await server.stop();
    const { flows, data } = server;
    const env = { ...setup.env, WEFT_PORT: new URL(server.url).port };
    const again = await startServer({ ...setup, flows, data, env });
    set({ server: again, browser, owner: await signIn(again) });
  };
  return Object.defineProperties({ restart } as OwnStage, Object.getOwnPropertyDescriptors(stage));
}

/** An error in a page fails the test that had it open. */
function stageOf<Server extends StageServer>(start: () => Promise<Deps<Server>>) {
  let deps: Deps<Server> | undefined;
  const faults: string[] = [];
  let profiles: Profiles | undefined;
  const now = (): Deps<Server> => {
    if (!deps) throw new Error('The stage is set by beforeAll.');
    return deps;
  };
  beforeAll(async () => {
    deps = await start();
  }, LAUNCH_MS);
  afterEach(() => {
    const found = faults.splice(0);
    if (found.length > 0) throw new Error(`Errors in the page:\n${found.join('\n')}`);
  });
  const stage = {
    get server(): Server {
      return now().server;
    },
    get owner() {
      return now().owner;
    },
    visit: (path: string, options?: VisitOptions) => {
      profiles ??= new Profiles(now().browser, (context) => {
        context.setDefaultTimeout(PATIENCE_MS);
        context.on('page', (page) => watch(page, faults));
      });
      return visit(now(), profiles, path, options);
    },
    admit: (page: Page) => page.context().addCookies([cookieOf(now())]),
    putFlow: (flow: FlowLike, layout?: object) => putFlow(now().owner, flow, layout),
    fileText: (id: string) => {
      const { flows } = now().server;
      const draft = join(flows, '.drafts', `${id}.json`);
      return readFileSync(existsSync(draft) ? draft : join(flows, `${id}.json`), 'utf8');
    },
    liveText: (id: string) => readFileSync(join(now().server.flows, `${id}.json`), 'utf8'),
  };
  const set = (changed: Deps<Server>): void => {
    deps = changed;
  };
  return { now, set, stage };
}

async function visit(
  { server, owner }: Deps<StageServer>,
  profiles: Profiles,
  path: string,
  { isFirst = false, ...options }: VisitOptions = {},
): Promise<Page> {
  const context = await profiles[isFirst ? 'fresh' : 'take']({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    baseURL: server.url,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await context.addCookies([cookieOf({ server, owner })]);
  const page = await context.newPage();
  await keepAnnouncements(page);
  await page.goto(path);
  return page;
}

function cookieOf({ server, owner }: Pick<Deps<StageServer>, 'server' | 'owner'>) {
  const [name = '', value = ''] = (owner.headers['cookie'] ?? '').split('=', 2);
  return { name, value, url: server.url, httpOnly: true, sameSite: 'Strict' as const };
}

/** Collects exceptions, and everything that the content security policy has blocked. */
function watch(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(error.stack || error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && /Content Security Policy|Minified React error/.test(text))
      faults.push(text);
  });
}

/** Saves as the editor does: formatted, with positions. */
async function putFlow(owner: Owner, flow: FlowLike, layout?: object): Promise<void> {
  await owner.data('POST', '/flows', { id: flow.id, flow });
  if (layout) await owner.data('PUT', `/flows/${flow.id}/layout`, layout);
}
