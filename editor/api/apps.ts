import type { App, AppPage } from '#shared/app.ts';
import type { PublicPage } from '#shared/public-page.ts';
import { call } from './client.ts';

/** Apps, through the API that clients of the original use too. */
const APPS = '/api/v2/serve/apps';
const schemas = () => import('./service-schemas.ts');
const at = (code: string): string => `${APPS}/${encodeURIComponent(code)}`;

export const listApps = (page: number): Promise<AppPage> =>
  call(async () => (await schemas()).AppPage, 'GET', `${APPS}?page=${page}&page_size=100`);

/** More pages are not read: of so many apps, the newest are known by their names. */
const MOST_PAGES = 50;

/** All apps, the newest first. */
export async function listAllApps(): Promise<readonly App[]> {
  const apps: App[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { app_list, total_page } = await listApps(page);
    apps.push(...app_list);
    if (page >= total_page) break;
  }
  return apps;
}

export const getApp = (code: string): Promise<App> =>
  call(async () => (await schemas()).App, 'GET', at(code));

export const createApp = (body: object): Promise<App> =>
  call(async () => (await schemas()).App, 'POST', APPS, { body });

export const saveApp = (code: string, body: object): Promise<App> =>
  call(async () => (await schemas()).App, 'PUT', at(code), { body });

export const removeApp = (code: string): Promise<unknown> => call((s) => s.Anything, 'DELETE', at(code));

export const collectApp = (code: string, isCollected: boolean): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `${at(code)}/${isCollected ? 'collect' : 'uncollect'}`);

const pageOf = (code: string): string => `/api/v1/apps/${encodeURIComponent(code)}/page`;

export const getPublicPage = (code: string): Promise<PublicPage> =>
  call(async () => (await schemas()).PublicPage, 'GET', pageOf(code));

export const savePublicPage = (code: string, page: PublicPage): Promise<PublicPage> =>
  call(async () => (await schemas()).PublicPage, 'PUT', pageOf(code), { body: page });
