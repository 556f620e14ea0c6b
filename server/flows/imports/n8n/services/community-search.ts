import { NotHere } from '../entry.ts';
import { encoded, type Given, post, type Request, type Service, type Several, some } from './service.ts';

/** What is found: Google Search Console, Contextual AI. */

type Operations = Service['operations'];

const CONSOLE = 'https://www.googleapis.com/webmasters/v3/sites';
const MOST = 25_000;
const BACK: Readonly<Record<string, string>> = {
  last7d: '7, "days"',
  last28d: '28, "days"',
  last3mo: '3, "months"',
  last12mo: '12, "months"',
};

/** Expressions of times. */
interface Range {
  readonly start: string;
  readonly end: string;
}

const day = (time: string): string => `formatDate(${time}, "yyyy-MM-dd", "UTC")`;
const daysOf = ({ start, end }: Range): Record<string, string> => ({
  startDate: `{{ ${day(start)} }}`,
  endDate: `{{ ${day(end)} }}`,
});

/** The site that was picked or written. */
function siteOf(g: Given, mode: string, picked: string, written: string): string {
  const path = g.text(mode) === 'manual' ? written : picked;
  const site = g.expr(path);
  if (site === 'null') throw new NotHere('its site is not set');
  return site;
}

/** The days of a choice; `names` are its params. */
function rangeOf(g: Given, mode: string, from: string, to: string): Range {
  const chosen = g.text(mode, 'last28d');
  const at = (path: string): string | undefined =>
    g.text(path) === '' ? undefined : `date(${g.expr(path)})`;
  if (chosen !== 'custom') {
    const back = BACK[chosen];
    if (back === undefined) throw new NotHere(`its days are “${chosen}”`);
    return { start: `minus(now(), ${back})`, end: 'now()' };
  }
  const end = at(to) ?? 'now()';
  return { start: at(from) ?? `minus(${end}, ${BACK['last28d']})`, end };
}

function filtersOf(g: Given): unknown[] {
  return g.list('filters.filter').flatMap(({ dimension = 'query', operator, valuesJoin, expression }) => {
    const text = typeof expression === 'string' ? expression.trim() : '';
    const isComputed = text.startsWith('=');
    if (isComputed) g.tell('A filter of an expression is one text here, also with commas in it.');
    const values = isComputed ? [g.made(expression)] : text.split(',').map((one) => one.trim());
    const filters = values
      .filter((one) => one !== '')
      .map((one) => ({ dimension, operator: operator ?? 'contains', expression: one }));
    if (filters.length === 0) return [];
    return [{ groupType: filters.length > 1 ? (valuesJoin ?? 'or') : 'and', filters }];
  });
}

function dimensionsOf(g: Given, path: string): string[] {
  const given = g.value(path) ?? ['page'];
  if (!Array.isArray(given)) throw new NotHere('its dimensions are not written out');
  return given.map(String);
}

function rowsOf(g: Given, limit: string): number {
  const rows = g.number(limit, 1000);
  if (rows > MOST) g.tell(`It read ${rows} rows; here it reads at most ${MOST}.`);
  return Math.min(rows, MOST);
}

const keysOf = (dimensions: readonly string[], of: string): string =>
  dimensions.map((name, at) => `${JSON.stringify(name)}: ${of}.keys?.[${at}], `).join('');

const asked = (site: string, body: Record<string, unknown>): Request =>
  post(`${CONSOLE}/${encoded(site)}/searchAnalytics/query`, some(body));

function insights(g: Given): Request {
  const dimensions = dimensionsOf(g, 'dimensions');
  const filters = filtersOf(g);
  const body = {
    ...(filters.length > 0 && { dimensionFilterGroups: filters }),
    ...daysOf(rangeOf(g, 'dateRangeMode', 'startDate', 'endDate')),
    dimensions,
    rowLimit: rowsOf(g, 'rowLimit'),
    searchType: g.text('searchType', 'web'),
  };
  const items = `(one?.rows ?? []).map(row => ({ ${keysOf(dimensions, 'row')}clicks: row.clicks, impressions: row.impressions, ctr: row.ctr, position: row.position }))`;
  return { ...asked(siteOf(g, 'siteUrlMode', 'siteUrl', 'siteUrlManual'), body), items };
}

