import type { App } from '#shared/app.ts';
import { found, page, withChanged, withNew } from '../app-list.ts';
import type { AppRepository } from '../repository.ts';

/** Apps that live as long as the process, when there is no data folder. */
export function createMemoryApps(): AppRepository {
  let apps: readonly App[] = [];
  const find = (code: string): App | undefined => apps.find(({ app_code }) => app_code === code);

  return {
    get: async (code) => find(code),
    list: async (filter, offset, limit) => page(apps, filter, offset, limit),
    async insert(app) {
      apps = withNew(apps, app);
    },
    async update(code, change) {
      const current = found(find(code), code);
      const changed = change(current);
      apps = withChanged(apps, current, changed);
      return changed;
    },
    async remove(code) {
      const removed = found(find(code), code);
      apps = apps.filter((app) => app !== removed);
      return removed;
    },
  };
}
