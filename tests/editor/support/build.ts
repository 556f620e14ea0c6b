import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { buildEditorIfStale } from '../../../server/admin/editor-build/build-editor.ts';
import { product, root } from '../../support/server.ts';

const cache = join(root, '.cache');
const lock = join(cache, 'editor-build.lock');
/** An older lock was left behind by a killed run. */
const DEAD_MS = 120_000;

/** Builds the editor if its sources have changed. Test files run in parallel: one builds, the others wait. */
export async function buildEditor(): Promise<void> {
  while (!takeLock()) await new Promise((resolve) => setTimeout(resolve, 200));
  try {
    const result = await buildEditorIfStale();
    if (result === 'failed' || result === 'no-tools') throw new Error(`The editor was not built: ${result}`);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/**
 * Matches the addresses of the files of code, after the first load of a page, that have one of these texts: a test that keeps a part of
 * the editor back names what the part shows, since the build decides which file has it.
 */
export function codeWith(...texts: readonly string[]): RegExp {
  const folder = join(product, 'dist/editor/assets');
  const code = readdirSync(folder)
    .filter((name) => name.endsWith('.js') && !/^(?:index|canvas|flows)-/.test(name))
    .map((name) => ({ name, code: readFileSync(join(folder, name), 'utf8') }));
  const names = texts.flatMap((text) => {
    const found = code.filter((file) => file.code.includes(text));
    if (found.length === 0) throw new Error(`No later code of the editor has the text: ${text}`);
    return found.map(({ name }) => name.replaceAll('.', '\\.'));
  });
  return new RegExp(`/assets/(?:${names.join('|')})$`);
}

/** Resolves once the page has the code with this text, which it loads by itself. */
export async function codeCame(page: Page, text: string): Promise<void> {
  await page.waitForFunction((source) => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return files.some(({ name, responseEnd }) => responseEnd > 0 && new RegExp(source).test(name));
  }, codeWith(text).source);
}

function takeLock(): boolean {
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const madeAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - madeAt > DEAD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
