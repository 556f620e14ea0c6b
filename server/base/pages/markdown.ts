import { escape } from './html.ts';

/**
 * Characters of one text that are read as Markdown. The rest is shown unchanged, so that a stranger's text costs no more than
 * its length.
 */
export const MOST_MARKDOWN = 100_000;

/**
 * The small part of Markdown that a question or an answer needs, as HTML: paragraphs, headings, lists, tables, quotes, lines,
 * quoted code, **strong**, *emphasis*, `code` and links to http, https and mailto. Everything else stays text: no HTML, and no images, which would
 * reveal their readers to a server. If `files` is the address of the page's own files, links to them download them, and pictures
 * among them are shown. At most `most` characters of the text are read as Markdown.
 *
 * M1. Each character is read a bounded number of times: a search for the end of a mark stops at the next mark of its
 *     kind, and nothing is nested but code and links within emphasis, a list in a list once, and blocks in a quote once
 *     (docs/decisions/0057-markdown-of-pages.md).
 */
export function markdownHtml(text: string, files?: string, most = MOST_MARKDOWN): string {
  const read = text.slice(0, most);
  const html = blocksHtml(read.split(/\r\n|\n|\r/), files);
  const rest = text.slice(read.length);
  if (rest === '') return html;
  return `${html}${html === '' ? '' : '\n'}<pre>${escape(rest)}</pre>`;
}

const FENCE = /^ {0,3}(`{3,})[^`]*$/;

const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}> ?/;
/** The line below the names of the columns of a table. */
const COLUMNS = /^\|? *:?-+:? *(?:\| *:?-+:? *)*\|?$/;

function blocksHtml(lines: readonly string[], files?: string, isQuoted = false): string {
  let html = '';
  /** A heading is followed by the rest of its block without a break. */
  const add = (block: string, joined = false): void => {
    html += html === '' || joined ? block : `\n${block}`;
  };
  let afterHeading = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const fence = FENCE.exec(line)?.[1];
    const heading = headingIn(line);
    if (line.trim() === '') {
      afterHeading = false;
      at += 1;
    } else if (fence !== undefined) {
      const end = endOfCode(lines, at + 1, fence);
      add(`<pre>${escape(lines.slice(at + 1, end).join('\n'))}</pre>`, afterHeading);
      afterHeading = false;
      at = end + 1;
    } else if (heading !== undefined) {
      // The page has its own heading above.
      add(`<h2>${inlineHtml(heading, files)}</h2>`, afterHeading);
      afterHeading = true;
      at += 1;
    } else if (RULE.test(line)) {
      add('<hr>', afterHeading);
      afterHeading = false;
      at += 1;
    } else if (!isQuoted && QUOTE.test(line)) {
      const end = endOf(lines, at + 1, QUOTE);
      const quoted = lines.slice(at, end).map((one) => one.replace(QUOTE, ''));
      add(`<blockquote>${blocksHtml(quoted, files, true)}</blockquote>`, afterHeading);
      afterHeading = false;
      at = end;
    } else if (isTable(lines, at)) {
      const end = endOf(lines, at + 2, /\|/);
      add(tableHtml(lines.slice(at, end), files), afterHeading);
      afterHeading = false;
      at = end;
    } else {
      const end = endOfBlock(lines, at + 1);
      add(blockHtml(lines.slice(at, end), files), afterHeading);
      afterHeading = false;
      at = end;
    }
  }
  return html;
}

/** The line that closes the code; without one, the code goes to the end. */
function endOfCode(lines: readonly string[], from: number, fence: string): number {
  let end = from;
  while (end < lines.length && !isClosing(lines[end] as string, fence)) end += 1;
  return end;
}

