import { escape } from './html.ts';

/**
 * The little Markdown that a question needs, as HTML: paragraphs, headings, lists, quoted code, **strong**,
 * *emphasis*, `code` and links to http, https and mailto. Own code, because the page must not depend on the editor's
 * build, and because everything else stays text: no HTML, no images (they would tell their server who looks).
 */
export function markdownHtml(text: string): string {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n(?:[ \t]*\n)+/);
  return blocks
    .filter((block) => block.trim() !== '')
    .map(blockHtml)
    .join('\n');
}

function blockHtml(block: string): string {
  const lines = block.split('\n');
  const code = /^```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(block.trim());
  if (code) return `<pre>${escape(code[1] as string)}</pre>`;
  const heading = /^#{1,6}\s+(.*)$/.exec(lines[0] as string);
  // The page has its own heading above.
  if (heading) return `<h2>${inlineHtml(heading[1] as string)}</h2>${restHtml(lines.slice(1))}`;
  for (const [mark, tag] of LISTS) {
    if (lines.every((line) => mark.test(line))) {
      return `<${tag}>${lines.map((line) => `<li>${inlineHtml(line.replace(mark, ''))}</li>`).join('')}</${tag}>`;
    }
  }
  return `<p>${lines.map(inlineHtml).join('<br>\n')}</p>`;
}

const LISTS: readonly (readonly [RegExp, string])[] = [
  [/^\s{0,3}[-*+]\s+/, 'ul'],
  [/^\s{0,3}\d{1,9}[.)]\s+/, 'ol'],
];

function restHtml(lines: readonly string[]): string {
  return lines.length === 0 ? '' : blockHtml(lines.join('\n'));
}

/** The text between the marks stays text, except within strong and emphasis. */
const INLINE =
  /`(?<code>[^`]+)`|\[(?<label>[^\][]+)\]\((?<target>[^()\s]+)\)|(?<bare>https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])|\*\*(?<strong>[^*]+)\*\*|\*(?<em>[^*\s][^*]*)\*/g;

function inlineHtml(text: string): string {
  let html = '';
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    html += escape(text.slice(at, found.index)) + markHtml(found[0], found.groups ?? {});
    at = found.index + found[0].length;
  }
  return html + escape(text.slice(at));
}

function markHtml(whole: string, parts: Record<string, string | undefined>): string {
  const { code, label, target, bare, strong, em } = parts;
  if (code !== undefined) return `<code>${escape(code)}</code>`;
  if (strong !== undefined) return `<strong>${inlineHtml(strong)}</strong>`;
  if (em !== undefined) return `<em>${inlineHtml(em)}</em>`;
  const href = target ?? bare ?? '';
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return escape(whole);
  return `<a href="${escape(href)}" rel="noopener noreferrer">${escape(label ?? href)}</a>`;
}
