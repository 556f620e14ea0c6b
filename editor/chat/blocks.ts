import type { AgentMessage, AgentPlan, PlanStatus } from '#shared/chat-item.ts';
import { textOrJson } from '#shared/json.ts';

/** Parts of an agent's answer, as the server renders them: fenced blocks of JSON between texts. */
export interface AgentAnswer {
  /** The steps of the plan in their current state, in order. */
  readonly plans: readonly AgentPlan[];
  /** Texts and messages in chronological order. */
  readonly parts: readonly AnswerPart[];
}

/** A part of an answer, which is drawn in a way of its own. */
export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly message: AgentMessage }
  | { readonly kind: 'sources'; readonly sources: readonly Source[] }
  | ({ readonly kind: 'rows' } & ShownRows);

/** Rows of a database, and how they should be drawn. */
export interface ShownRows {
  /** Such as `response_pie_chart`. */
  readonly type: string;
  readonly title: string;
  readonly sql: string;
  readonly rows: readonly Fields[];
  /** Why there are none. */
  readonly problem: string;
}

/** A passage that the answer rests on. */
export interface Source {
  /** The number by which the answer cites it. */
  readonly n: number;
  readonly name: string;
  /** Null if it is unknown. */
  readonly page: number | null;
  /** Headings above the passage; empty for none. */
  readonly heading: string;
  readonly quote: string;
  /** The address of the document; it may be anything (`addressOf`). */
  readonly href: string;
}

/** Splits by line feeds only: for `^`, `$` and `.` U+2028 ends a line too, but JSON does not escape it. */
const BLOCK = /(?<![^\n])```(agent-plans|agent-messages)\n([^\n]*)\n```(?![^\n])/g;

/**
 * The sources of an answer, as the server writes them for the pages of DB-GPT too; charts also as agents of DB-GPT write them, in fenced
 * blocks.
 */
const ELEMENT =
  /<references title="[^"]*" references="(?<references>[^"]*)" \/>|<chart-view content="(?<content>[^"]*)"(?: \/>|>\s*<\/chart-view>)|(?<![^\n])```(?:vis-chart|vis-db-chart|vis-dashboard)\n(?<fenced>(?:(?!```)[^])*)\n```(?![^\n])/g;

/** Extracts the blocks from an answer. Text that only looks like a block stays text. */
export function readBlocks(answer: string): AgentAnswer {
  const plans = new Map<number, AgentPlan>();
  const parts: AnswerPart[] = [];
  let end = 0;
  for (const match of answer.matchAll(BLOCK)) {
    const [whole, tag, json = ''] = match;
    const records = recordsIn(json);
    if (!records) continue;
    addText(parts, answer.slice(end, match.index));
    end = match.index + whole.length;
    if (tag === 'agent-plans') for (const plan of records.map(planOf)) plans.set(plan.num, plan);
    else for (const message of records.map(messageOf)) parts.push({ kind: 'message', message });
  }
  addText(parts, answer.slice(end));
  const steps = [...plans.values()].filter((plan) => !repeats(plan, parts));
  return { plans: steps.sort((a, b) => a.num - b.num), parts };
}

/** Whether a plan has nothing but messages of the answer: an app without a plan of its own ends with such a one. */
function repeats({ messages }: AgentPlan, parts: readonly AnswerPart[]): boolean {
  const isPart = ({ sender, markdown }: AgentMessage) =>
    parts.some(
      (part) =>
        part.kind === 'message' && part.message.sender === sender && part.message.markdown === markdown,
    );
  return messages.length > 0 && messages.every(isPart);
}

/** The answer as plain text to copy: no plans, no names. */
export function plainText(answer: string): string {
  const { parts } = readBlocks(answer);
  return parts.map(textOfPart).filter(Boolean).join('\n\n');
}

/** A question with its answer in words, and the documents that it rests on, each once. */
export function keptAnswer(
  question: string,
  answer: string,
): { question: string; answer: string; documents: string[] } {
  const { parts } = readBlocks(answer);
  const sources = parts.flatMap((part) => (part.kind === 'sources' ? part.sources : []));
  const said = parts.filter(({ kind }) => kind !== 'sources').map(textOfPart);
  return {
    question,
    answer: said.filter(Boolean).join('\n\n'),
    documents: [...new Set(sources.map(({ name }) => name))],
  };
}

function textOfPart(part: AnswerPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'message':
      return part.message.markdown;
    case 'rows':
      return [part.sql, ...part.rows.map((row) => Object.values(row).map(cellText).join('\t'))].join('\n');
    case 'sources':
      return part.sources.map(({ n, name, quote }) => `[${n}] ${name}: ${quote}`).join('\n');
  }
}

