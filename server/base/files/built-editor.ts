import { fileURLToPath } from 'node:url';

/** Where `npm start` builds the editor; the folder is there once it has. */
export const builtEditor = fileURLToPath(new URL('../../../dist/editor', import.meta.url));
