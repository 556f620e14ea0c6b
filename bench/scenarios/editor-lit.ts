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
import { type BenchContext, type Line, median, type Scenario } from '../harness.ts';
import { flowFolder, startWeft } from '../servers.ts';

const SMALL = 100;
const LARGE = 1000;
const RUNS_PER_SECOND = 4;
/** Zooms at which it is measured, with the names of their flows: far away, all of the small one is in view. */
const VIEWS = [
  { name: 'near', zoom: 1, columns: 25 },
  { name: 'far', zoom: 0.45, columns: 10 },
] as const;
const DONE = ['idle', 'drag', 'pan'] as const;
type Done = (typeof DONE)[number];

/** How smooth the editor is while runs light all nodes of a flow: a large flow against a small one. */
export const editorLit: Scenario = {
  name: 'editor-lit',
  title: `The editor while ${RUNS_PER_SECOND} runs a second light all nodes: ${LARGE} nodes against ${SMALL}`,
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const built = await buildEditorIfStale();
    if (built === 'failed' || built === 'no-tools') throw new Error(`The editor was not built: ${built}.`);
    const flows = VIEWS.flatMap(({ name, zoom, columns }) => [
      { flow: chainFlow(`${name}_${SMALL}`, SMALL - 1), look: { zoom, columns } },
      { flow: chainFlow(`${name}_${LARGE}`, LARGE - 1), look: { zoom } },
    ]);
    using folder = flowFolder(flows.map(({ flow }) => flow));
    for (const { flow, look } of flows) writeLayout(join(folder.path, 'flows'), flow, look);
    await using server = await startWeft(folder.path);
    const browser = await launchChromium();
    try {
      const place = { browser, origin: server.origin, cookie: await cookieOf(server) };
      return await measure(place, { rounds: quick ? 1 : 5, ms: quick ? 1_000 : 3_000, say });
    } finally {
      await browser.close();
    }
  },
};

interface Place {
  readonly browser: Browser;
  readonly origin: string;
  readonly cookie: Cookie;
}

interface Plan {
  readonly rounds: number;
  /** How long each figure is measured. */
  readonly ms: number;
  say(text: string): void;
}

async function measure(place: Place, { rounds, ms, say }: Plan): Promise<Line[]> {
  const samples = new Map<string, number[]>();
  const pages = VIEWS.flatMap(({ name }) => [SMALL, LARGE].map((nodes) => ({ name, nodes })));
  for (let round = 0; round < rounds; round++) {
    for (const { name, nodes } of pages) {
      const fps = await pageFps(place, { flow: `${name}_${nodes}`, nodes, ms });
      for (const done of DONE) {
        const key = `${name} ${nodes} ${done}`;
        samples.set(key, [...(samples.get(key) ?? []), fps[done]]);
      }
    }
    say([...samples].map(([key, all]) => `${key} ${all.at(-1)?.toFixed(1)}`).join(', '));
  }
  return VIEWS.flatMap((view) => DONE.map((done) => lineOf(view, done, samples)));
}

function lineOf(
  { name, zoom }: (typeof VIEWS)[number],
  done: Done,
  samples: ReadonlyMap<string, readonly number[]>,
): Line {
  const fps = (nodes: number): number => median(samples.get(`${name} ${nodes} ${done}`) ?? []);
  const [small, large] = [fps(SMALL), fps(LARGE)];
  return {
    name: `${zoom * 100} %, ${WORDS[done]}: pictures at ${LARGE} nodes, of those at ${SMALL}`,
    figure: large / small,
    unit: 'x',
    bar: { kind: 'at least', value: 0.8 },
    note: `${large.toFixed(0)} and ${small.toFixed(0)} fps`,
  };
}

const WORDS = { idle: 'nobody moves anything', drag: 'a node is dragged', pan: 'the canvas is moved' };

async function pageFps(
  { browser, origin, cookie }: Place,
  { flow, nodes, ms }: { flow: string; nodes: number; ms: number },
): Promise<Record<Done, number>> {
  const page = await openPage(browser, origin, cookie);
  await page.addInitScript(pretendRuns, { flow, nodes: nodes - 1, perSecond: RUNS_PER_SECOND });
  try {
    await readyMs(page, flow, 1);
    await expectLit(page);
    return {
      idle: await framesPerSecond(page, ms, () => nextFrame(page)),
      drag: await whileMoving(page, ms, '.react-flow__node', nodeSpot),
      pan: await whileMoving(page, ms, '.react-flow__viewport', freeSpot),
    };
  } finally {
    await page.context().close();
  }
}

/** Far away the states of a large flow are drawn on a canvas. */
async function expectLit(page: Page): Promise<void> {
  await page.locator('[data-status], [data-far]').first().waitFor({ state: 'attached' });
}

/** In the page: instead of the server's websocket one that tells of whole runs, one after the other, in messages as the server sends them. */
function pretendRuns({ flow, nodes, perSecond }: { flow: string; nodes: number; perSecond: number }): void {
  const TICKS = 5;
  class Told {
    onopen: (() => void) | null = null;
    onmessage: ((message: { data: string }) => void) | null = null;
    onclose: (() => void) | null = null;
    private cursor = 0;
    private run = 0;
    constructor() {
      setTimeout(() => this.onopen?.());
      setTimeout(() => {
        let tick = 0;
        setInterval(() => this.tell(tick++ % TICKS), 1_000 / perSecond / TICKS);
      }, 500);
    }
    send(): void {}
    close(): void {}
    private seq = 0;
    private tell(tick: number): void {
      const events: object[] = [];
      if (tick === 0) {
        this.run++;
        this.seq = 0;
        events.push({ kind: 'run-started', flow, version: 'v', trigger: 'trigger', input: {} });
      }
      for (let n = Math.floor((nodes * tick) / TICKS); n < Math.floor((nodes * (tick + 1)) / TICKS); n++) {
        const node = `n${n}`;
        events.push({ kind: 'node-started', node, attempt: 1 });
        events.push({ kind: 'node-output', node, port: 'out', value: n });
        events.push({ kind: 'node-finished', node, ms: 3 });
      }
      if (tick === TICKS - 1) events.push({ kind: 'run-finished', status: 'ok', ms: 250 });
      const run = `zzzzzzzzzzzzzzzz${String(this.run).padStart(8, '0')}`;
      const items = events.map((event) => ({
        cursor: ++this.cursor,
        event: { run, seq: ++this.seq, at: Date.now(), ...event },
      }));
      this.onmessage?.({ data: JSON.stringify(items) });
    }
  }
  Object.assign(globalThis, { WebSocket: Told });
}
