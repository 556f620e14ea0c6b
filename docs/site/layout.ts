import { escapeHtml } from './html.ts';
import type { Section, Site, SitePage } from './pages.ts';
import { BASE, type Heading, pageAddress } from './render.ts';

/** The page of the editor's build with marks such as `{{title}}` (`editor/help.html`). */
type Template = string;

export interface Shown {
  readonly title: string;
  /** HTML. */
  readonly content: string;
  readonly outline: readonly Heading[];
  /** Undefined for what is no page, such as “not found”. */
  readonly page: SitePage | undefined;
}

/** A whole page of the site. */
export function layOut(template: Template, shown: Shown, site: Site): string {
  const { title, content, outline, page } = shown;
  const parts: Readonly<Record<string, string>> = {
    title: escapeHtml(page?.address === '' ? 'Help – Weft' : `${title} – Weft Help`),
    theme: `<script src="${BASE}/theme.js"></script>`,
    pages: site.sections.map((section) => sectionOf(section, page)).join(''),
    content,
    around: page ? around(page, [...site.pages.values()]) : '',
    outline: outlineOf(outline),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => parts[name] ?? whole);
}

/** A section is open on its own pages; elsewhere it leads to its first one. */
function sectionOf({ title, groups }: Section, here: SitePage | undefined): string {
  const first = groups[0]?.pages[0];
  if (!first) return '';
  if (here?.section !== title)
    return `<a class="section" href="${pageAddress(first)}">${escapeHtml(title)}</a>`;
  const lists = groups.map((group) => {
    const items = group.pages.map((page) => {
      const current = page === here ? ' aria-current="page"' : '';
      // Below “Operators” there is no need for “Operators: http”.
      const name = page.title.replace(`${group.title}: `, '');
      return `<li><a href="${pageAddress(page)}"${current}>${escapeHtml(name)}</a></li>`;
    });
    const heading = group.title === undefined ? '' : `<p>${escapeHtml(group.title)}</p>`;
    return `${heading}<ul>${items.join('')}</ul>`;
  });
  return `<div class="open"><a class="section" href="${pageAddress(first)}">${escapeHtml(title)}</a>${lists.join('')}</div>`;
}

function outlineOf(headings: readonly Heading[]): string {
  if (headings.length < 2) return '';
  const items = headings.map(
    ({ level, anchor, text }) =>
      `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav id="outline" aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav>`;
}

/** Links to the page before and to the one after. */
function around(page: SitePage, pages: readonly SitePage[]): string {
  const at = pages.indexOf(page);
  const link = (other: SitePage | undefined, rel: 'prev' | 'next', label: string): string =>
    other === undefined
      ? ''
      : `<a rel="${rel}" href="${pageAddress(other)}"><small>${label}</small>${escapeHtml(other.title)}</a>`;
  const links = link(pages[at - 1], 'prev', 'Previous') + link(pages[at + 1], 'next', 'Next');
  return `<nav class="around" aria-label="Previous and next page">${links}</nav>`;
}