function rangeBefore(g: Given, mode: string, range: Range): Range {
  if (mode === 'custom') return rangeOf(g, 'dateRangeModeB', 'startDateB', 'endDateB');
  if (mode === 'prevYear')
    return { start: `minus(${range.start}, 1, "years")`, end: `minus(${range.end}, 1, "years")` };
  // As many days, both ends counted.
  const days = `diff(${day(range.end)}, ${day(range.start)}, "days", "UTC") + 1`;
  return { start: `minus(${range.start}, ${days}, "days")`, end: `minus(${range.start}, 1, "days")` };
}

const NONE = '{ clicks: 0, impressions: 0, ctr: 0, position: 0 }';
const COMPARED = [
  ['clicks', 'clicks'],
  ['impr', 'impressions'],
  ['ctr', 'ctr'],
  ['pos', 'position'],
] as const;

export const searchConsoleSteps: Several = {
  'site.comparePageInsights': (g, ask) => {
    const site = siteOf(g, 'siteUrlModeCompare', 'siteUrlCompare', 'siteUrlCompareManual');
    const dimensions = dimensionsOf(g, 'dimensionsCompare');
    const mode = g.text('compareMode', 'prevPeriod');
    const range = rangeOf(g, 'dateRangeModeA', 'startDateA', 'endDateA');
    const filters = filtersOf(g);
    const body = {
      dimensions,
      searchType: g.text('searchTypeCompare', 'web'),
      ...(filters.length > 0 && { dimensionFilterGroups: filters }),
      rowLimit: rowsOf(g, 'rowLimitCompare'),
    };
    g.tell('Its items say no ranges, only what is compared.');
    const first = ask('rows', asked(site, { ...body, ...daysOf(range) }));
    const last = asked(site, { ...body, ...daysOf(rangeBefore(g, mode, range)) });
    const rows = (answer: string, at: string): string =>
      `...(${answer}?.rows ?? []).map(row => ({ ...row, at: "${at}", key: row.keys.join("||") }))`;
    const side = (at: string): string => `pair[1].find(row => row.at == "${at}") ?? ${NONE}`;
    const fields = COMPARED.flatMap(([name, of]) => [
      `${name}_a: both.a.${of}`,
      `${name}_b: both.b.${of}`,
      `${name}_diff: both.a.${of} - both.b.${of}`,
    ]).join(', ');
    const items = `entries(groupBy([${rows(first, 'a')}, ${rows('one', 'b')}], "key")).map(pair => ({ keys: pair[1][0].keys, a: ${side('a')}, b: ${side('b')} })).map(both => ({ ${keysOf(dimensions, 'both')}${fields}, compare_mode: ${JSON.stringify(mode)} }))`;
    return { ...last, items };
  },
};

export const searchConsole: Operations = { 'site.getPageInsights': insights };

export const contextual: Operations = {
  'Query.Query agent': (g) => {
    const question = `{ role: "user", content: ${g.expr('query')} }`;
    const before = g.text('conversationHistory') === '' ? '' : `...json(${g.expr('conversationHistory')}), `;
    const parsed = (path: string): string => (g.text(path) === '' ? '' : `{{ json(${g.expr(path)}) }}`);
    return {
      ...post(
        `https://api.contextual.ai/v1/agents/${encoded(g.expr('agentId'))}/query/acl`,
        some({
          messages: `{{ [${before}${question}] }}`,
          conversation_id: g.text('conversationId'),
          llm_model_id: g.text('llmModelId'),
          structured_output: parsed('structuredOutput'),
          documents_filters: parsed('documentFilters'),
          override_configuration: parsed('overrideConfiguration'),
        }),
      ),
      query: some({
        retrievals_only: g.flag('retrievalsOnly') ? true : undefined,
        include_retrieval_content_text: g.flag('includeRetrievalContentText') ? true : undefined,
      }),
    };
  },
};
