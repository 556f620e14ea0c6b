import { z } from 'zod';
import type { App } from '#shared/app.ts';
import type { PublicPage } from '#shared/public-page.ts';
import type { Db } from '../../base/adapters/db.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { found, page, withChanged, withNew } from './app-list.ts';
import type { AppRepository } from './repository.ts';

type Apps = readonly App[];

/** Apps in the part `apps` of `db`. Throws a `StartError` if they are damaged. */
export async function openDbApps(db: Db): Promise<AppRepository> {
  await refuseDamaged(db.data.apps);
  let indexed: Apps = [];
  let byCode = new Map<string, App>();

  /** Called far more often than apps are changed; each change replaces the list. */
  function find(code: string): App | undefined {
    if (indexed !== db.data.apps) {
      indexed = db.data.apps as Apps;
      byCode = new Map(indexed.map((app) => [app.app_code, app]));
    }
    return byCode.get(code);
  }

  return {
    get: async (code) => find(code),
    list: async (filter, offset, limit) => page(db.data.apps as Apps, filter, offset, limit),
    insert: (app) => db.change('apps', (apps) => withNew(apps as Apps, app)),
    async update(code, change) {
      let changed: App | undefined;
      await db.change('apps', (apps) => {
        const current = found(withCode(apps as Apps, code), code);
        changed = change(current);
        return withChanged(apps as Apps, current, changed);
      });
      return changed as unknown as App;
    },
    async remove(code) {
      let removed: App | undefined;
      if (find(code) !== undefined) await db.change('pages', ({ [code]: _, ...pages }) => pages);
      await db.change('apps', (apps) => {
        removed = found(withCode(apps as Apps, code), code);
        return (apps as Apps).filter((app) => app !== removed);
      });
      return removed as unknown as App;
    },
  };
}

/** In the list that is to be changed, which may be newer than the one in memory if it is in a database. */
function withCode(apps: Apps, code: string): App | undefined {
  return apps.find(({ app_code }) => app_code === code);
}

/** The schema is loaded only if there are apps, because it would add some milliseconds to each start. */
async function refuseDamaged(apps: readonly unknown[]): Promise<void> {
  if (apps.length === 0) return;
  const { App } = await import('#shared/app.ts');
  const result = z.array(App).safeParse(apps);
  if (!result.success)
    throw new StartError(`The apps in db.json are damaged: ${z.prettifyError(result.error)}`);
}

/** The public pages of apps. */
export interface AppPages {
  /** Undefined if it was never set up. */
  get(app: string): PublicPage | undefined;
  /** Throws `storage_failed`. */
  set(app: string, page: PublicPage): Promise<void>;
}

/**
 * Public pages in the part `pages` of `db`; a page is deleted with its app. Throws a `StartError` if they are damaged.
 */
export async function openAppPages(db: Db): Promise<AppPages> {
  if (Object.keys(db.data.pages).length > 0) {
    const { PublicPage: Page } = await import('#shared/public-page.ts');
    const result = z.record(z.string(), Page).safeParse(db.data.pages);
    if (!result.success)
      throw new StartError(
        `The public pages of apps in db.json are damaged: ${z.prettifyError(result.error)}`,
      );
  }
  const all = (): Readonly<Record<string, PublicPage>> => db.data.pages as Record<string, PublicPage>;
  return {
    get: (app) => (Object.hasOwn(all(), app) ? all()[app] : undefined),
    set: (app, page) => db.change('pages', (pages) => ({ ...pages, [app]: page })),
  };
}
