import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { buildEditorIfStale } from '../../server/admin/editor-build/build-editor.ts';
import { launchChromium } from '../../tests/support/chromium.ts';
import {
  type Cookie,
  cookieOf,
  framesPerSecond,
  freeSpot,
  nextFrame,
  nodeSpot,
  openPage,
  readyMs,
  whileMoving,
  writeLayout,
} from '../editor-page.ts';
import { chainFlow } from '../flows.ts';
import { type BenchContext, type Line, measureSlowness, median, type Scenario } from '../harness.ts';
import { flowFolder, type Server, startWeft } from '../servers.ts';

const SMALL = 100;
const LARGE = 1000;
const HUGE = 3000;
/** News of the run, each second. */
const UPDATES = 50;

/** The real editor in Chromium: how soon it can be used, and how smooth it is while a run is going on. */
export const editor: Scenario = {
  name: 'editor',
  title: `The editor: ${SMALL} and ${HUGE} nodes until it can be used; ${LARGE} nodes with ${UPDATES} updates a second`,
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const built = await buildEditorIfStale();
    if (built === 'failed' || built === 'no-tools') throw new Error(`The editor was not built: ${built}.`);
    const flows = [chainFlow('small', SMALL - 1), chainFlow('large', LARGE - 1), chainFlow('huge', HUGE - 1)];
    using folder = flowFolder(flows);
    for (const flow of flows) writeLayout(join(folder.path, 'flows'), flow);
    await using server = await startWeft(folder.path);
    const browser = await launchChromium();
    try {
      return await measure(browser, server, { rounds: quick ? 1 : 3, ms: quick ? 1_000 : 3_000, say });
    } finally {
      await browser.close();
    }
  },
};

interface Plan {
  readonly rounds: number;
  /** How long each figure is measured. */
  readonly ms: number;
  say(text: string): void;
}

async function measure(browser: Browser, server: Server, { rounds, ms, say }: Plan): Promise<Line[]> {
  const cookie = await cookieOf(server);
  const samples = {
    small: [],
    large: [],
    huge: [],
    idle: [],
    drag: [],
    pan: [],
    typing: [],
    hugeTyping: [],
    paste: [],
    undo: [],
    pasteToUndo: [],
    slowness: [],
  } as Record<string, number[]>;
  // The start of the browser is not to be seen in the first round's measure.
  await (await open(browser, server.origin, cookie)).context().close();
  measureSlowness();
  for (let round = 0; round < rounds; round++) {
    samples['slowness']?.push(measureSlowness());
    for (const [name, count] of [
      ['small', SMALL],
      ['large', 1],
      ['huge', 1],
    ] as const) {
      const page = await open(browser, server.origin, cookie);
      samples[name]?.push(await readyMs(page, name, count));
      if (name === 'large') await sampleLarge(page, samples, ms);
      if (name === 'huge') samples['hugeTyping']?.push(await typingMs(page, EXPRESSION));
      await page.context().close();
    }
    say(
      Object.entries(samples)
        .map(([name, all]) => `${name} ${all.at(-1)?.toFixed(1)}`)
        .join(', '),
    );
  }
  return linesOf(samples);
}

function linesOf(samples: Readonly<Record<string, readonly number[]>>): Line[] {
  const of = (name: string): number => median([...(samples[name] ?? [])]);
  const slowness = of('slowness');
  const line = (name: string, what: string, unit: string, bar: Line['bar']): Line => ({
    name: what,
    figure: of(name),
    unit,
    bar,
    slowness,
  });
  return [
    line('small', `${SMALL} nodes, from the address to the first use`, 'ms', {
      kind: 'at most',
      value: 1_500,
    }),
    line('large', `${LARGE} nodes, the same`, 'ms', undefined),
    line('huge', `${HUGE} nodes, the same`, 'ms', { kind: 'at most', value: 2_000 }),
    line('idle', `${LARGE} nodes, nobody moves anything`, 'fps', undefined),
    line('drag', `${LARGE} nodes, a node is dragged`, 'fps', { kind: 'at least', value: 50 }),
    line('pan', `${LARGE} nodes, the canvas is moved`, 'fps', { kind: 'at least', value: 40 }),
    line('paste', `${LARGE} nodes are pasted`, 'ms', undefined),
    line('undo', `${LARGE} nodes, the paste is undone`, 'ms', undefined),
    {
      name: `${LARGE} nodes, pasting against its undo`,
      figure: of('pasteToUndo'),
      unit: 'x',
      bar: { kind: 'at most', value: 3 },
    },
    line('typing', `${LARGE} nodes, from a key to its picture, p95`, 'ms', { kind: 'at most', value: 50 }),
    line('hugeTyping', `${HUGE} nodes, the same in an expression`, 'ms', { kind: 'at most', value: 50 }),
  ];
}

