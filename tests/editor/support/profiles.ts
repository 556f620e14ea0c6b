import type { Browser, BrowserContext, BrowserContextOptions } from '@playwright/test';
import { onTestFinished } from 'vitest';

/**
 * The profiles of a browser, each for one test at a time. A test gets an empty one: no cookies, nothing stored, no page. Files of the editor
 * stay in its cache, since loading and compiling them anew took half of the time of each test.
 */
export class Profiles {
  private readonly idle = new Map<string, BrowserContext[]>();
  private readonly browser: Browser;
  private readonly opened: (context: BrowserContext) => void;

  /** `opened` is called once for each new profile. */
  constructor(browser: Browser, opened: (context: BrowserContext) => void) {
    this.browser = browser;
    this.opened = opened;
  }

  /** A profile until the end of the test. */
  async take(options: BrowserContextOptions): Promise<BrowserContext> {
    const kind = JSON.stringify(options);
    const idle = this.idle.get(kind) ?? [];
    this.idle.set(kind, idle);
    const context = idle.pop() ?? (await this.open(options));
    onTestFinished(async () => {
      if (await isEmptied(context)) idle.push(context);
      else await context.close();
    });
    return context;
  }

  /** One that has loaded nothing before, not even files of the editor, until the end of the test. */
  async fresh(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.open(options);
    onTestFinished(() => context.close());
    return context;
  }

  private async open(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    noteChanges(context);
    this.opened(context);
    return context;
  }
}

/** What a test can change in a profile and nobody can take back. */
const LASTING = [
  'addInitScript',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'route',
  'routeWebSocket',
  'setExtraHTTPHeaders',
] as const;

const changed = new WeakSet<BrowserContext>();

function noteChanges(context: BrowserContext): void {
  context.on('close', () => changed.add(context));
  for (const name of LASTING) {
    const own = context[name].bind(context) as (...args: unknown[]) => unknown;
    Object.assign(context, {
      [name]: (...args: unknown[]) => {
        changed.add(context);
        return own(...args);
      },
    });
  }
}

/** Whether it is as empty as a new one now. */
async function isEmptied(context: BrowserContext): Promise<boolean> {
  if (changed.has(context)) return false;
  try {
    await Promise.all(context.pages().map((page) => page.close()));
    await context.setOffline(false);
    await context.setStorageState({ cookies: [], origins: [] });
    return true;
  } catch {
    // One that cannot be emptied, as after a crash, is not used again.
    return false;
  }
}
