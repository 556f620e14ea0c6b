import { escape } from './html.ts';

/**
 * The little Markdown that a question needs, as HTML: paragraphs, headings, lists, quoted code, **strong**,
 * *emphasis*, `code` and links to http, https and mailto. Own code, because the page must not depend on the editor's
 * build, and because everything else stays text: no HTML, no images (they would tell their server who looks). Where `files` says where the page's own files are, links
 * to them download them, and pictures among them are shown.
 */
export function markdownHtml(text: string, files?: string): string {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n(?:[ \t]*\n)+/);
  return blocks
    .filter((block) => block.trim() !== '')
    .map((block) => blockHtml(block, files))
    .join('\n');
}

function blockHtml(block: string, files?: string): string {
  const inline = (line: string): string => inlineHtml(line, files);
  const lines = block.split('\n');
  const code = /^```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(block.trim());
  if (code) return `<pre>${escape(code[1] as string)}</pre>`;
  const heading = /^#{1,6}\s+(.*)$/.exec(lines[0] as string);
  // The page has its own heading above.
  if (heading) return `<h2>${inline(heading[1] as string)}</h2>${restHtml(lines.slice(1), files)}`;
  for (const [mark, tag] of LISTS) {
    if (lines.every((line) => mark.test(line))) {
      return `<${tag}>${lines.map((line) => `<li>${inline(line.replace(mark, ''))}</li>`).join('')}</${tag}>`;
    }
  }
  return `<p>${lines.map(inline).join('<br>\n')}</p>`;
}

const LISTS: readonly (readonly [RegExp, string])[] = [
  [/^\s{0,3}[-*+]\s+/, 'ul'],
  [/^\s{0,3}\d{1,9}[.)]\s+/, 'ol'],
];

function restHtml(lines: readonly string[], files?: string): string {
  return lines.length === 0 ? '' : blockHtml(lines.join('\n'), files);
}

/** The text between the marks stays text, except within strong and emphasis. */
const INLINE =
  /`(?<code>[^`]+)`|(?<mark>!?)\[(?<label>(?:\\[\\[\]*_`<]|[^\][\\]|\\(?![\\[\]*_`<]))+)\]\((?<target>[^()\s]+)\)|(?<bare>https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])|\*\*(?<strong>[^*]+)\*\*|\*(?<em>[^*\s][^*]*)\*/g;

function inlineHtml(text: string, files?: string): string {
  let html = '';
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    html += escape(text.slice(at, found.index)) + markHtml(found[0], found.groups ?? {}, files);
    at = found.index + found[0].length;
  }
  return html + escape(text.slice(at));
}

function markHtml(whole: string, parts: Record<string, string | undefined>, files?: string): string {
  const { code, mark = '', label, target, bare, strong, em } = parts;
  if (code !== undefined) return `<code>${escape(code)}</code>`;
  if (strong !== undefined) return `<strong>${inlineHtml(strong, files)}</strong>`;
  if (em !== undefined) return `<em>${inlineHtml(em, files)}</em>`;
  const href = target ?? bare ?? '';
  if (label !== undefined && files !== undefined && isOwnFile(href, files))
    return fileHtml(href, label.replaceAll(/\\([\\[\]*_`<])/g, '$1'), mark === '!');
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return escape(whole);
  return `${mark}<a href="${escape(href)}" rel="noopener noreferrer">${escape(label ?? href)}</a>`;
}

function isOwnFile(href: string, files: string): boolean {
  return href.startsWith(files) && /^[0-9a-f-]{36}\/f_[\w-]{32}$/.test(href.slice(files.length));
}

/** A file of the page: its name, with the picture that it is. */
export function fileHtml(href: string, name: string, isPicture: boolean): string {
  const shown = isPicture ? `<img src="${escape(href)}" alt="${escape(name)}" loading="lazy">` : escape(name);
  return `<a class="file" href="${escape(href)}" download="${escape(name)}">${shown}</a>`;
}
