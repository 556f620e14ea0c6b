import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import markdownIt, { type Token } from 'markdown-it';
import { highlighted } from './highlight.ts';
import { PROJECT, type Site, type SitePage } from './pages.ts';

/** Where the site is served. */
export const BASE = '/help';
/** The only folder whose pictures are served. */
const PICTURES = 'docs/images/';
/** Tables in which a row has an address: the first cell names what people look for. */
const NAMED_ROWS = new Set(['code', 'variable']);

export interface Heading {
  readonly level: number;
  readonly anchor: string;
  readonly text: string;
}

/** What stands below one heading, for the search. */
export interface Part {
  /** Empty for what stands before the first heading of level 2. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  /** Headings of levels 2 and 3. */
  readonly outline: readonly Heading[];
  readonly parts: readonly Part[];
  readonly anchors: ReadonlySet<string>;
  /** Pages of the site that it leads to, with the anchor or an empty text. */
  readonly links: readonly { readonly file: string; readonly anchor: string }[];
}

const markdown = markdownIt({
  html: false,
  highlight: (code, language) => highlighted(code, language),
});
// A table is as wide as it must be, and scrolls by itself.
markdown.renderer.rules['table_open'] = (): string =>
  '<div class="table" role="region" aria-label="Table" tabindex="0"><table>\n';
markdown.renderer.rules['table_close'] = (): string => '</table></div>\n';
// So does a line of code, by keys as well.
const fence = markdown.renderer.rules['fence'];
markdown.renderer.rules['fence'] = (...given): string =>
  (fence?.(...given) ?? '').replace('<pre>', '<pre tabindex="0">');
// For the pointer only: the outline has the same addresses.
markdown.renderer.rules['heading_close'] = (tokens, at): string => {
  const tag = tokens[at]?.tag ?? 'h1';
  const anchor = tokens[at - 2]?.attrGet('id') ?? '';
  const link = `<a class="anchor" href="#${anchor}" tabindex="-1" aria-hidden="true">#</a>`;
  return `${tag === 'h1' ? '' : link}</${tag}>\n`;
};

/** The address of a page in the browser. */
export function pageAddress({ address }: Pick<SitePage, 'address'>, anchor = ''): string {
  const path = address === '' ? BASE : `${BASE}/${address}`;
  return anchor === '' ? path : `${path}#${anchor}`;
}

export function renderPage(page: SitePage, site: Site): RenderedPage {
  const tokens = markdown.parse(page.text, {});
  const walk = new Walk(page, site);
  for (const [at, token] of tokens.entries()) walk.see(token, tokens, at);
  return { html: markdown.renderer.render(tokens, markdown.options, {}), ...walk.result() };
}

/** One pass over the blocks of a page, which gives them anchors and addresses and notes what the site needs of them. */
class Walk {
  readonly #page: SitePage;
  readonly #site: Site;
  readonly #slugs = new GithubSlugger();
  readonly #anchors = new Set<string>();
  readonly #outline: Heading[] = [];
  readonly #parts: { anchor: string; heading: string; texts: string[] }[];
  readonly #links: { file: string; anchor: string }[] = [];
  #hasNamedRows = false;

  /** By the kind of a block; `around`: the one before, itself, and the two after. */
  readonly #kinds: Readonly<
    Record<string, (token: Token, next: Token | undefined, around: readonly Token[]) => void>
  > = {
    heading_open: (token, next) => this.#heading(token, next),
    th_open: (_, next, [before]) => {
      if (before?.type === 'tr_open') this.#hasNamedRows = NAMED_ROWS.has(next?.content ?? '');
    },
    tr_open: (token, _, around) => this.#row(token, around[3]),
    table_close: () => this.#goOn(),
    fence: ({ content }) => this.#note(content),
    code_block: ({ content }) => this.#note(content),
    inline: (token, _, [before]) => {
      this.#inline(token);
      if (before?.type !== 'heading_open') this.#note(textOf(token));
    },
  };

  constructor(page: SitePage, site: Site) {
    this.#page = page;
    this.#site = site;
    this.#parts = [{ anchor: '', heading: '', texts: [] }];
  }

  see(token: Token, tokens: readonly Token[], at: number): void {
    this.#kinds[token.type]?.(token, tokens[at + 1], tokens.slice(at - 1, at + 3));
  }

