import type { Chart, ChatItem } from './chat-item.ts';
import { textOrJson } from './json.ts';

/**
 * What an answer rests on: as the elements that the original's web page draws, `<references>` and `<chart-view>`, and as Markdown
 * for readers of plain text.
 */

/** The original's fields of a passage, and ours behind them. Its readers would show a line break as two characters. */
type References = Pick<Extract<ChatItem, { type: 'references' }>, 'documents' | 'question'>;

/** The element `<references>` for the documents of an answer. */
export function referencesMarkup({ documents, question }: References): string {
  const list = documents.map(({ name, passages }) => ({
    name,
    chunks: passages.map(({ n, id, text, metadata, score, page, heading, quote, href }) => ({
      index: n,
      id,
      content: inLine(text),
      meta_info: JSON.stringify(metadata),
      recall_score: score,
      page,
      heading,
      quote: inLine(quote),
      href,
    })),
  }));
  return `${searched(question)}\n\n<references title="References" references="${attribute(spacedJson(list))}" />`;
}

/** The element `<chart-view>` with all rows. */
export function chartMarkup({ type, sql, rows }: Chart): string {
  return `<chart-view content="${attribute(spacedJson({ type, sql, data: rows }))}"></chart-view>`;
}

/** What was searched for, if that was not the question as it was asked. */
function searched(question: string | undefined): string {
  return question === undefined ? '' : `\n\nSearched for: “${inLine(question)}”`;
}

/** The passages as lines of Markdown, in the order of their numbers; before them what was searched for. */
export function referencesText({ documents, question }: References): string {
  const passages = documents.flatMap(({ name, passages: own }) => own.map((one) => ({ name, ...one })));
  if (passages.length === 0) return searched(question);
  const lines = passages
    .sort((a, b) => a.n - b.n)
    .map(({ n, name, page, heading, quote, href }) => {
      const place = [name, ...(page === null ? [] : [`page ${page}`]), ...(heading === '' ? [] : [heading])];
      return `[${n}] ${place.join(', ')}: “${inLine(quote)}” <${href}>`;
    });
  return `${searched(question)}\n\n${lines.join('\n\n')}`;
}

/** For readers who may not open documents on this server: an answer in plain text without the addresses of its passages there. */
export function withoutOwnAddresses(answer: string): string {
  return answer.replaceAll(PASSAGE, (passage) => {
    const at = addressIn(passage);
    return at !== -1 && passage[at + 1] === '/' ? passage.slice(0, at - 1) : passage;
  });
}

/**
 * An earlier answer without what it rested on, in either form: what documents and rows say is not something that a model should
 * read as its own words.
 */
export function withoutEvidence(answer: string): string {
  const text = answer
    .replaceAll(SEARCHED, '')
    .replaceAll(
      /<references title="[^"]*" references="[^"]*" \/>|<chart-view content="[^"]*"><\/chart-view>/g,
      '',
    )
    .replaceAll(PASSAGE, (passage) => {
      const [quoted, at] = [passage.indexOf('“'), addressIn(passage)];
      return quoted !== -1 && quoted < at ? '' : passage;
    });
  return withoutTables(text).trim();
}

/** The line that `searched` writes, before passages or at the end. */
const SEARCHED = /\n\nSearched for: “[^\n]*”(?=\n\n\[1\] |\n\n<references |\s*$)/g;

/** A line that may be a passage of `referencesText`. Code decides whether it is one: a longer expression takes minutes for some texts. */
const PASSAGE = /\n\n\[\d+\] [^\n]*/g;

/** Where the address at the end of a passage begins, with its `<`; -1 if there is none. */
function addressIn(passage: string): number {
  const at = passage.lastIndexOf('” <') + 2;
  return at > 1 && passage.indexOf('>', at) === passage.length - 1 ? at : -1;
}

const [STATEMENT, ROWS] = ['\n```sql\n', '\n```\n\n|'];

/** Without the rows below statements, as `chartText` writes them. */
function withoutTables(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const statement = text.indexOf(STATEMENT, at);
    const end = statement === -1 ? -1 : text.indexOf(ROWS, statement + STATEMENT.length);
    if (end === -1) return kept + text.slice(at);
    const rows = /(?:\|[^\n]*(?:\n|$))+(?:\nThe first \d+ rows\.)?/y;
    rows.lastIndex = end + ROWS.length - 1;
    rows.test(text);
    kept += text.slice(at, end + '\n```'.length);
    at = rows.lastIndex;
  }
}

/** Rows that a text shows; a drawing has all. */
const MAX_ROWS = 50;

/** The statement and its first rows as Markdown. */
export function chartText({ sql, rows, more }: Chart): string {
  const statement = `\n\n\`\`\`sql\n${sql}\n\`\`\``;
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return `${statement}\n\nNo rows.`;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const shown = rows.slice(0, MAX_ROWS);
  const table = [
    line(columns.map(cell)),
    line(columns.map(() => '---')),
    ...shown.map((row) => line(columns.map((name) => cell(row[name])))),
  ];
  const rest = more || rows.length > shown.length ? `\n\nThe first ${shown.length} rows.` : '';
  return `${statement}\n\n${table.join('\n')}${rest}`;
}

function cell(value: unknown): string {
  return inLine(value === null ? '' : textOrJson(value)).replaceAll('|', '\\|');
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A text as the value of an attribute, in XML and in HTML. */
function attribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/**
 * JSON as the original's blocks contain it: on one line, `, ` between parts and `: ` after names. Only for valid JSON
 * values.
 */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${spacedJson(part)}`);
  return `{${fields.join(', ')}}`;
}
