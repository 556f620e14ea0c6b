import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Weft's own version. */
export const version = manifest.version;

/** Whether this is the npm package, which runs emitted JavaScript, and not a checkout. */
export const isInstalled = import.meta.url.includes('/node_modules/');

/** The command that people type for `weft` in this installation. */
export const weftCommand = isInstalled ? 'npx weft-flow' : 'npm run weft --';
