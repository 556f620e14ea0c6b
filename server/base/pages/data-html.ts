import { isRecord } from '#shared/json.ts';
import { escape } from './html.ts';

/** Values for people: records as a table, an object as a list of its fields, a list as a list. What is nested deeper stays JSON. */

/** More rows or entries are counted, not shown. */
const MOST = 1000;
/** A table with more columns would be read by nobody. */
const MOST_COLUMNS = 12;
const DEPTH = 3;

export function dataHtml(data: unknown): string {
  return typeof data === 'string' ? `<pre>${escape(data)}</pre>` : shown(data, DEPTH);
}

function shown(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return escape(wordOf(value));
  if (depth === 0) return `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;
  if (isRecord(value)) return fieldsHtml(value, depth);
  const list = value as readonly unknown[];
  if (list.length === 0) return escape(wordOf(null));
  const columns = columnsOf(list);
  return columns === undefined ? listHtml(list, depth) : tableHtml(list as readonly Row[], columns);
}

type Row = Readonly<Record<string, unknown>>;

function wordOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function fieldsHtml(value: Row, depth: number): string {
  const fields = Object.entries(value);
  if (fields.length === 0) return escape(wordOf(null));
  const rows = fields.map(([name, field]) => `<dt>${escape(name)}</dt><dd>${shown(field, depth - 1)}</dd>`);
  return `<dl>${rows.join('')}</dl>`;
}

function listHtml(list: readonly unknown[], depth: number): string {
  const entries = list.slice(0, MOST).map((one) => `<li>${shown(one, depth - 1)}</li>`);
  return `<ul>${entries.join('')}</ul>${restHtml(list.length)}`;
}

/** Of records whose fields are plain; undefined for any other list. */
function columnsOf(list: readonly unknown[]): readonly string[] | undefined {
  const columns = new Set<string>();
  for (const one of list) {
    if (!isRecord(one)) return undefined;
    for (const [name, field] of Object.entries(one)) {
      if (typeof field === 'object' && field !== null) return undefined;
      columns.add(name);
    }
    if (columns.size > MOST_COLUMNS) return undefined;
  }
  return columns.size === 0 ? undefined : [...columns];
}

function tableHtml(list: readonly Row[], columns: readonly string[]): string {
  const isNumber = new Set(
    columns.filter((name) => list.every((row) => row[name] === undefined || typeof row[name] === 'number')),
  );
  const cell = (tag: 'th' | 'td', name: string, text: string): string =>
    `<${tag}${isNumber.has(name) ? ' class="number"' : ''}>${escape(text)}</${tag}>`;
  const head = columns.map((name) => cell('th', name, name)).join('');
  const rows = list
    .slice(0, MOST)
    .map((row) => `<tr>${columns.map((name) => cell('td', name, wordOf(row[name]))).join('')}</tr>`);
  // A wide table is moved by keys as well.
  return `<div class="rows" role="group" aria-label="Table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>${restHtml(list.length)}`;
}

function restHtml(length: number): string {
  return length <= MOST
    ? ''
    : `<p class="help">${(length - MOST).toLocaleString('en-US')} more are not shown.</p>`;
}
