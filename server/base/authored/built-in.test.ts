import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';
import { KEPT_CATALOG, loadBuiltIn } from './built-in.ts';

const root = new URL('../../../', import.meta.url).href;

interface Seen {
  readonly catalog: unknown;
  /** Types whose file was loaded, before and after one was requested. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly run: string;
}

/** The operators of a starting server, with the descriptions in this file. */
function atStart(keptCatalog: string): Seen {
  const code = `
    import { registerHooks } from 'node:module';
    const { loadLightly } = await import('${root}server/base/process/light-start.js');
    const { loadBuiltIn } = await loadLightly(() => import('${root}server/base/authored/built-in.ts'));
    const seen = [];
    registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
    const loaded = () => seen.flatMap((url) => /operators\\/(\\w+\\/[a-z][\\w-]*)\\.ts$/.exec(url)?.[1] ?? []);
    const { catalog, operators } = await loadBuiltIn(${JSON.stringify(keptCatalog)});
    const before = loaded();
    const run = typeof operators.get('text.template').run;
    console.log(JSON.stringify({ catalog, before, run, after: loaded() }));`;
  const run = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });
  return JSON.parse(run) as Seen;
}

test('a server that starts knows all operators and has loaded none', async () => {
  const { catalog } = await loadBuiltIn();
  expect(atStart(KEPT_CATALOG)).toEqual({ catalog, before: [], run: 'function', after: ['text/template'] });
});

test('an operator that was edited since is loaded and described again', async () => {
  const { catalog } = await loadBuiltIn();
  const kept = JSON.parse(readFileSync(KEPT_CATALOG, 'utf8')) as Record<
    string,
    { source: string; info: { doc: string } }
  >;
  const before = kept['core.map'] as { source: string; info: { doc: string } };
  kept['core.map'] = { source: 'of other text', info: { ...before.info, doc: 'Old.' } };
  const file = join(await tempFolder(), 'catalog.json');
  writeFileSync(file, JSON.stringify(kept));
  const seen = atStart(file);
  expect(seen.before).toEqual(['core/map']);
  expect(seen.catalog).toEqual(catalog);
});

test('without what was kept, or with something else, all are loaded', async () => {
  const { catalog } = await loadBuiltIn();
  const file = join(await tempFolder(), 'catalog.json');
  writeFileSync(file, 'not JSON');
  const seen = atStart(file);
  expect(seen.before.length).toBe(Object.keys(catalog.operators).length);
  expect(seen.catalog).toEqual(catalog);
});
