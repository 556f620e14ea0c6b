import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildEditorIfStale } from '../../../server/admin/editor-build/build-editor.ts';
import { root } from '../../support/server.ts';

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
