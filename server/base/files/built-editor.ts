import { fileURLToPath } from 'node:url';

/** The folder that `npm start` builds the editor into; it exists after the first build. */
export const builtEditor = fileURLToPath(new URL('../../../dist/editor', import.meta.url));

/** The pictures of the help. */
export const PICTURES = fileURLToPath(new URL('../../../docs/images', import.meta.url));

/** In the folder of the editor: the help, as compressed JSON. */
export const HELP_FILE = 'help.br';

/** All pages and files of `/help` (docs/decisions/0087-help.md). */
export interface HelpFile {
  /** Whole pages as HTML, by their addresses below `/help`; the first one has none. */
  readonly pages: Readonly<Record<string, string>>;
  readonly notFound: string;
  /** `search.json`. */
  readonly search: string;
  /** `theme.js`. */
  readonly theme: string;
}
