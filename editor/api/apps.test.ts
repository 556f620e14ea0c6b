import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listAllApps } from './apps.ts';

const PAGES = 3;

const appOf = (page: number) => ({
  app_code: `app_${page}`,
  app_name: `App ${page}`,
  app_describe: '',
  team_mode: 'single_agent',
  language: 'en',
  team_context: null,
  user_code: null,
  sys_code: null,
  is_collected: 'false',
  icon: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  details: [],
});

beforeEach(() => {
  vi.stubGlobal('fetch', async (path: string) => {
    const page = Number(new URL(path, 'http://127.0.0.1').searchParams.get('page'));
    const data = { total_count: PAGES, total_page: PAGES, current_page: page, app_list: [appOf(page)] };
    return Response.json({ success: true, err_code: null, err_msg: null, data });
  });
});
afterEach(() => void vi.unstubAllGlobals());

test('whoever names an app finds those of all pages', async () => {
  const apps = await listAllApps();
  expect(apps.map(({ app_code }) => app_code)).toEqual(['app_1', 'app_2', 'app_3']);
});