  result(): Omit<RenderedPage, 'html'> {
    // A heading may be all that there is, and leads somewhere; what follows a table may be nothing.
    const parts = this.#parts
      .filter(({ texts, heading }, at) => texts.length > 0 || this.#parts[at - 1]?.heading !== heading)
      .map(({ texts, ...part }) => ({ ...part, text: texts.join(' ') }));
    return { outline: this.#outline, parts, anchors: this.#anchors, links: this.#links };
  }

  #note(text: string): void {
    this.#parts.at(-1)?.texts.push(text.replaceAll(/\s+/g, ' ').trim());
  }

  #heading(token: Token, inline: Token | undefined): void {
    const text = inline ? textOf(inline) : '';
    const level = Number(token.tag.slice(1));
    const anchor = this.#slugs.slug(text);
    token.attrSet('id', anchor);
    this.#anchors.add(anchor);
    if (level === 1) return;
    if (level <= 3) this.#outline.push({ level, anchor, text });
    this.#parts.push({ anchor, heading: text, texts: [] });
  }

  /** `| `flow_not_found` | …` has the address `#flow_not_found`. */
  #row(token: Token, cell: Token | undefined): void {
    const [name, ...more] = cell?.children ?? [];
    if (!this.#hasNamedRows || name?.type !== 'code_inline' || more.length > 0) return;
    if (!/^[\w.-]+$/.test(name.content) || this.#anchors.has(name.content)) return;
    token.attrSet('id', name.content);
    this.#anchors.add(name.content);
    this.#parts.push({ anchor: name.content, heading: name.content, texts: [] });
  }

  /** What follows a table belongs to the heading above it. */
  #goOn(): void {
    const { anchor, text } = this.#outline.at(-1) ?? { anchor: '', text: '' };
    if (this.#hasNamedRows) this.#parts.push({ anchor, heading: text, texts: [] });
    this.#hasNamedRows = false;
  }

  #inline({ children }: Token): void {
    const open: boolean[] = [];
    for (const [at, token] of (children ?? []).entries()) {
      if (token.type === 'image') this.#picture(token);
      if (token.type === 'link_open') open.push(this.#link(token, children?.[at + 1]));
      // A link that leads nowhere here is only marked.
      if (token.type === 'link_close' && open.pop() === false) token.tag = 'span';
    }
  }

  /** Whether it stays a link. The name of a file, which says something in the sources alone, becomes the title of its page. */
  #link(token: Token, words: Token | undefined): boolean {
    const href = String(token.attrGet('href'));
    if (/^(?:https?|mailto):/.test(href)) {
      token.attrSet('rel', 'noopener noreferrer');
      return true;
    }
    const [path = '', anchor = ''] = href.split('#', 2);
    const file = path === '' ? this.#page.file : posix.join(posix.dirname(this.#page.file), path);
    const target = this.#site.pages.get(file) ?? this.#site.pages.get(posix.join(file, 'README.md'));
    if (target && !path.startsWith('/')) {
      this.#links.push({ file: target.file, anchor });
      if (words?.type === 'text' && words.content.endsWith('.md')) words.content = target.title;
      token.attrSet('href', path === '' ? `#${anchor}` : pageAddress(target, anchor));
      return true;
    }
    token.tag = 'span';
    token.attrs = [
      ['class', 'source'],
      ['title', `${file} in the source code`],
    ];
    return false;
  }

  #picture(token: Token): void {
    const file = posix.join(posix.dirname(this.#page.file), String(token.attrGet('src')));
    if (!file.startsWith(PICTURES))
      throw new Error(`${this.#page.file}: pictures of the site lie in ${PICTURES}, not at ${file}.`);
    token.attrSet('src', `${BASE}/images/${file.slice(PICTURES.length)}`);
    const size = sizeOfPng(readFileSync(join(PROJECT, file)));
    for (const [name, value] of Object.entries(size ?? {})) token.attrSet(name, String(value));
  }
}

/** So that the page does not move when a picture arrives. Undefined for another format. */
function sizeOfPng(bytes: Buffer): { width: number; height: number } | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function textOf({ children, content }: Token): string {
  if (!children) return content;
  return children
    .map((token) => (token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : token.content))
    .join('');
}