function isClosing(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && /^`+$/.test(marks);
}

/** The end of a paragraph or a list. */
function endOfBlock(lines: readonly string[], from: number): number {
  const isListed = isItem(lines[from - 1] as string);
  let end = from;
  while (end < lines.length && !endsBlock(lines, end, isListed)) end += 1;
  return end;
}

function endsBlock(lines: readonly string[], at: number, isListed: boolean): boolean {
  const line = lines[at] as string;
  return (
    line.trim() === '' ||
    FENCE.test(line) ||
    headingIn(line) !== undefined ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    isTable(lines, at) ||
    isItem(line) !== isListed
  );
}

/** Where lines of this kind end. */
function endOf(lines: readonly string[], from: number, kind: RegExp): number {
  let end = from;
  while (end < lines.length && kind.test(lines[end] as string)) end += 1;
  return end;
}

function isTable(lines: readonly string[], at: number): boolean {
  const below = lines[at + 1];
  return (
    below !== undefined &&
    (lines[at] as string).includes('|') &&
    below.includes('|') &&
    COLUMNS.test(below.trim())
  );
}

/** The most columns of a table that are shown. */
const MOST_COLUMNS = 50;

function tableHtml([names = '', marks = '', ...rows]: readonly string[], files?: string): string {
  const columns = cellsIn(names).slice(0, MOST_COLUMNS);
  const sides = cellsIn(marks).map((mark) => (mark.endsWith(':') ? ' class="right"' : ''));
  // Cells that a row lacks are not added, so that a table takes no more room than its text.
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells
      .slice(0, columns.length)
      .map((cell, i) => `<${tag}${sides[i] ?? ''}>${inlineHtml(cell, files)}</${tag}>`)
      .join('')}</tr>`;
  const body = rows.map((line) => row(cellsIn(line), 'td')).join('');
  // It scrolls by itself, so it must be reachable by keys.
  return `<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead>${row(columns, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

/** A bar behind a backslash is a part of its cell. */
function cellsIn(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function headingIn(line: string): string | undefined {
  return /^#{1,6}\s/.test(line) ? line.slice(line.search(/[^#]/)).trim() : undefined;
}

const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(?:\[([ xX])\]\s+)?/;
/** Spaces before an item of a list in a list. */
const INNER = 2;

function isItem(line: string): boolean {
  return ITEM.test(line);
}

function blockHtml(lines: readonly string[], files?: string): string {
  if (isItem(lines[0] as string)) return listsHtml(lines, files);
  return `<p>${lines.map((line) => inlineHtml(line, files)).join('<br>\n')}</p>`;
}

interface Item {
  readonly tag: 'ul' | 'ol';
  readonly isInner: boolean;
  readonly start: string;
  readonly html: string;
}

function itemOf(line: string, files?: string): Item {
  const [mark = '', space = '', , n, done] = ITEM.exec(line) ?? [];
  const box = done === undefined ? '' : done === ' ' ? '☐ ' : '☑ ';
  const html = box + inlineHtml(line.slice(mark.length), files);
  return {
    tag: n === undefined ? 'ul' : 'ol',
    isInner: space.length >= INNER,
    start: n === undefined || Number(n) === 1 ? '' : ` start="${Number(n)}"`,
    html,
  };
}

/** Lists of items that follow each other, and in each item at most one list. */
function listsHtml(lines: readonly string[], files?: string): string {
  let html = '';
  /** The lists that are open, the inner one last. */
  const open: Item['tag'][] = [];
  for (const line of lines) {
    const item = itemOf(line, files);
    const depth = item.isInner && open.length > 0 ? 2 : 1;
    while (open.length > depth || (open.length === depth && open.at(-1) !== item.tag))
      html += `</li></${open.pop()}>`;
    if (open.length === depth) html += '</li>';
    else html += `<${item.tag}${item.start}>`;
    open[depth - 1] = item.tag;
    html += `<li>${item.html}`;
  }
  while (open.length > 0) html += `</li></${open.pop()}>`;
  return html;
}

/** Where a mark may begin. */
const START = /\\[\\[\]*_`<]|`|!?\[|\*\*?|https?:\/\//g;

/** The HTML of a mark, and where the text continues behind it. */
interface Marked {
  readonly html: string;
  readonly end: number;
}

function inlineHtml(text: string, files?: string): string {
  let html = '';
  let done = 0;
  for (let at = 0; at < text.length; ) {
    START.lastIndex = at;
    const start = START.exec(text);
    if (start === null) break;
    const marked = markAt(text, start[0], start.index, files);
    if (marked !== undefined) {
      html += escape(text.slice(done, start.index)) + marked.html;
      done = marked.end;
    }
    at = marked?.end ?? start.index + start[0].length;
  }
  return html + escape(text.slice(done));
}

function markAt(text: string, mark: string, at: number, files?: string): Marked | undefined {
  const from = at + mark.length;
  if (mark.startsWith('\\')) return { html: escape(mark.slice(1)), end: from };
  if (mark.startsWith('http')) return bareLink(text, at, from);
  if (mark.endsWith('[')) return link(text, mark, at, files);
  const end = text.indexOf(mark === '`' ? '`' : '*', from);
  // Also for three marks in a row, which are no mark.
  if (end <= from) return undefined;
  const inner = text.slice(from, end);
  if (mark === '`') return { html: `<code>${escape(inner)}</code>`, end: end + 1 };
  if (mark === '**')
    return text[end + 1] === '*'
      ? { html: `<strong>${inlineHtml(inner, files)}</strong>`, end: end + 2 }
      : undefined;
  return /^\s/.test(inner) ? undefined : { html: `<em>${inlineHtml(inner, files)}</em>`, end: end + 1 };
}

