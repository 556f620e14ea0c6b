import type { App } from '#shared/app.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { AppFilter, FoundApps } from './repository.ts';

/** Changes of a list of apps, oldest first; the list is never changed in place. Shared by the repositories. */

export function withNew(apps: readonly App[], app: App): readonly App[] {
  if (apps.some(({ app_code }) => app_code === app.app_code))
    throw new ServiceError('conflict', 'An app with this code already exists.', { param: 'app_code' });
  refuseTakenName(apps, app);
  return [...apps, app];
}

export function withChanged(apps: readonly App[], current: App, changed: App): readonly App[] {
  const others = apps.filter((app) => app !== current);
  refuseTakenName(others, changed);
  return apps.map((app) => (app === current ? changed : app));
}

export function found(app: App | undefined, code: string): App {
  if (app !== undefined) return app;
  throw new ServiceError('app_not_found', `There is no app ${JSON.stringify(code.slice(0, 100))}.`);
}

export function page(apps: readonly App[], filter: AppFilter, offset: number, limit: number): FoundApps {
  const matching = apps.filter((app) => matches(app, filter)).reverse();
  return { total: matching.length, apps: matching.slice(offset, offset + limit) };
}

function matches(app: App, { isCollected, userCode, sysCode, name }: AppFilter): boolean {
  if (isCollected !== undefined && app.is_collected !== isCollected) return false;
  if (userCode !== undefined && app.user_code !== userCode) return false;
  if (sysCode !== undefined && app.sys_code !== sysCode) return false;
  return name === undefined || app.app_name.toLowerCase().includes(name.toLowerCase());
}

function refuseTakenName(others: readonly App[], { app_name }: App): void {
  const owner = others.find((app) => app.app_name === app_name);
  if (owner === undefined) return;
  const message = `The app ${owner.app_code} already has the name ${JSON.stringify(app_name)}.`;
  throw new ServiceError('app_name_taken', message, { param: 'app_name' });
}
