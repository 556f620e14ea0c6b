import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { builtIns } from '../../../engine/testing/play.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Settings are short: essentials first, the rest by a menu or behind one line. */
const stage = useStage();

const SCREENS = 1.5;

const nameOf = (type: string): string => type.replaceAll(/[^a-z0-9]/g, '_');

describe('Short settings', () => {
  test('Is no fresh operator longer than one and a half screens at 1440 × 900, and has each five essentials at most?', async () => {
    const types = Object.values(builtIns.catalog.operators)
      .filter(({ replacedBy }) => !replacedBy)
      .map(({ type }) => type);
    const id = freshId();
    await stage.putFlow(
      {
        format: 2,
        id,
        nodes: Object.fromEntries(types.map((type) => [nameOf(type), { operator: type }])),
        edges: [],
      },
      {
        format: 1,
        nodes: Object.fromEntries(
          types.map((type, i) => [nameOf(type), { x: 300 * (i % 12), y: 120 * Math.floor(i / 12) }]),
        ),
      },
    );
    const flow = await openFlow(stage, id);
    await flow.page.setViewportSize({ width: 1440, height: 900 });
    const lengths: [type: string, screens: number, fields: number][] = [];
    for (const type of types) {
      await flow.node(nameOf(type)).focus();
      await flow.key('Space');
      const params = flow.inspector.locator('[data-field="params"]');
      await expect(flow.inspector.getByText(`${type} · ${nameOf(type)}`)).toBeVisible();
      await expect(params.locator('[aria-busy]')).toHaveCount(0);
      lengths.push(
        await params.evaluate((element, name): [string, number, number] => {
          const area = element.closest('.overflow-y-auto') as HTMLElement;
          const fields = element.querySelectorAll(':scope > * > * > [data-field]');
          return [name, area.scrollHeight / area.clientHeight, fields.length];
        }, type),
      );
    }
    expect(lengths.filter(([, screens]) => screens > SCREENS)).toEqual([]);
    expect(lengths.filter(([, , fields]) => fields > 5)).toEqual([]);
  });

  test('Is an option added by its menu, with the focus in it, and always there once it is set?', async () => {
    const { flow, id } = await openNode({ operator: 'http.request', params: { url: 'https://example.com' } });
    const limit = flow.field('params.timeoutMs');
    await expect(limit).toHaveCount(0);
    await flow.inspector.getByRole('button', { name: 'Add option' }).first().click();
    const menu = flow.page.getByRole('menu');
    await expect(menu.getByText('Limits')).toBeVisible();
    await menu.getByRole('menuitem', { name: 'Time limit' }).click();
    const input = limit.getByRole('textbox');
    await expect(input).toBeFocused();
    await expect(input).toHaveAttribute('placeholder', '30 s');
    await flow.page.keyboard.type('2 min');
    await flow.page.keyboard.press('Tab');
    await expect(input).toHaveValue('2 min');
    await flow.saved();
    expect(JSON.parse(stage.fileText(id)).nodes.one.params.timeoutMs).toBe(120_000);
    await flow.page.reload();
    await flow.ready();
    await flow.select('one');
    await expect(limit.getByRole('textbox')).toHaveValue('2 min');
    await limit.getByRole('textbox').fill('a while');
    await flow.page.keyboard.press('Tab');
    await expect(limit).toContainText(
      'Write a time such as 30 s, 5 min or 2 h. The previous value still applies.',
    );
    await flow.saved();
    expect(JSON.parse(stage.fileText(id)).nodes.one.params.timeoutMs).toBe(120_000);
  });

  test('Are sizes written with their unit, and is every choice a word?', async () => {
    const { flow, id } = await openNode({ operator: 'trigger.http', params: { path: '/x' } });
    await flow.inspector.getByRole('button', { name: 'Add option' }).first().click();
    await flow.page.getByRole('menuitem', { name: 'Limits of a request' }).click();
    const size = flow.field('params.limits.fileBytes').getByRole('textbox');
    await size.fill('10 MB');
    await flow.page.keyboard.press('Tab');
    await expect(size).toHaveValue('10 MB');
    await flow.saved();
    expect(JSON.parse(stage.fileText(id)).nodes.one.params.limits).toEqual({ fileBytes: 10_000_000 });
    await flow.field('params.auth').getByRole('combobox').click();
    await expect(flow.page.getByRole('option')).toHaveText([
      'Anyone',
      'Holders of an API key',
      'Signed requests',
      'User and password',
      'Secret in a header',
      'Token of an issuer (JWT)',
      'Token with a shared key (JWT)',
    ]);
  });

  test('Does Behaviour say in one line what is set, and open for a problem in it?', async () => {
    const { flow } = await openNode({
      operator: 'http.request',
      params: { url: 'https://example.com' },
      retry: { attempts: 3 },
      timeoutMs: 30_000,
      cache: { ttlMs: 3_600_000 },
    });
    const behaviour = flow.inspector.getByRole('region', { name: 'Behaviour' });
    const line = behaviour.getByRole('button', { name: /^Behaviour/ });
    await expect(line).toHaveText('Behaviour3 attempts · at most 30 s · reuses outputs for 1 h');
    await expect(line).toHaveAttribute('aria-expanded', 'false');
    await line.click();
    await expect(flow.field('timeoutMs').getByRole('textbox')).toHaveValue('30 s');
    const { flow: other } = await openNode({
      operator: 'http.request',
      params: { url: 'https://example.com' },
      onError: 'continue',
      fallback: { none: 1 },
    });
    await expect(other.field('fallback')).toBeVisible();
  });

  test('Is an error told after its field was left, or on save, in a sentence that says what to write?', async () => {
    const { flow } = await openNode({ operator: 'trigger.manual' });
    await flow.clickEmpty();
    await flow.key('N');
    await flow.picker.getByRole('combobox').fill('read with sql');
    await flow.page.keyboard.press('Enter');
    const sql = flow.field('params.sql');
    await expect(sql).toBeVisible();
    await expect(flow.dock.getByRole('tab', { name: /^Problems/ })).toContainText(/[1-9]/);
    await expect(sql.getByRole('listitem')).toHaveCount(0);
    await sql.locator('.cm-content').click();
    await flow.field('params.connection').getByRole('combobox').focus();
    await expect(sql).toContainText('Write a statement, such as SELECT');
    const connection = flow.field('params.connection');
    await expect(connection.getByRole('listitem')).toHaveCount(0);
    await flow.key('Mod+S');
    await expect(connection).toContainText('Choose a connection.');
  });

  test('Does a button get the click that leaves a field, although the error of the field moves it?', async () => {
    const { flow } = await openNode({ operator: 'trigger.manual' });
    await flow.clickEmpty();
    await flow.key('N');
    await flow.picker.getByRole('combobox').fill('send http request');
    await flow.page.keyboard.press('Enter');
    const url = flow.field('params.url');
    await url.locator('.cm-content').click();
    await expect(url.getByRole('listitem')).toHaveCount(0);
    await flow.inspector.getByRole('button', { name: 'Add option' }).click();
    await expect(flow.page.getByRole('menu')).toBeVisible();
    await expect(url.getByRole('listitem')).toHaveCount(1);
  });

  test('Is the help there for the focused field and behind its question mark, without moving the form?', async () => {
    const { flow } = await openNode({ operator: 'http.request', params: { url: 'https://example.com' } });
    const url = flow.field('params.url');
    const height = async (): Promise<number> => (await url.boundingBox())?.height ?? 0;
    const before = await height();
    await url.locator('.cm-content').click();
    await expect(flow.inspector.getByText(/^URL · The address, such as/)).toBeVisible();
    expect(await height()).toBe(before);
    await url.hover();
    await url.getByRole('button', { name: 'Help for URL' }).click();
    await expect(url.getByText(/^The address, such as/)).toBeVisible();
    expect(await height()).toBeGreaterThan(before);
  });
});