const LABEL = /(?:\\[\\[\]*_`<]|[^\][\\]|\\(?![\\[\]*_`<]))+/y;
const TARGET = /\]\(([^()\s]+)\)/y;

/** A label stops at the next bracket that is not escaped, and an address at the next parenthesis. */
function link(text: string, mark: string, at: number, files?: string): Marked | undefined {
  LABEL.lastIndex = at + mark.length;
  const label = LABEL.exec(text)?.[0];
  if (label === undefined) return undefined;
  TARGET.lastIndex = LABEL.lastIndex;
  const href = TARGET.exec(text)?.[1];
  if (href === undefined) return undefined;
  const end = TARGET.lastIndex;
  const name = label.replaceAll(/\\([\\[\]*_`<])/g, '$1');
  if (files !== undefined && isOwnFile(href, files))
    return { html: fileHtml(href, name, mark === '!['), end };
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return { html: escape(text.slice(at, end)), end };
  return { html: `${mark === '![' ? '!' : ''}${linkHtml(href, name)}`, end };
}

const ADDRESS = /[^\s<>"]*/y;

/** An address in the text, without the punctuation behind it. */
function bareLink(text: string, at: number, from: number): Marked | undefined {
  ADDRESS.lastIndex = from;
  const found = ADDRESS.exec(text)?.[0] ?? '';
  let length = found.length;
  while (length > 0 && '.,;:!?)]'.includes(found[length - 1] as string)) length -= 1;
  if (length < 2) return undefined;
  const end = from + length;
  const href = text.slice(at, end);
  return { html: linkHtml(href, href), end };
}

function linkHtml(href: string, label: string): string {
  return `<a href="${escape(href)}" rel="noopener noreferrer">${escape(label)}</a>`;
}

function isOwnFile(href: string, files: string): boolean {
  return href.startsWith(files) && /^[0-9a-f-]{36}\/f_[\w-]{32}$/.test(href.slice(files.length));
}

/** A file of the page: its name, with the picture if it is one. */
export function fileHtml(href: string, name: string, isPicture: boolean): string {
  const shown = isPicture ? `<img src="${escape(href)}" alt="${escape(name)}" loading="lazy">` : escape(name);
  return `<a class="file" href="${escape(href)}" download="${escape(name)}">${shown}</a>`;
}
