import type { App, AppBody, AppListQuery, AppPage } from '#shared/app.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { applyBody, blankApp, type Stamp } from './apply-body.ts';
import { sceneFault } from './native-scene.ts';
import type { AppRepository } from './repository.ts';

/** The most bytes of one app as JSON: all apps are in one file, which is written as a whole. */
export const MAX_APP_BYTES = 256 * 1024;

/**
 * The apps of the server. Errors are `ServiceError`s: `app_not_found`, `app_name_taken`, `body_too_large`,
 * `storage_failed`.
 */
export interface Apps {
  get(code: string): Promise<App | undefined>;
  list(query: AppListQuery): Promise<AppPage>;
  create(body: AppBody): Promise<App>;
  update(code: string, body: AppBody): Promise<App>;
  /** Marks the app as a favourite, or removes the mark; this does not count as a change of the app. */
  collect(code: string, isCollected: boolean): Promise<App>;
  remove(code: string): Promise<App>;
}

/** `now` in Unix milliseconds, `id` a new unique text on each call. */
export function createApps(repository: AppRepository, { now, id }: { now(): number; id(): string }): Apps {
  const stamp = (): Stamp => ({ at: new Date(now()).toISOString(), newId: id });
  return {
    get: (code) => repository.get(code),
    async list({ page, page_size, is_collected, user_name, sys_code, name }) {
      const filter = { isCollected: is_collected, userCode: user_name, sysCode: sys_code, name };
      const { total, apps } = await repository.list(filter, (Math.max(page, 1) - 1) * page_size, page_size);
      return {
        total_count: total,
        total_page: Math.ceil(total / page_size),
        current_page: page,
        app_list: apps,
      };
    },
    async create(body) {
      const made = stamp();
      const app = checked(applyBody(blankApp(made), body, made));
      await repository.insert(app);
      return app;
    },
    update: (code, body) => repository.update(code, (current) => checked(applyBody(current, body, stamp()))),
    collect: (code, isCollected) =>
      repository.update(code, (current) => ({ ...current, is_collected: isCollected ? 'true' : 'false' })),
    remove: (code) => repository.remove(code),
  };
}

function checked(app: App): App {
  const ids = app.details.map(({ node_id }) => node_id);
  const twice = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (twice >= 0)
    throw new ServiceError(
      'invalid_request',
      'Two agents of the app have the same `node_id`; leave one out.',
      {
        param: `details.${twice}.node_id`,
      },
    );
  const scene = app.team_mode === 'native_app' ? sceneFault(app) : undefined;
  if (scene !== undefined)
    throw new ServiceError('invalid_request', `The app cannot answer: ${scene}.`, { param: 'team_context' });
  if (Buffer.byteLength(JSON.stringify(app)) > MAX_APP_BYTES)
    throw new ServiceError('body_too_large', `An app has at most ${MAX_APP_BYTES / 1024} KB of JSON.`);
  return app;
}
