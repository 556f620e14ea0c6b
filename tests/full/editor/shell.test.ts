import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { atWidth } from '../../editor/support/at-width.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, lineFlow, openFlow, rowFlow } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** The frame of all screens: the rail, keys that work everywhere, titles, widths. */
const stage = useStage();

const SCREENS = [
  ['/', 'Flows'],
  ['/templates', 'Templates'],
  ['/runs', 'Runs'],
  ['/waiting', 'Waiting'],
  ['/chat', 'Chat'],
  ['/apps', 'Apps'],
  ['/providers', 'Models'],
  ['/connections', 'Connections'],
  ['/packages', 'Packages'],
  ['/knowledge', 'Knowledge'],
  ['/evaluations', 'Evaluations'],
  ['/secrets', 'Secrets'],
  ['/variables', 'Variables'],
  ['/schedules', 'Schedules'],
  ['/sources', 'Sources'],
  ['/webhooks', 'Webhooks'],
  ['/dead-letters', 'Dead letters'],
  ['/usage', 'Usage'],
  ['/audit', 'Audit'],
  ['/trash', 'Trash'],
  ['/settings', 'Settings'],
  ['/keys', 'API keys'],
] as const;

/** Pages of the help with long lists, wide tables, long lines of code and pictures. */
const HELP = [
  '/help',
  '/help/about',
  '/help/chat',
  '/help/reference/settings',
  '/help/reference/http-api',
  '/help/none',
];

const screens = (page: Page) => page.getByRole('navigation', { name: 'Screens' });

async function newFlow(more: object = {}): Promise<string> {
  const id = freshId();
  const { flow, layout } = lineFlow(id);
  await stage.putFlow({ ...flow, ...more }, layout);
  return id;
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe('The rail', () => {
  test('Does it have the screens in four groups, and is its width remembered for lists and for the canvas?', async () => {
    const id = await newFlow();
    const page = await stage.visit('/');
    for (const group of ['Build', 'Operate', 'Connect', 'Admin'])
      await expect(screens(page).getByRole('group', { name: group })).toBeVisible();
    const rail = page.locator('[data-area=rail]').locator('..');
    const width = async () => (await rail.boundingBox())?.width;
    await expect.poll(width).toBe(208);
    await page.getByRole('button', { name: 'Show icons only' }).click();
    await expect.poll(width).toBe(56);
    await screens(page).getByRole('link', { name: 'Apps' }).hover();
    await expect(page.getByText('Apps', { exact: true }).last()).toBeVisible();
    await page.reload();
    await expect.poll(width).toBe(56);
    await page.goto(`/flows/${id}`);
    await flowPage(page).ready();
    await expect.poll(width).toBe(56);
    await page.getByRole('button', { name: 'Show the names of the screens' }).click();
    await expect.poll(width).toBe(208);
    await page.goto('/');
    await expect.poll(width).toBe(56);
  });

  test('Does each link lead to its screen, whose tab of the browser is named after it?', async () => {
    const page = await stage.visit('/');
    for (const [path, name] of SCREENS) {
      // Tests of other screens may have left questions, whose number is a part of the name.
      const named = new RegExp(`^${name}( ?\\d+\\+?)?$`);
      await screens(page).getByRole('link', { name: named }).click();
      await expect(page).toHaveURL(`${stage.server.url}${path}`);
      await expect(page).toHaveTitle(`${name} – Weft`);
      await expect(screens(page).locator('[aria-current=page]')).toHaveText(named);
    }
    await page.goto('/no-such-page');
    await expect(page).toHaveTitle('No such page – Weft');
  });

  test('Are failed runs and open questions counted, and does Failed show the failed runs alone?', async () => {
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.http', params: { path: `/${id}`, auth: 'none' } },
        stop: { operator: 'logic.stop', params: { message: 'The shelf is empty' } },
      },
      edges: [{ from: 'start.out', to: 'stop.in' }],
    });
    await call(stage.server, `/${id}`);
    const page = await stage.visit('/');
    const failed = screens(page).getByRole('link', { name: /^Failed/ });
    await expect(failed).toHaveText(/^Failed\d+\+?$/);
    await failed.click();
    await expect(page.getByRole('row').filter({ hasText: id })).toBeVisible();
    await expect(failed).toHaveAttribute('aria-current', 'page');
    await expect(screens(page).getByRole('link', { name: 'Runs' })).not.toHaveAttribute('aria-current');
  });

  test('Are favourites and recent flows one click away?', async () => {
    const [one, two] = [await newFlow(), await newFlow()];
    const page = await stage.visit(`/flows/${one}`);
    await flowPage(page).ready();
    await page.goto('/');
    const recent = screens(page).getByRole('group', { name: 'Recent' });
    await expect(recent.getByRole('link', { name: one })).toBeVisible();
    await page.getByRole('button', { name: `Favourite: ${two}` }).click();
    const favourites = screens(page).getByRole('group', { name: 'Favourites' });
    await favourites.getByRole('link', { name: two }).click();
    await expect(page).toHaveURL(`${stage.server.url}/flows/${two}`);
  });
});

