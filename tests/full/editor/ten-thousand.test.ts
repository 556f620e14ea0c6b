import type { Page, Route } from '@playwright/test';
import { expect as expectValue, test } from 'vitest';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

/** Lists with ten thousand rows, the first with a name of 200 characters: they open, are searched, page, and stay small. */
const stage = useStage();

const MANY = 10_000;
const LONG = 'Absonderlich'.repeat(17).slice(0, 200);
/** A row at the end of the list, whichever way it is sorted. */
const LAST = 'zz_needle';
const AT = Date.UTC(2026, 1, 4);
const iso = (n: number): string => new Date(AT + n * 1000).toISOString();

const ids = Array.from({ length: MANY }, (_, n) =>
  n === MANY - 1 ? LAST : `row_${String(n).padStart(5, '0')}`,
);
const nameOf = (id: string, n: number): string => (n === 0 ? LONG : id);

interface List {
  readonly screen: string;
  /** What the screen asks. */
  readonly api: string;
  item(id: string, n: number): object;
  /** An answer in pages; by default all rows at once. */
  page?(items: readonly object[], next: string | undefined): object;
  /** The parameter that asks for the page behind an id. */
  readonly after?: string;
}

const LISTS: readonly List[] = [
  {
    screen: '/',
    api: '/api/v1/flows',
    item: (id, n) => ({
      id,
      name: nameOf(id, n),
      file: `${id}.json`,
      state: 'live',
      version: 'a'.repeat(16),
      revision: String(n),
      hasDraft: false,
      readOnly: false,
      problems: [],
      triggers: [],
      calls: [],
      updatedAt: iso(n),
    }),
  },
  { screen: '/variables', api: '/api/v1/variables', item: (id, n) => ({ name: nameOf(id, n), value: n }) },
  {
    screen: '/schedules',
    api: '/api/v1/schedules',
    item: (id, n) => ({
      flow: nameOf(id, n),
      node: 'tick',
      cron: '0 9 * * 1',
      timezone: 'Europe/Oslo',
      next: iso(n),
      seenTo: iso(0),
    }),
  },
  {
    screen: '/sources',
    api: '/api/v1/sources',
    item: (id, n) => ({
      flow: nameOf(id, n),
      node: 'watch',
      operator: 'trigger.feed',
      state: 'listening',
      started: n,
      failures: 0,
    }),
  },
  { screen: '/trash', api: '/api/v1/trash', item: (id, n) => ({ id, at: AT + n, name: nameOf(id, n) }) },
  {
    screen: '/dead-letters',
    api: '/api/v1/dead-letters',
    after: 'before',
    item: (id, n) => ({
      run: id,
      flow: nameOf(id, n),
      version: 'a'.repeat(16),
      trigger: 'start',
      error: { code: 'node_failed', message: `It failed: ${id}`, node: 'ask' },
      startedAt: AT,
      failedAt: AT + n,
    }),
    page: (deadLetters, next) => ({ deadLetters, ...(next !== undefined && { next }) }),
  },
  {
    screen: '/waiting',
    api: '/api/v1/waits',
    after: 'after',
    item: (id, n) => ({
      id,
      run: id,
      flow: 'asks',
      node: 'ask',
      status: 'open',
      title: nameOf(id, n),
      ask: { kind: 'approval' },
      openedAt: iso(n),
    }),
    page: (waits, next) => ({ waits, more: next !== undefined, ...(next !== undefined && { next }) }),
  },
  {
    screen: '/audit',
    api: '/api/v1/audit',
    after: 'before',
    item: (id, n) => ({
      id,
      at: iso(n),
      actor: { kind: 'key', id: 'k', name: 'key deploy' },
      what: 'flow published',
      facts: { flow: nameOf(id, n) },
    }),
    page: (entries, next) => ({ entries, ...(next !== undefined && { next }) }),
  },
  {
    screen: '/packages',
    api: '/api/v1/packages',
    item: (id, n) => ({
      name: nameOf(id, n),
      version: '1.0.0',
      reach: { hosts: [], connections: [], files: false, services: [] },
      operators: [],
      problems: [],
    }),
  },
  {
    screen: '/connections',
    api: '/api/v1/connections',
    item: (id, n) => ({
      name: nameOf(id, n),
      kind: 'http',
      settings: { address: 'https://api.example.com' },
      hidden: [],
      grants: {},
      updatedAt: iso(n),
      usedBy: n === 0 ? ids.slice(0, 500) : [],
    }),
  },
  {
    screen: '/secrets',
    api: '/api/v1/secrets',
    item: (id, n) => ({ name: nameOf(id, n), source: 'file', grants: {}, updatedAt: iso(n) }),
  },
  {
    screen: '/keys',
    api: '/api/v1/keys',
    item: (id, n) => ({ id, name: nameOf(id, n), scopes: ['chat'], source: 'kept', createdAt: iso(n) }),
  },
];

/** Answers with the rows of the list, in pages if it has some. */
async function fill(page: Page, { api, after, item, page: pageOf = (all) => all }: List): Promise<void> {
  const all = ids.map(item);
  await page.route(
    (url) => url.pathname === api,
    async (route: Route) => {
      const { searchParams } = new URL(route.request().url());
      const limit = Number(searchParams.get('limit') ?? MANY);
      const behind = after === undefined ? null : searchParams.get(after);
      const from = behind === null ? 0 : Number(behind);
      const next = from + limit < MANY ? String(from + limit) : undefined;
      const data = pageOf(all.slice(from, from + limit), next);
      await route.fulfill({ json: { success: true, err_code: null, err_msg: null, data } });
    },
  );
}

test.each(LISTS)(
  'Do ten thousand rows of $screen open, is one found, and is the page no larger for them?',
  async (list) => {
    const page = await stage.visit('about:blank');
    await fill(page, list);
    await page.goto(list.screen);
    const main = page.getByRole('main');
    await expect(main.getByText(LONG).first()).toBeVisible();
    const size = () => page.evaluate(() => document.querySelectorAll('main *').length);
    expectValue(await size()).toBeLessThan(20_000);
    const rows = main.getByRole('row');
    const before = await rows.count();
    expectValue(before).toBeLessThan(520);
    const more = page.getByRole('button', { name: /^(Show more of|Load more)/ }).first();
    const isLoaded = (await more.textContent())?.startsWith('Show') === true;
    await more.click();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
    // One goes on with the first row that came.
    if (isLoaded) await expect(rows.nth(before).locator(':focus')).toHaveCount(1);
    await page.getByRole('searchbox').first().fill(LAST);
    await expect(rows.filter({ hasText: LAST })).toHaveCount(1);
    await page.getByRole('searchbox').first().fill('no such row');
    await expect(
      main
        .getByText('No match')
        .or(main.getByText(/No flow/))
        .first(),
    ).toBeVisible();
    await page.getByRole('searchbox').first().fill('');
    for (const width of [1440, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await expect(rows.nth(1)).toBeVisible();
      expectValue([width, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
        width,
        width,
      ]);
    }
  },
);
