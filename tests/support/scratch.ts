import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { tempFolder } from './server.ts';

/** A folder for the current test, removed when the test ends. */
export function scratchFolder(name: string): string {
  const folder = tempFolder(name);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
