import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Weft's own version. */
export const version = manifest.version;

/** Whether this is the npm package, which runs emitted JavaScript, and not a checkout. */
export const isInstalled = import.meta.url.includes('/node_modules/');

/** What people type for `weft` where this runs. */
export const weftCommand = isInstalled ? 'npx weft-flow' : 'npm run weft --';
