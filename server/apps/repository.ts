import type { App } from '#shared/app.ts';

/** What must hold for an app to be found; what is left out does not restrict. */
export interface AppFilter {
  readonly isCollected?: App['is_collected'] | undefined;
  readonly userCode?: string | undefined;
  readonly sysCode?: string | undefined;
  /** Part of the name, in upper or lower case. */
  readonly name?: string | undefined;
}

/** Some of the apps that were found. */
export interface FoundApps {
  /** How many were found in all. */
  readonly total: number;
  readonly apps: readonly App[];
}

/**
 * Where apps are kept.
 * 1. No two apps have the same code or the same name, also when changes come at once; a change that would break this throws
 *    `conflict` (code) or `app_name_taken`, and nothing changed.
 * 2. A change that was awaited is kept; one that failed did not happen.
 * 3. Apps that were given out never change; a change puts a new object in the place of the old one.
 */
export interface AppRepository {
  get(code: string): Promise<App | undefined>;
  /** Those found, newest first, from `offset` on. */
  list(filter: AppFilter, offset: number, limit: number): Promise<FoundApps>;
  insert(app: App): Promise<void>;
  /** Puts what `change` makes of the app in its place. Throws `app_not_found`, and what `change` throws. */
  update(code: string, change: (current: App) => App): Promise<App>;
  /** Gives what was removed. Throws `app_not_found`. */
  remove(code: string): Promise<App>;
}