async function sampleLarge(page: Page, samples: Record<string, number[]>, ms: number): Promise<void> {
  samples['idle']?.push(await framesPerSecond(page, ms, () => nextFrame(page)));
  await expectStatuses(page);
  samples['drag']?.push(await whileMoving(page, ms, '.react-flow__node', nodeSpot));
  samples['pan']?.push(await whileMoving(page, ms, '.react-flow__viewport', freeSpot));
  samples['typing']?.push(await typingMs(page));
  const { paste, undo } = await pasteAndUndo(page);
  samples['paste']?.push(paste);
  samples['undo']?.push(undo);
  samples['pasteToUndo']?.push(paste / undo);
}

/** A page in which a run tells of its nodes all the time. */
async function open(browser: Browser, origin: string, cookie: Cookie): Promise<Page> {
  const page = await openPage(browser, origin, cookie);
  await page.addInitScript(pretendRun, { updates: UPDATES, nodes: LARGE - 1 });
  return page;
}

/** In the page: instead of the server's websocket one that tells of a run without end. */
function pretendRun({ updates, nodes }: { updates: number; nodes: number }): void {
  const run = 'zzzzzzzzzzzzzzzzzzzzzzzz';
  class Told {
    onopen: (() => void) | null = null;
    onmessage: ((message: { data: string }) => void) | null = null;
    onclose: (() => void) | null = null;
    private seq = 0;
    constructor() {
      setTimeout(() => this.onopen?.());
      setTimeout(() => {
        this.tell({ kind: 'run-started', flow: 'large', version: 'v', trigger: 'trigger', input: {} });
        setInterval(() => this.tell(this.next()), 1_000 / updates);
      }, 500);
    }
    send(): void {}
    close(): void {}
    private next(): object {
      const at = (this.seq - 1) >> 1;
      const node = `n${(at * 7) % nodes}`;
      return this.seq % 2 === 1
        ? { kind: 'node-started', node, attempt: 1 }
        : { kind: 'node-finished', node, ms: 3 };
    }
    private tell(event: object): void {
      this.seq++;
      const item = { cursor: this.seq, event: { run, seq: this.seq, at: Date.now(), ...event } };
      this.onmessage?.({ data: JSON.stringify([item]) });
    }
  }
  Object.assign(globalThis, { WebSocket: Told });
}

const TEXT = 'The quick brown fox jumps over the lazy dog. ';
const EXPRESSION = '{{ input.amount * 2 + nodes.n5.out.price - 10 ';

/** Types into a setting of a node: from each key to the end of the frame that shows it, in milliseconds, the 95th of a hundred. */
async function typingMs(page: Page, text = TEXT): Promise<number> {
  await page.locator('[data-canvas]').focus();
  await page.keyboard.press('Control+f');
  await page.getByRole('dialog').getByRole('combobox').fill('n7');
  await page.getByRole('option').first().click();
  await page.locator('[data-field="params.value"] .cm-content').click();
  const times = await page.evaluateHandle(() => {
    const seen: number[] = [];
    addEventListener('keydown', ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => seen.push(performance.now() - timeStamp))),
    );
    return seen;
  });
  await page.keyboard.type(text, { delay: 60 });
  await page.waitForTimeout(500);
  const sorted = (await times.jsonValue()).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}

const PASTES = 5;

/** All nodes are copied, pasted and taken back, over and over: the median from the key until the nodes in view are drawn. */
async function pasteAndUndo(page: Page): Promise<{ paste: number; undo: number }> {
  await page.locator('[data-canvas]').focus();
  await page.keyboard.press('Control+a');
  await page.locator('.react-flow__node.selected').first().waitFor();
  await page.keyboard.press('Control+c');
  await page.getByText(`${LARGE} node(s) copied`).first().waitFor({ state: 'attached' });
  const times = { paste: [] as number[], undo: [] as number[] };
  for (let round = 0; round < PASTES; round++) {
    times.paste.push(await redrawMs(page, 'Control+v'));
    times.undo.push(await redrawMs(page, 'Control+z'));
  }
  return { paste: median(times.paste), undo: median(times.undo) };
}

/** Milliseconds from a key until the frame in which another number of nodes is drawn than before, and its picture. */
async function redrawMs(page: Page, key: string): Promise<number> {
  const drawn = await page.evaluateHandle(() => {
    const count = (): number => document.querySelectorAll('.react-flow__node').length;
    const before = count();
    return {
      ms: new Promise<number>((resolve) => {
        addEventListener(
          'keydown',
          ({ timeStamp }) => {
            const look = (): void => {
              if (count() === before) requestAnimationFrame(look);
              else setTimeout(() => resolve(performance.now() - timeStamp));
            };
            look();
          },
          { capture: true, once: true },
        );
      }),
    };
  });
  await page.keyboard.press(key);
  return drawn.evaluate(({ ms }) => ms);
}

async function expectStatuses(page: Page): Promise<void> {
  await page.locator('[data-status]').first().waitFor({ state: 'attached' });
}