/** A document may come from any address, but only pages and this server are opened. */
export function addressOf(href: string): string | undefined {
  return /^(?:https?:\/\/|\/(?![/\\]))/.test(href) ? href : undefined;
}

/** A passage in words, for the mark of it in a text. */
export function citationText({ name, page, quote }: Source): string {
  const start = quote.length > 200 ? `${quote.slice(0, 200).toWellFormed()}…` : quote;
  return `${name}${page === null ? '' : `, page ${page}`}: “${start}”`;
}

/** A value of a row as it is shown. */
export function cellText(value: unknown): string {
  return value === null ? '' : textOrJson(value);
}

function addText(parts: AnswerPart[], text: string): void {
  let end = 0;
  for (const match of text.matchAll(ELEMENT)) {
    const { references, content, fenced } = match.groups ?? {};
    const found =
      references === undefined
        ? chartsIn(fenced ?? unescaped(content ?? '')).map((chart) => ({ kind: 'rows' as const, ...chart }))
        : sourcesIn(references);
    if (found.length === 0) continue;
    addPlain(parts, text.slice(end, match.index));
    end = match.index + match[0].length;
    parts.push(...found);
  }
  addPlain(parts, text.slice(end));
}

/** The passages of an answer that was stored as plain text, at its end. */
const CITED = /\n\n\[(\d{1,4})\] ([^\n]*?): “([^\n]*)” <([^\n<>]*)>(?=\n\n\[|\s*$)/g;

function addPlain(parts: AnswerPart[], text: string): void {
  const cited = [...text.matchAll(CITED)].map(([, n, name = '', quote = '', href = '']) => ({
    n: Number(n),
    // With page and headings.
    name,
    page: null,
    heading: '',
    quote,
    href,
  }));
  const said = text.replaceAll(CITED, '').trim();
  if (said !== '') parts.push({ kind: 'text', text: said });
  if (cited.length > 0) parts.push({ kind: 'sources', sources: cited });
}

function sourcesIn(attribute: string): AnswerPart[] {
  const documents = recordsIn(unescaped(attribute));
  const sources = documents?.flatMap(({ name, chunks }) =>
    (Array.isArray(chunks) ? (chunks as Fields[]) : []).map(({ index, page, heading, quote, href }) => ({
      n: typeof index === 'number' ? index : 0,
      name: textOf(name),
      page: typeof page === 'number' ? page : null,
      heading: textOf(heading),
      quote: textOf(quote),
      href: textOf(href),
    })),
  );
  return sources ? [{ kind: 'sources', sources: sources.sort((a, b) => a.n - b.n) }] : [];
}

/** One chart, or the charts of a dashboard. */
function chartsIn(json: string): ShownRows[] {
  const [given] = recordsIn(`[${json}]`) ?? [];
  if (!Array.isArray(given?.['data'])) return [];
  const data = given['data'] as Fields[];
  const isDashboard = given['chart_count'] !== undefined || given['display_strategy'] !== undefined;
  if (isDashboard) return data.map(chartOf);
  return [chartOf(given)];
}

function chartOf({ type, title, sql, data, err_msg }: Fields): ShownRows {
  const rows = Array.isArray(data) ? data.filter((row) => typeof row === 'object' && row !== null) : [];
  return {
    type: textOf(type),
    title: textOf(title),
    sql: textOf(sql),
    rows: rows as Fields[],
    problem: textOf(err_msg),
  };
}

function unescaped(attribute: string): string {
  return attribute
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

type Fields = Readonly<Record<string, unknown>>;

function recordsIn(json: string): Fields[] | undefined {
  try {
    const value = JSON.parse(json) as unknown;
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
    return isList ? (value as Fields[]) : undefined;
  } catch {
    return undefined;
  }
}

const STATUSES: readonly PlanStatus[] = ['todo', 'running', 'waiting', 'retrying', 'failed', 'complete'];

function planOf({ name, num, status, agent, markdown }: Fields): AgentPlan {
  const inner = readBlocks(textOf(markdown)).parts;
  return {
    name: textOf(name),
    num: typeof num === 'number' ? num : 0,
    status: STATUSES.find((one) => one === status) ?? 'todo',
    agent: textOf(agent),
    messages: inner.flatMap((part) => (part.kind === 'message' ? [part.message] : [])),
  };
}

function messageOf({ sender, receiver, model, markdown }: Fields): AgentMessage {
  return {
    sender: textOf(sender),
    receiver: textOf(receiver),
    model: typeof model === 'string' && model !== '' ? model : null,
    markdown: textOf(markdown),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
