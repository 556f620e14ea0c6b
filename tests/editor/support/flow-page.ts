import type { Locator, Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { PATIENCE_MS } from '../../support/eventually.ts';
import { heard } from './announcements.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The editor of one flow, as a person sees it. */
export interface FlowPage {
  readonly page: Page;
  readonly canvas: Locator;
  readonly inspector: Locator;
  readonly dock: Locator;
  readonly nodes: Locator;
  readonly edges: Locator;
  readonly selected: Locator;
  readonly picker: Locator;
  /** Id of the flow, from the address. */
  id(): string;
  node(id: string): Locator;
  input(id: string, port?: string): Locator;
  output(id: string, port?: string): Locator;
  edge(from: string, to: string): Locator;
  /** A point on an edge, by its position along it (0 to 1), in pixels of the page. */
  onEdge(from: string, to: string, part: number): Promise<Point>;
  /** Selects an edge by a click next to the buttons in its middle. */
  selectEdge(from: string, to: string): Promise<void>;
  /** The word for the status of a node in the shown run. */
  status(id: string): Locator;
  /** A field of the inspector, by its place in the flow: `params.template`. */
  field(path: string): Locator;
  tab(name: string): Locator;
  /** Shows how the node runs: errors, retries, limits, items. */
  openBehaviour(): Promise<void>;
  /** Resolves once screen readers were told this, after what was asked for before. */
  heard(text: string | RegExp): Promise<void>;
  /** Resolves once the editor is usable. */
  ready(): Promise<void>;
  /** Resolves once neither the canvas nor its content moves any more. */
  rest(): Promise<void>;
  /** Shows the whole flow. */
  fit(): Promise<void>;
  addByDrag(operator: string, at: Point): Promise<void>;
  select(id: string): Promise<void>;
  connect(from: Locator, to: Locator): Promise<void>;
  /** Presses the mouse in the middle of one thing and releases it over another one, or at a point. */
  drag(from: Locator | Point, to: Locator | Point): Promise<void>;
  /** An empty place of the canvas, in pixels of the page. */
  emptySpot(dx?: number, dy?: number): Promise<Point>;
  /** The position of a node, in flow coordinates. */
  placeOf(id: string): Promise<Point>;
  /** Types into a field that is a code editor. */
  write(path: string, text: string): Promise<void>;
  /** A click on nothing: clears the selection and gives the canvas the focus. */
  clickEmpty(): Promise<void>;
  save(): Promise<void>;
  /** Saves, and makes what is saved live. */
  publish(): Promise<void>;
  /** From now on nothing is saved before `save`, as if somebody did not pause. */
  saveByHand(): Promise<void>;
  /** Resolves once everything is saved on the server. */
  saved(): Promise<void>;
  /** Presses keys one after the other: `Shift+N`, or `Mod+Z`, where Mod is Ctrl or Cmd. */
  key(...keys: string[]): Promise<void>;
  /** The visible part of the drawing. */
  viewport(): Promise<Point & { readonly zoom: number }>;
  /** The ids of all nodes, in alphabetical order. */
  ids(): Promise<string[]>;
  selectedIds(): Promise<string[]>;
}

export function flowPage(page: Page): FlowPage {
  const canvas = page.locator('[data-canvas]');
  const node = (id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const port = (id: string, side: 'source' | 'target', name: string): Locator =>
    node(id).locator(`.react-flow__handle.${side}[data-handleid="${name}"]`);
  const edge = (from: string, to: string): Locator =>
    page.locator(`.react-flow__edge[data-id="${from}>${to}"]`);
  const onEdge = (from: string, to: string, part: number): Promise<Point> =>
    edge(from, to)
      .locator('path')
      .first()
      .evaluate((element, share) => {
        const path = element as SVGPathElement;
        const { x, y } = path.getPointAtLength(path.getTotalLength() * share);
        const { x: left, y: top } = new DOMPoint(x, y).matrixTransform(path.getScreenCTM() ?? undefined);
        return { x: left, y: top };
      }, part);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const picker = page.getByRole('dialog', { name: 'Add a node' });
  const field = (path: string): Locator => inspector.locator(`[data-field="${path}"]`);
  const drag = (from: Locator | Point, to: Locator | Point): Promise<void> => dragMouse(page, from, to);
  const saved = (): Promise<void> => expect(saveIndicator(page)).toHaveText('Saved');
  const emptySpot = async (dx = 0, dy = 0): Promise<Point> => {
    const box = await boxOf(canvas);
    return { x: box.x + box.width / 2 + dx, y: box.y + 40 + dy };
  };
  return {
    page,
    canvas,
    inspector,
    dock: page.getByRole('region', { name: 'Bottom panel' }),
    nodes: page.locator('.react-flow__node-operator'),
    edges: page.locator('.react-flow__edge'),
    selected: page.locator('.react-flow__node.selected'),
    picker,
    id: () => new URL(page.url()).pathname.split('/').at(-1) ?? '',
    node,
    input: (id, name = 'in') => port(id, 'target', name),
    output: (id, name = 'out') => port(id, 'source', name),
    edge,
    onEdge,
    selectEdge: async (from, to) => {
      // After the hit area of the port, before the buttons.
      const { x, y } = await onEdge(from, to, 0.14);
      await page.mouse.click(x, y);
      await expect(edge(from, to)).toHaveClass(/\bselected\b/);
    },
    status: (id) => node(id).locator('[data-status]'),
    field,
    tab: (name) => inspector.getByRole('tab', { name }),
    openBehaviour: () => inspector.getByRole('button', { name: /^Behaviour/ }).click(),
    heard: (text) => heard(page, text),
    ready: async () => {
      // A busy machine needs time to load the parts of the editor. A phone has a list of steps in place of the canvas.
      const steps = page.getByRole('list', { name: 'Steps' });
      await expect(canvas.locator('.react-flow__pane').or(steps)).toBeVisible();
      await atRest(page);
    },
    rest: () => atRest(page),
    fit: async () => {
      await page.getByRole('button', { name: 'Show the whole flow' }).click();
      await atRest(page);
    },
    addByDrag: async (operator, at) => {
      const box = await boxOf(canvas);
      await page.getByRole('button', { name: 'Add a node' }).click();
      // The picker, which is hidden while one drags, is above the place.
      await picker
        .locator(`[data-operator="${operator}"]`)
        .last()
        .dragTo(canvas, { targetPosition: { x: at.x - box.x, y: at.y - box.y }, force: true });
      await expect(picker).toHaveCount(0);
    },
    select: async (id) => {
      await atRest(page);
      // On a busy machine a click can hit the canvas during a redraw; people click again.
      await expect(async () => {
        await node(id).click({ position: { x: 60, y: 12 } });
        await expect(node(id)).toHaveClass(/\bselected\b/, { timeout: 3000 });
      }).toPass({ timeout: PATIENCE_MS });
    },
    connect: (from, to) => drag(from, to),
    drag,
    emptySpot,
    placeOf: (id) => placeOf(node(id)),
    write: async (path, text) => {
      const editor = field(path).locator('.cm-content');
      await editor.click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    },
    clickEmpty: async () => {
      const { x, y } = await emptySpot();
      await page.mouse.click(x, y);
      await expect(page.locator('.react-flow__node.selected, .react-flow__edge.selected')).toHaveCount(0);
    },
    save: async () => {
      await page.keyboard.press('ControlOrMeta+s');
      await saved();
    },
    publish: async () => {
      await page.keyboard.press('ControlOrMeta+s');
      await saved();
      await page.keyboard.press('ControlOrMeta+Shift+s');
      const publish = page
        .getByRole('dialog', { name: 'Publish these changes?' })
        .getByRole('button', { name: 'Publish' });
      const isLive = liveChip(page).getByText(/^Live( v\d+)?$/);
      await expect(publish.or(isLive)).toBeVisible();
      if (await publish.isVisible()) await publish.click();
      await expect(isLive).toBeVisible();
    },
    saveByHand: async () => {
      const search = page.getByRole('dialog', { name: 'All commands' }).getByRole('combobox');
      // A page that is busy may not listen to keys yet.
      await expect(async () => {
        if (!(await search.isVisible())) await page.keyboard.press('ControlOrMeta+k');
        await expect(search).toBeVisible({ timeout: 5000 });
      }).toPass({ timeout: PATIENCE_MS });
      await search.fill('Save by itself');
      await page.keyboard.press('Enter');
      await expect(page.locator('div.sr-only[aria-live="polite"]').last()).toContainText('saved by hand');
    },
    saved,
    key: async (...keys) => {
      for (const one of keys) await page.keyboard.press(one.replace('Mod', 'ControlOrMeta'));
    },
    viewport: async () => {
      const style = await page.locator('.react-flow__viewport').getAttribute('style');
      const [x = 0, y = 0, zoom = 1] = (style ?? '').match(/-?[\d.]+(?=px|\))/g)?.map(Number) ?? [];
      return { x, y, zoom };
    },
    ids: () => idsOf(page.locator('.react-flow__node-operator')),
    selectedIds: () => idsOf(page.locator('.react-flow__node.selected')),
  };
}

async function idsOf(nodes: Locator): Promise<string[]> {
  return (
    await nodes.evaluateAll((all) => all.map((node) => (node as HTMLElement).dataset['id'] ?? ''))
  ).sort();
}

/** Resolves once ten frames in a row are equal. */
function atRest(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const look = (): string => {
      const { x, y, width, height } = document.querySelector('[data-canvas]')?.getBoundingClientRect() ?? {};
      return `${x} ${y} ${width} ${height} ${document.querySelector('.react-flow__viewport')?.getAttribute('style')}`;
    };
    for (let alike = 0, before = ''; alike < 10; ) {
      await frame();
      const now = look();
      alike = now === before ? alike + 1 : 0;
      before = now;
    }
  });
}

