import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { builtEditor, HELP_FILE, type HelpFile } from '../../server/base/files/built-editor.ts';
import { layOut } from './layout.ts';
import { PROJECT, readSite } from './pages.ts';
import { renderPage } from './render.ts';
import { searchFile } from './search.ts';

/**
 * Makes the help from the pages of `docs/`: `node docs/site/build.ts`, after the editor was built, whose `help.html` is the frame of each page.
 * All of it is one compressed file, which takes a tenth of the room (docs/decisions/0087-help.md).
 */
export function builtHelp(folder = builtEditor): HelpFile {
  const template = readFileSync(join(folder, 'help.html'), 'utf8');
  const site = readSite();
  const rendered = new Map([...site.pages.values()].map((page) => [page, renderPage(page, site)]));
  const pages = [...rendered].map(([page, { html, outline }]) => {
    const shown = { title: page.title, content: html, outline, page };
    return [page.address, layOut(template, shown, site)] as const;
  });
  const missing = { title: 'Not found', content: NOT_FOUND, outline: [], page: undefined };
  return {
    pages: Object.fromEntries(pages),
    notFound: layOut(template, missing, site),
    search: JSON.stringify(searchFile(rendered)),
    theme: readFileSync(join(PROJECT, 'editor/help/theme.js'), 'utf8'),
  };
}

const NOT_FOUND = `<h1>There is no such page</h1>
<p>The address leads nowhere in this version. Look for what it was about, or begin at <a href="/help">the first page</a>.</p>
<p><button type="button" class="find">Search the help</button></p>`;

if (import.meta.main) {
  const text = Buffer.from(JSON.stringify(builtHelp()));
  const params = {
    // What pages have in common, they have far apart.
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    [constants.BROTLI_PARAM_QUALITY]: 9,
  };
  writeFileSync(join(builtEditor, HELP_FILE), brotliCompressSync(text, { params }));
}
