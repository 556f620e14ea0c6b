import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { launchChromium } from '../support/chromium.ts';
import { call, signIn } from '../support/client.ts';
import { discard, root, startServer, tempFolder, type TestServer } from '../support/server.ts';
import { buildEditor } from './support/build.ts';
import { type FlowPage, flowPage } from './support/flow-page.ts';
import { keptScenes, prepareKept } from './support/kept-scenes.ts';
import { runScenes } from './support/run-scenes.ts';
import { prepareService, serviceScenes } from './support/service-scenes.ts';
import { PATIENCE_MS } from '../support/eventually.ts';

/**
 * Pictures of every screen and dialog, light and dark, wide and narrow, to be looked at: `node tests/editor/shots.ts <folder>`.
 * With `--runs` only those about runs, also at a third width; with `--docs` only the two pictures of docs/images are made.
 */
type Scheme = 'light' | 'dark';
type Shoot = (name: string) => Promise<void>;

const WIDTHS = [1440, 1024];
/** Here only the screens about runs are looked at. */
const NARROW = 720;
const HEIGHT = 900;
const SCHEMES: readonly Scheme[] = ['light', 'dark'];

const FAILING = {
  format: 1,
  id: 'failing',
  name: 'Take from stock',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/failing', auth: 'none' } },
    code: {
      operator: 'code.run',
      name: 'Look into the stock',
      params: {
        source:
          'const stock: number = input.stock ?? 0;\nif (stock === 0) throw new Error("out of pens");\nreturn { stock };',
      },
    },
  },
  edges: [{ from: 'start.out', to: 'code.in' }],
};

interface Scene {
  readonly page: Page;
  readonly flow: FlowPage;
  readonly shoot: Shoot;
}

const order = (server: TestServer, amount: number) =>
  call(server, '/examples/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer: 'Ada', amount, items: ['pen', 'ink'] }),
  });