test('Can a secret and a connection be made in place, and does the field name them then?', async () => {
  const name = freshId();
  const { flow, id } = await openNode({
    operator: 'http.request',
    params: { url: 'https://example.com', auth: { type: 'bearer' } },
  });
  const secret = flow.field('params.auth.secret');
  await secret.getByRole('combobox').click();
  await flow.page.getByRole('option', { name: 'New secret…' }).click();
  const dialog = flow.page.getByRole('dialog', { name: 'New secret' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Value').first().fill('<b>hush</b>-4711');
  await flow.page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(secret.getByRole('combobox')).toHaveText(name);
  await flow.saved();
  expect(JSON.parse(stage.fileText(id)).nodes.one.params.auth.secret).toEqual({ $secret: name });

  // Whoever closes the dialog has changed nothing.
  await flow.field('params.connection').getByRole('combobox').click();
  await flow.page.getByRole('option', { name: 'New connection…' }).click();
  const gallery = flow.page.getByRole('dialog', { name: 'New connection' });
  await expect(gallery.getByRole('button', { name: /^HTTP/ })).toBeVisible();
  // The node cannot use a database.
  await expect(gallery.getByRole('button', { name: /^PostgreSQL/ })).toHaveCount(0);
  await flow.key('Escape');
  await expect(flow.page.getByRole('dialog', { name: 'New connection' })).toHaveCount(0);
  expect(JSON.parse(stage.fileText(id)).nodes.one.params.connection).toBeUndefined();
});

async function openNode(node: object) {
  const id = freshId();
  await stage.putFlow(
    { format: 1, id, nodes: { one: node }, edges: [] },
    { format: 1, nodes: { one: { x: 0, y: 0 } } },
  );
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize({ width: 1440, height: 900 });
  await flow.select('one');
  return { flow, id };
}
