import { fileURLToPath } from 'node:url';

/** The folder that `npm start` builds the editor into; it exists after the first build. */
export const builtEditor = fileURLToPath(new URL('../../../dist/editor', import.meta.url));