async function home({ page, shoot }: Scene): Promise<void> {
  await page.goto('/');
  await expect(page.getByRole('link', { name: 'Order triage' })).toBeVisible();
  await shoot('home');
  await page.getByRole('button', { name: 'New flow' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot('home-new');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for Order triage' }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await shoot('home-menu');
  await page.getByRole('menuitem', { name: /Duplicate/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot('home-duplicate');
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill('nothing like this');
  await shoot('home-no-hit');
}

async function secrets({ page, shoot }: Scene): Promise<void> {
  await page.goto('/secrets');
  await expect(page.getByRole('cell', { name: 'api_token', exact: true })).toBeVisible();
  await shoot('secrets');
  await page.getByRole('button', { name: 'New secret' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot('secrets-new');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for api_token' }).click();
  await page.getByRole('menuitem', { name: /Delete/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot('secrets-delete');
}

/** Code, and what a run looks like that fails in it. */
async function failing({ page, flow, shoot }: Scene, server: TestServer): Promise<void> {
  await page.goto('/flows/failing');
  await flow.ready();
  await flow.select('code');
  await openInspector(flow);
  await expect(flow.field('params.source').locator('.cm-content')).toBeVisible();
  await shoot('inspector-code');
  await call(server, '/failing');
  await expect(flow.status('code')).toHaveText(/^Failed/);
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('out of pens');
  await shoot('inspector-error');
  await closeInspector(flow);
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await flow.dock.getByRole('button', { name: 'Send' }).click();
  await expect(flow.dock.getByRole('status').first()).toContainText('500');
  await shoot('dock-answer');
}

async function empty({ page, flow, shoot }: Scene): Promise<void> {
  await page.goto('/flows/empty');
  await flow.ready();
  await shoot('editor-empty');
  await flow.dock.getByRole('tab', { name: 'Runs' }).click();
  await shoot('dock-no-runs');
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await shoot('dock-no-trigger');
  await page.goto('/flows/not_there');
  await expect(page.getByText('There is no flow')).toBeVisible();
  await shoot('not-there');
  await page.goto('/flows/broken');
  await expect(page.getByText('This file cannot be drawn yet')).toBeVisible();
  await shoot('broken-file');
}

async function editor({ page, flow, shoot }: Scene, server: TestServer): Promise<void> {
  await page.goto('/flows/order_triage');
  await flow.ready();
  await shoot('editor');
  // On a narrow screen some nodes are out of sight.
  await flow.fit();
  await order(server, 120);
  await expect(flow.status('answer')).toHaveText(/^OK/);
  await flow.select('approve');
  for (const tab of ['Input', 'Output', 'Docs', 'Settings']) {
    await openInspector(flow);
    await flow.tab(tab).click();
    await expect(flow.inspector.getByRole('tabpanel')).not.toBeEmpty();
    await shoot(`inspector-${tab.toLowerCase()}`);
  }
  await closeInspector(flow);
  for (const tab of ['Log', 'Runs', 'Trigger', 'Problems']) {
    await flow.dock.getByRole('tab', { name: tab }).click();
    await expect(flow.dock.getByRole('tabpanel')).not.toBeEmpty();
    await shoot(`dock-${tab.toLowerCase()}`);
  }
  await flow.select('by_amount');
  await openInspector(flow);
  await shoot('inspector-switch');
  await closeInspector(flow);
  await flow.select('order');
  await openInspector(flow);
  await shoot('inspector-trigger');
  await closeInspector(flow);
  await pastRun({ page, flow, shoot });
}

/** The flow as it was, and then all as before. */
async function pastRun({ page, flow, shoot }: Scene): Promise<void> {
  await flow.select('refuse');
  await flow.key('Delete');
  await flow.save();
  await flow.dock.getByRole('tab', { name: 'Runs' }).click();
  await flow.dock.locator('tr[data-run]').first().getByRole('button').click();
  await expect(page.getByText('The flow as it was')).toBeVisible();
  await shoot('editor-as-it-was');
  await page.getByRole('button', { name: 'Back to the current flow' }).click();
  await expect(flow.node('refuse')).toHaveCount(0);
  await flow.key('Mod+z');
  await flow.save();
}

async function dialogs({ page, flow, shoot }: Scene): Promise<void> {
  await page.goto('/flows/order_triage');
  await flow.ready();
  await flow.fit();
  await flow.select('approve');
  const overlays = ['Mod+k', '?', 'n', 'Mod+f', 'F2', 'c', 'Mod+Shift+Enter'];
  const names = ['commands', 'shortcuts', 'picker', 'find', 'rename', 'connect', 'run-form'];
  for (const [i, keys] of overlays.entries()) {
    await flow.key(keys);
    await expect(page.getByRole('dialog').last()).toBeVisible();
    await shoot(`dialog-${names[i]}`);
    await flow.key('Escape');
    await expect(page.getByRole('dialog', { name: /./ })).toHaveCount(0);
  }
  await flow.node('approve').click({ button: 'right', position: { x: 60, y: 12 } });
  await expect(page.getByRole('menu')).toBeVisible();
  await shoot('menu-node');
  await flow.key('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await flow.select('approve');
  await flow.key('Delete');
  await expect(flow.node('approve')).toHaveCount(0);
  await flow.dock.getByRole('tab', { name: 'Problems' }).click();
  await shoot('editor-problems');
  await page.context().clearCookies();
  await flow.key('Mod+s');
  await expect(page.getByRole('dialog', { name: 'Sign in again' })).toBeVisible();
  await shoot('dialog-sign-in-again');
}

/** On a narrow screen the inspector is a drawer. */
async function openInspector({ page, inspector }: FlowPage): Promise<void> {
  if (!(await inspector.isVisible())) await page.keyboard.press('ControlOrMeta+i');
}

async function closeInspector({ page }: FlowPage): Promise<void> {
  if (await page.getByRole('dialog', { name: 'Inspector' }).isVisible()) await page.keyboard.press('Escape');
}

async function docsPicture(page: Page, flow: FlowPage, server: TestServer, file: string): Promise<void> {
  await page.goto('/flows/order_triage');
  await flow.ready();
  await order(server, 120);
  await expect(flow.status('answer')).toHaveText(/^OK/);
  await flow.select('approve');
  await flow.tab('Output').click();
  await flow.dock.getByRole('tab', { name: 'Log' }).click();
  await flow.fit();
  await page.mouse.move(0, 0);
  await expect(page.getByRole('banner').getByText('Live v1', { exact: true })).toBeVisible();
  await expect(flow.inspector.getByText('decision').first()).toBeVisible();
  await expect(flow.dock.getByText(/Run finished/).first()).toBeVisible();
  await page.screenshot({ path: file });
}

async function open(browser: Browser, server: TestServer, cookie: string, scheme: Scheme, width: number) {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    baseURL: server.url,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url: server.url }]);
  return context.newPage();
}

async function main(folder: string, onlyDocs: boolean): Promise<void> {
  await buildEditor();
  const flows = tempFolder('shots');
  cpSync(join(root, 'flows/examples'), join(flows, 'examples'), { recursive: true });
  const server = await startServer({ flows });
  const browser = await launchChromium();
  try {
    const owner = await signIn(server);
    const cookie = owner.headers['cookie'] ?? '';
    await owner.data('POST', '/flows', {
      id: 'empty',
      text: '{"format":1,"id":"empty","nodes":{},"edges":[]}',
    });
    await owner.data('PUT', '/secrets/api_token', {
      value: 'x',
      grants: { operators: ['http.request'], hosts: ['api.example.com'] },
    });
    await owner.data('PUT', '/secrets/mail_password', { value: 'x', grants: {} });
    await prepareService(owner);
    await prepareKept(owner, server);
    await owner.data('POST', '/flows', { id: 'failing', flow: FAILING });
    await owner.data('POST', '/flows', { id: 'broken', text: '{"format": 1, "id": "broken", "nodes": }' });
    const looks = SCHEMES.flatMap((scheme) =>
      (onlyDocs ? [1440] : [...WIDTHS, NARROW]).map((width) => ({ scheme, width })),
    );
    for (const { scheme, width } of looks) {
      const page = await open(browser, server, cookie, scheme, width);
      const flow = flowPage(page);
      if (onlyDocs) await docsPicture(page, flow, server, join(folder, `editor-${scheme}.png`));
      else await allScenes({ page, flow, shoot: camera(page, `${scheme}-${width}`, folder) }, server);
      await page.context().close();
    }
  } finally {
    await browser.close();
    await discard(server);
    rmSync(flows, { recursive: true, force: true });
  }
}

function camera(page: Page, look: string, folder: string): Shoot {
  let n = 10;
  return async (name) => {
    await expect(page.locator('.animate-spin')).toHaveCount(0);
    await page.screenshot({ path: join(folder, `${look}-${n++}-${name}.png`) });
  };
}

async function allScenes(scene: Scene, server: TestServer): Promise<void> {
  await runScenes(scene);
  await keptScenes(scene);
  if (onlyRuns || scene.page.viewportSize()?.width === NARROW) return;
  await home(scene);
  await secrets(scene);
  await serviceScenes(scene);
  await empty(scene);
  await editor(scene, server);
  await failing(scene, server);
  await dialogs(scene);
}

const onlyRuns = process.argv.includes('--runs');
const onlyDocs = process.argv.includes('--docs');
const target = process.argv.slice(2).find((arg) => !arg.startsWith('--'));
const folder = resolve(onlyDocs ? join(root, 'docs/images') : (target ?? 'shots'));
mkdirSync(folder, { recursive: true });
await main(folder, onlyDocs);
