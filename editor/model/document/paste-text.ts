import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { MAX_FLOW_BYTES, parse } from '#engine/check';
import { curlSettings } from '../curl/curl-params.ts';
import { type Clip, copyNodes } from './clipboard.ts';
import { NODE_WIDTH } from './geometry.ts';
import { placeMissing } from './place-missing.ts';

/** The nodes that a text from elsewhere becomes on the canvas. */
export interface PastedText {
  readonly clip: Clip;
  /** The kind of text that it was read as: `a curl command`. */
  readonly what: string;
  /** Sentences about what is different or was left out. */
  readonly notes: readonly string[];
}

/** More is better kept as a file, which a flow reads. */
const MAX_DATA = 500_000;
const EXPRESSION = 'Text in {{ }} is an expression here.';

/**
 * Turns a text into nodes: a flow, a curl command or an address, SQL, JSON, CSV. A text in the answer says why it becomes none.
 * Never throws.
 */
export function readText(text: string, catalog: Catalog): PastedText | string {
  const trimmed = text.trim();
  if (trimmed === '') return 'The clipboard is empty.';
  if (/^(?:\$\s*)?curl(?:\.exe)?\s/i.test(trimmed)) return readCurl(trimmed.replace(/^\$\s*/, ''));
  if (/^https?:\/\/\S+$/i.test(trimmed))
    return alone('request', node('http.request', { method: 'GET', url: trimmed }), 'an address');
  if (/^[[{]/.test(trimmed)) return readJson(trimmed, catalog);
  const statement = readSql(trimmed);
  return (
    statement ??
    readCsv(text) ??
    'This text is not a flow, a curl command, an address, SQL, JSON or CSV, so no node can be made from it.'
  );
}

function node(operator: string, params: Record<string, unknown>): FlowNode {
  return { operator, params } as FlowNode;
}

function alone(id: string, one: FlowNode, what: string, notes: readonly string[] = []): PastedText {
  const clip: Clip = { weft: 'nodes', nodes: { [id]: one }, edges: [], places: { [id]: { x: 0, y: 0 } } };
  return { clip, what, notes };
}

function readCurl(text: string): PastedText | string {
  const read = curlSettings(text);
  if (typeof read === 'string') return read;
  const { params, secret, notes } = read;
  const left = secret ? [`Its credential is not pasted: store it as the secret ${secret.name}.`] : [];
  return alone('request', node('http.request', params), 'a curl command', [...left, ...notes]);
}

function readJson(text: string, catalog: Catalog): PastedText | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `This looks like JSON, but cannot be read: ${(error as Error).message}`;
  }
  if (isWorkflow(value)) return readFlow(text, catalog);
  if (text.length > MAX_DATA) return tooLarge('JSON');
  return alone('input', node('core.input', { value }), 'JSON', text.includes('{{') ? [EXPRESSION] : []);
}

/** Nodes with what connects them, whichever product wrote it. */
function isWorkflow(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('nodes' in value)) return false;
  return 'edges' in value || 'connections' in value;
}

function readFlow(text: string, catalog: Catalog): PastedText | string {
  if (text.length > MAX_FLOW_BYTES) return tooLarge('flow');
  if (Array.isArray((JSON.parse(text) as { nodes: unknown }).nodes))
    return 'This is a workflow of another product, not a flow of Weft.';
  const { flow, problems } = parse(text);
  if (!flow) {
    const [first] = problems;
    const place = first?.line === undefined ? '' : `line ${first.line}: `;
    return `This flow cannot be read: ${place}${first?.message ?? ''}`;
  }
  return { clip: clipOf(flow, catalog), what: `the flow “${flow.name ?? flow.id}”`, notes: [] };
}

function clipOf(flow: Flow, catalog: Catalog): Clip {
  const doc = placeMissing({ flow, layout: { format: 1, nodes: {} } }, catalog);
  return copyNodes(doc, new Set(Object.keys(flow.nodes)));
}

function tooLarge(what: string): string {
  return `This ${what} is larger than ${MAX_DATA / 1000} kB. Keep it as a file, and read the file in the flow.`;
}

/** A sentence may begin with such a word, too, so the statement must go on as one. */
const READS = /^(?:select\b[\s\S]*\bfrom\b|select\s+[\d'(]|with\s+(?:recursive\s+)?\w+[\s\S]*\bas\s*\()/i;
const WRITES =
  /^(?:insert\s+(?:or\s+\w+\s+)?into\b|update\s+\S+\s+set\b|delete\s+from\b|merge\s+into\b|(?:create|alter|drop|truncate)\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+)?(?:table|index|view|schema)\b)/i;

function readSql(text: string): PastedText | undefined {
  const statement = text.replace(/^(?:\s*--[^\n]*\n|\s*\/\*[\s\S]*?\*\/)+/, '').trim();
  const sql = text.replace(/;\s*$/, '');
  const notes = ['Choose its connection.'];
  if (WRITES.test(statement)) return alone('execute', node('sql.execute', { sql }), 'SQL', notes);
  if (READS.test(statement)) return alone('query', node('sql.query', { sql }), 'SQL', notes);
  return undefined;
}

const DELIMITERS = ['\t', ';', ',', '|'] as const;
const LOOKED_AT = 50;

/** Lines with the same number of fields, at least two of each; spreadsheets copy cells with tabs between them. */
function readCsv(text: string): PastedText | string | undefined {
  const lines = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .slice(0, LOOKED_AT);
  const delimiter = DELIMITERS.find((sign) => {
    const counts = lines.map((line) => fieldsIn(line, sign));
    return counts.length > 1 && (counts[0] ?? 0) > 1 && counts.every((n) => n === counts[0]);
  });
  if (delimiter === undefined) return undefined;
  if (text.length > MAX_DATA) return tooLarge('table');
  return {
    clip: {
      weft: 'nodes',
      nodes: {
        table: node('core.input', { value: text }),
        rows: node('text.parse-csv', delimiter === ',' ? {} : { delimiter }),
      },
      edges: [{ from: 'table.out', to: 'rows.in' }],
      places: { table: { x: 0, y: 0 }, rows: { x: NODE_WIDTH + 80, y: 0 } },
    },
    what: 'a table',
    notes: text.includes('{{') ? [EXPRESSION] : [],
  };
}

/** Fields of one line; what stands in quotes separates nothing. */
function fieldsIn(line: string, sign: string): number {
  return line.replaceAll(/"(?:[^"]|"")*"/g, '').split(sign).length;
}
