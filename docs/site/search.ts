import MiniSearch from 'minisearch';
import { INDEX_OPTIONS, type Place, type SearchFile } from '../../editor/help/search-rules.ts';
import type { SitePage } from './pages.ts';
import { pageAddress, type RenderedPage } from './render.ts';

/** In characters, of the text of a part that the browser has for excerpts; all of it is in the index. */
const MOST_SHOWN = 1200;

/** The index of all pages, by their headings. */
export function searchFile(rendered: ReadonlyMap<SitePage, RenderedPage>): SearchFile {
  const index = new MiniSearch(INDEX_OPTIONS);
  const places: Place[] = [];
  for (const [page, { parts }] of rendered)
    for (const { anchor, heading, text } of parts) {
      index.add({ id: places.length, page: page.title, heading, text });
      places.push({
        address: pageAddress(page, anchor),
        section: page.section,
        page: page.title,
        heading,
        text: text.slice(0, MOST_SHOWN),
      });
    }
  return { index: JSON.stringify(index), places };
}
