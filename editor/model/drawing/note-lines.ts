import type { BlockContent, ListItem, Nodes, PhrasingContent, RootContent, Table } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';

/** A line of a note as a picture shows it. */
export interface NoteLine {
  readonly text: string;
  readonly isHeading: boolean;
}

/** The same reading of Markdown as that of the note on the canvas. */
const reader = unified().use(remarkParse).use(remarkGfm);

/** The lines of a note's Markdown without its signs, broken between words where they have more than `most` signs. */
export function noteLines(markdown: string, most: number): NoteLine[] {
  return linesOf(reader.parse(markdown).children).flatMap(({ text, isHeading }) =>
    wrapped(text, most).map((line) => ({ text: line, isHeading })),
  );
}

/** One block below the other, with an empty line between them, except below a heading. */
function linesOf(blocks: readonly RootContent[]): NoteLine[] {
  // What others refer to is not shown itself.
  const shown = blocks.filter(({ type }) => type !== 'definition');
  return shown.flatMap((block, at) => {
    const before = shown[at - 1];
    const isApart = before !== undefined && before.type !== 'heading';
    return [...(isApart ? plain('') : []), ...linesOfBlock(block)];
  });
}

function linesOfBlock(block: RootContent): NoteLine[] {
  switch (block.type) {
    case 'heading':
      return plain(wordsOf(block.children)).map(({ text }) => ({ text, isHeading: true }));
    case 'paragraph':
      return plain(wordsOf(block.children));
    case 'list':
      return block.children.flatMap((item, at) =>
        linesOfItem(item, block.ordered === true ? `${(block.start ?? 1) + at}. ` : '• '),
      );
    case 'blockquote':
      return linesOf(block.children);
    case 'table':
      return linesOfTable(block);
    case 'thematicBreak':
      return plain('———');
    case 'code':
    case 'html':
      return plain(block.value);
    case 'footnoteDefinition':
      return marked(`${block.identifier}. `, linesOf(block.children));
    default:
      return [];
  }
}

function linesOfItem({ children, checked }: ListItem, sign: string): NoteLine[] {
  const mark = typeof checked === 'boolean' ? (checked ? '☑ ' : '☐ ') : sign;
  return marked(
    mark,
    children.flatMap((child: BlockContent | RootContent) => linesOfBlock(child)),
  );
}

/** The mark before the first line; all others stand below the text. */
function marked(mark: string, lines: readonly NoteLine[]): NoteLine[] {
  const [first = { text: '', isHeading: false }, ...more] = lines;
  const below = '\u00a0'.repeat(mark.length * 2);
  return [
    { ...first, text: mark + first.text },
    ...more.map((line) => ({ ...line, text: below + line.text })),
  ];
}

function linesOfTable({ children: rows }: Table): NoteLine[] {
  return rows.flatMap(({ children: cells }) =>
    plain(cells.map(({ children }) => wordsOf(children)).join(' | ')),
  );
}

function plain(text: string): NoteLine[] {
  return text.split('\n').map((line) => ({ text: line, isHeading: false }));
}

function wordsOf(parts: readonly PhrasingContent[]): string {
  return parts.map(wordOf).join('');
}

function wordOf(part: Nodes): string {
  if (part.type === 'break') return '\n';
  if (part.type === 'image' || part.type === 'imageReference') return `[${part.alt || 'picture'}]`;
  if (part.type === 'footnoteReference') return `[${part.identifier}]`;
  // A line that ends in the text goes on, as on the canvas.
  if (part.type === 'text') return part.value.replaceAll('\n', ' ');
  if ('value' in part) return part.value;
  return 'children' in part ? part.children.map(wordOf).join('') : '';
}

function wrapped(line: string, most: number): string[] {
  const lines: string[] = [];
  let last = '';
  for (const word of line.split(' ')) {
    const longer = last === '' ? word : `${last} ${word}`;
    if (last !== '' && Array.from(longer).length > most) {
      lines.push(last);
      last = word;
    } else last = longer;
  }
  return [...lines, last];
}