/** Where the flow stands: not published, live, or live with changes. */
export function liveChip(page: Page): Locator {
  return page.getByRole('banner');
}

/** The word in the top bar that says whether the server has everything. */
export function saveIndicator(page: Page): Locator {
  return page.getByRole('banner').locator('button > [aria-live="polite"]');
}

async function boxOf(of: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await of.boundingBox();
  if (!box) throw new Error(`${of.toString()} is not on the screen`);
  return box;
}

/** The middle of the visible part of an element. */
export async function middleOf(of: Locator): Promise<Point> {
  const { x, y, width, height } = await boxOf(of);
  return { x: x + width / 2, y: y + height / 2 };
}

/** A small first step passes the drag threshold; then the mouse moves in steps, as a hand does. */
async function dragMouse(page: Page, from: Locator | Point, to: Locator | Point): Promise<void> {
  await atRest(page);
  const start = 'x' in from ? from : await middleOf(from);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 2, start.y + 2, { steps: 2 });
  const end = 'x' in to ? to : await middleOf(to);
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 4 });
  await page.mouse.move(end.x, end.y, { steps: 6 });
  await page.mouse.up();
}

async function placeOf(node: Locator): Promise<Point> {
  const style = (await node.getAttribute('style')) ?? '';
  const found = /translate\((-?[\d.]+)px,\s*(-?[\d.]+)px\)/.exec(style);
  if (!found) throw new Error(`no place in ${style}`);
  return { x: Number(found[1]), y: Number(found[2]) };
}

/** Opens a list of choices and selects one. */
export async function choose(field: Locator, option: string): Promise<void> {
  await field.getByRole('combobox').click();
  await field.page().getByRole('option', { name: option }).click();
}
