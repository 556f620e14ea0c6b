import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as engineCheck from '#engine/check';
import { rightFlows } from '../../engine/types/corpus/right-flows.ts';
import { rightValues } from '../../engine/types/corpus/right-values.ts';
import { wrongEdges } from '../../engine/types/corpus/wrong-edges.ts';
import { wrongReads } from '../../engine/types/corpus/wrong-reads.ts';
import { wrongValues } from '../../engine/types/corpus/wrong-values.ts';
import { loadOperators } from '../../server/base/authored/load-operators.ts';
import { launchChromium } from '../support/chromium.ts';
import { root } from '../support/server.ts';

/** The editor judges flows with the engine's own check, so the very same code has to say the very same in a browser. */
const { check, parse } = engineCheck;
const { registry } = await loadOperators({ builtIn: true });
const flows = ['simple_dag_example', 'order_triage', 'fan_out_join'].map((id) =>
  readFileSync(join(root, `flows/examples/${id}.json`), 'utf8'),
);
const typed = [...rightFlows, ...rightValues, ...wrongEdges, ...wrongReads, ...wrongValues].map(({ flow }) =>
  JSON.stringify(flow),
);
const broken = [
  ...flows.map((text) => text.replace('input.', 'inputt.')),
  ...flows.map((text) => text.replace('"operator": "text.template"', '"operator": "text.tempalte"')),
  '{"format":1,"id":"x","nodes":{"a":{"operator":"core.map"}},"edges":[{"from":"a.out","to":"a.in"}]}',
  '{"format": 1,',
];

let browser: Browser;
let server: Server;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-check-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: folder,
      lib: { entry: join(root, 'engine/check/index.ts'), formats: ['es'], fileName: 'check' },
    },
  });
  const script = readFileSync(join(folder, 'check.js'), 'utf8');
  const pages: Record<string, { type: string; body: string }> = {
    '/': {
      type: 'text/html',
      body: '<!doctype html><title>check</title><script type="module" src="/main.js"></script>',
    },
    '/main.js': {
      type: 'text/javascript',
      body: "import * as engine from '/check.js'; globalThis.engine = engine;",
    },
    '/check.js': { type: 'text/javascript', body: script },
  };
  server = createServer((request, response) => {
    // No code may be made from text, as on the pages of the editor.
    response.setHeader('content-security-policy', "default-src 'self'; script-src 'self'");
    const { type, body } = pages[request.url ?? '/'] ?? { type: 'text/plain', body: '' };
    response.setHeader('content-type', type);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchChromium();
}, 300_000);

afterAll(async () => {
  await browser?.close();
  server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('check says the same in a browser as in Node, under a policy that forbids generated code', async () => {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  await page.goto(`http://127.0.0.1:${address.port}/`);
  await page.waitForFunction(() => 'engine' in globalThis);
  const texts = [...flows, ...broken, ...typed];
  const inBrowser = await page.evaluate(
    ({ texts: all, catalog }) => {
      const { engine } = globalThis as unknown as { engine: Pick<typeof engineCheck, 'parse' | 'check'> };
      return all.map((text) => {
        const { flow, problems, locate } = engine.parse(text);
        const world = { routes: [], variables: [], secrets: [] };
        return flow ? [...problems, ...engine.check(flow, catalog, world, locate)] : problems;
      });
    },
    { texts, catalog: registry.catalog },
  );
  const inNode = texts.map((text) => {
    const { flow, problems, locate } = parse(text);
    const world = { routes: [], variables: [], secrets: [] };
    return flow ? [...problems, ...check(flow, registry.catalog, world, locate)] : problems;
  });
  expect(inBrowser).toEqual(JSON.parse(JSON.stringify(inNode)));
  expect(inNode.filter((problems) => problems.length > 0).length).toBeGreaterThanOrEqual(60);
  expect(errors).toEqual([]);
});
