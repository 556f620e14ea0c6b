import type { App } from '#shared/app.ts';

/** The filter of a search; omitted fields do not restrict it. */
export interface AppFilter {
  readonly isCollected?: App['is_collected'] | undefined;
  readonly userCode?: string | undefined;
  readonly sysCode?: string | undefined;
  /** Part of the name, ignoring case. */
  readonly name?: string | undefined;
}

/** A page of the apps that were found. */
export interface FoundApps {
  /** The total number found. */
  readonly total: number;
  readonly apps: readonly App[];
}

/**
 * Storage for apps.
 * 1. No two apps have the same code or the same name, even if changes happen at once; a change that would break
 *    this throws `conflict` (code) or `app_name_taken`, and changes nothing.
 * 2. A change that was awaited is stored; one that failed did not happen.
 * 3. Returned apps never change; a change replaces an app by a new object.
 */
export interface AppRepository {
  get(code: string): Promise<App | undefined>;
  /** The matching apps, newest first, from `offset` on. */
  list(filter: AppFilter, offset: number, limit: number): Promise<FoundApps>;
  insert(app: App): Promise<void>;
  /** Replaces the app by the result of `change`. Throws `app_not_found`, and what `change` throws. */
  update(code: string, change: (current: App) => App): Promise<App>;
  /** Returns the removed app. Throws `app_not_found`. */
  remove(code: string): Promise<App>;
}