describe('Keys on every screen', () => {
  test('Does g and a letter go to a screen, from the editor too, and does it show the letters?', async () => {
    const flow = await openFlow(stage, await newFlow());
    const { page } = flow;
    await flow.clickEmpty();
    await page.keyboard.press('g');
    await expect(page.getByRole('status', { name: 'Go to' })).toContainText('Connections');
    // N alone would open the picker.
    await page.keyboard.press('n');
    await expect(page.getByRole('heading', { name: /^Connections/ })).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await expect(page.getByRole('heading', { name: /^Runs/ })).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await expect(page).toHaveTitle('Flows – Weft');
    await page.getByRole('searchbox').fill('gr');
    await expect(page.getByRole('searchbox')).toHaveValue('gr');
    await expect(page).toHaveURL(`${stage.server.url}/`);
  });

  test('Does F6 walk rail, canvas, panel and dock, and back with Shift?', async () => {
    const flow = await openFlow(stage, await newFlow());
    const { page } = flow;
    await flow.select('first');
    await expect(screens(page)).toBeVisible();
    await expect(flow.dock).toBeVisible();
    const area = () =>
      page.evaluate(() => {
        const at = document.activeElement;
        if (at?.closest('[data-area=rail]')) return 'rail';
        if (at?.closest('[data-canvas]')) return 'canvas';
        if (at?.closest('aside')) return 'panel';
        return at?.closest('section[aria-label="Bottom panel"]') ? 'dock' : 'nothing';
      });
    await page.keyboard.press('F6');
    const first = await area();
    const walk = ['rail', 'canvas', 'panel', 'dock'];
    let at = walk.indexOf(first);
    expect(at).toBeGreaterThanOrEqual(0);
    for (let step = 0; step < 4; step++) {
      await page.keyboard.press('F6');
      at = (at + 1) % walk.length;
      expect(await area()).toBe(walk[at]);
    }
    await page.keyboard.press('Shift+F6');
    expect(await area()).toBe(walk[(at + 3) % 4]);
    // The edge of the panel, with which its width is set, is none of its content.
    while ((await area()) !== 'panel') await page.keyboard.press('F6');
    expect(await page.evaluate(() => document.activeElement?.role)).not.toBe('separator');
  });

  test('Does the focus go back where it was when a dialog whose button or field took it at once is closed?', async () => {
    const flow = await openFlow(stage, await newFlow());
    await flow.select('first');
    await flow.write('params.template', 'changed');
    await flow.saved();
    const text = flow.field('params.template').getByRole('textbox');
    await expect(text).toBeFocused();
    await flow.key('Mod+Shift+S');
    const publish = flow.page
      .getByRole('dialog', { name: 'Publish these changes?' })
      .getByRole('button', { name: 'Publish' });
    await expect(publish).toBeFocused();
    await flow.key('Enter');
    await expect(publish).toHaveCount(0);
    await expect(text).toBeFocused();
  });

  test('Is a key meant for the node with the focus where nothing is selected?', async () => {
    const flow = await openFlow(stage, await newFlow());
    await flow.select('first');
    await flow.key('Escape');
    await expect(flow.selected).toHaveCount(0);
    await expect(flow.node('first')).toBeFocused();
    await flow.key('Shift+N');
    await expect(flow.picker).toBeVisible();
    expect(await flow.selectedIds()).toEqual(['first']);
  });

  test('Does Escape in a field of the inspector go back to its node?', async () => {
    const flow = await openFlow(stage, await newFlow());
    await flow.select('first');
    await flow.field('params.template').getByRole('textbox').first().focus();
    await flow.page.keyboard.press('Escape');
    await expect(flow.node('first')).toBeFocused();
  });

  test('Is the first Tab a link to the content?', async () => {
    const page = await stage.visit('/keys');
    await expect(page.getByRole('heading', { name: /^API keys/ })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
    await page.keyboard.press('Enter');
    const inMain = await page.evaluate(() => document.activeElement?.closest('main') !== null);
    expect(inMain).toBe(true);
  });
});

describe('Mod+K', () => {
  test('Does it reach flows, screens, runs, secrets and connections from any screen?', async () => {
    const id = await newFlow({ name: `Named ${freshId()}` });
    await call(stage.server, `/${id}?name=Ada`);
    const secret = freshId();
    await stage.owner.data('PUT', `/secrets/${secret}`, { value: 'x', grants: {} });
    const page = await stage.visit('/keys');
    await expect(page.getByRole('heading', { name: /^API keys/ })).toBeVisible();
    const search = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'All commands' }).getByRole('combobox').fill(text);
    };
    await search(`run ${id}`);
    await expect(page.getByRole('option', { name: /: ok/ })).toBeVisible();
    await page.keyboard.press('Escape');
    await search(secret);
    await page.getByRole('option', { name: secret }).click();
    await expect(page.getByRole('dialog').getByText(secret).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await search('screen models');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: /^Models/ })).toBeVisible();
    await search(`flow ${id}`);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${stage.server.url}/flows/${id}`);
  });

  test('Does it open a setting of a node, and a new flow where no flow is open?', async () => {
    const flow = await openFlow(stage, await newFlow());
    const { page } = flow;
    await flow.clickEmpty();
    await page.keyboard.press('Control+k');
    const box = page.getByRole('dialog', { name: 'All commands' }).getByRole('combobox');
    await box.fill('setting second.template');
    await page.keyboard.press('Enter');
    const field = flow.field('params.template');
    await expect.poll(() => field.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    await expect(flow.selected).toHaveAttribute('data-id', 'second');
    await page.goto('/runs');
    await expect(page.getByRole('heading', { name: /^Runs/ })).toBeVisible();
    await page.keyboard.press('Control+k');
    await box.fill('new flow');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'New flow' })).toBeVisible();
  });
});

describe('Convention', () => {
  test('82. Are names of 200 letters cut, and turned text kept apart, in every bar and list?', async () => {
    const id = freshId();
    const { flow, layout } = rowFlow(id);
    const name = `${'Long '.repeat(30)}\u202Etxet denrut ${id}`;
    await stage.putFlow({ ...flow, name, folder: 'F'.repeat(200), tags: ['t'.repeat(40)] }, layout);
    for (const width of [1440, 1280, 1024, 640, 390]) {
      const page = await stage.visit(`/flows/${id}`, { viewport: { width, height: 900 } });
      await flowPage(page).ready();
      expect(await overflow(page), `editor at ${width}`).toBeLessThanOrEqual(0);
      const bar = await page.getByRole('banner').boundingBox();
      for (const button of ['Run', 'Publish']) {
        const box = await page
          .getByRole('banner')
          .getByRole('button', { name: button, exact: true })
          .boundingBox();
        expect(box && bar && box.x + box.width <= width && box.y + box.height <= bar.y + bar.height + 1).toBe(
          true,
        );
      }
      await expect(page.getByRole('banner').locator('h1 bdi')).toHaveText(/txet denrut/);
      await page.goto('/');
      await page.getByRole('searchbox').fill(id);
      await expect(page.locator('[data-flow-link] bdi')).toHaveText(/txet denrut/);
      expect(await overflow(page), `flows at ${width}`).toBeLessThanOrEqual(0);
      expect(await page.title()).not.toContain('\u202E');
      await page.context().close();
    }
  });

  test('85. Does no screen scroll sideways at 320 px, which is 400 % of 1280?', async () => {
    const id = await newFlow({ name: 'Long '.repeat(40) });
    const page = await stage.visit('/', { viewport: { width: 320, height: 640 } });
    const wide: string[] = [];
    const others = [`/flows/${id}`, '/docs', ...HELP, '/no-such-page'];
    for (const path of [...SCREENS.map(([one]) => one), ...others]) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.evaluate(() => document.fonts.ready);
      if ((await overflow(page)) > 0) wide.push(`${path}: ${await overflow(page)}`);
    }
    expect(wide).toEqual([]);
  });
});

/** The colours are those of both themes, at one width with the rail and at one without. */
const WIDTHS = [
  { width: 1440, colours: true },
  { width: 1024, colours: false },
  { width: 390, colours: true },
  { width: 320, colours: false },
];

/** A page is loaded once: to load it took longer than to look at it. Other tests load pages on phones. */
async function auditedPage() {
  const page = await stage.visit('/');
  const audits = WIDTHS.map(({ width, colours }) => ({ width, audit: auditOf(page, { colours }) }));
  return {
    page,
    found: () => audits.flatMap(({ audit }) => audit.found),
    async look(path: string): Promise<void> {
      for (const { width, audit } of audits) {
        await atWidth(page, width);
        await expect(page.getByRole('progressbar')).toHaveCount(0);
        await audit.look(`${path} at ${width}`);
      }
    },
  };
}

test.each([
  ['first', SCREENS.slice(0, 11)],
  ['last', SCREENS.slice(11)],
] as const)('Does axe find nothing on the %s screens at any width?', async (_which, screens) => {
  await newFlow();
  const { page, found, look } = await auditedPage();
  for (const [path, name] of screens) {
    await page.goto(path);
    await expect(page).toHaveTitle(`${name} – Weft`);
    await look(path);
  }
  expect(found()).toEqual([]);
});

test('Does axe find nothing in the editor at any width?', async () => {
  const id = await newFlow();
  const { page, found, look } = await auditedPage();
  await page.goto(`/flows/${id}`);
  await flowPage(page).ready();
  await look('editor');
  expect(found()).toEqual([]);
});

test('Does axe find nothing in the help at any width?', async () => {
  const { page, found, look } = await auditedPage();
  for (const path of HELP) {
    await page.goto(path);
    await look(path);
  }
  expect(found()).toEqual([]);
});
