import type { ImportWord } from '#shared/import-report.ts';
import { type DifyNode, textOf } from './app.ts';

/** The counterparts of Dify's nodes, as data: for the report, and for docs/reference/import-dify.md. */
export interface Row {
  readonly type: string;
  /** The best word that a node of this type gets; its settings may make it less. */
  readonly best: ImportWord;
  /** Its counterparts. */
  readonly here: readonly string[];
  /** The difference, and when it occurs. */
  readonly difference: string;
  /** The two nearest ways for a node that becomes a placeholder. */
  readonly offers: readonly string[];
}

/** Nodes that begin an app; in a body the start is one of the body itself. */
export const STARTS: ReadonlySet<string> = new Set([
  'start',
  'trigger-schedule',
  'trigger-webhook',
  'trigger-plugin',
  'datasource',
]);

/** The offers stand behind the difference. */
const row = (
  type: string,
  best: ImportWord,
  here: readonly string[],
  [difference = '', ...offers]: readonly string[] = [],
): Row => ({ type, best, here, difference, offers });

const HTTP_OR_CODE = ['a request to the service with “Send HTTP request”', 'a “Code” node in JavaScript'];

export const table: readonly Row[] = [
  row(
    'start',
    'equal',
    ['trigger.chat', 'trigger.http'],
    [
      'In a workflow the address takes the fields directly, not below `inputs`. A chat does not ask for fields first.',
    ],
  ),
  row('end', 'equal', ['core.map'], ['Outputs of several ends are merged at the end.']),
  row(
    'answer',
    'equal',
    ['text.template'],
    [
      'An answer that is only the text of a model is streamed if nothing else follows; other answers arrive whole.',
    ],
  ),
  row(
    'llm',
    'needs',
    ['core.map', 'model.chat', 'model.stream', 'model.structured'],
    [
      'Its model has to be set up. At most ten rounds of a conversation are remembered; passages of documents go to the model as data.',
    ],
  ),
  row(
    'question-classifier',
    'needs',
    ['core.map', 'model.route'],
    [
      'It decides without the earlier messages.',
      '“Route by a model”',
      'a “Switch” over the answer of a model',
    ],
  ),
  row(
    'parameter-extractor',
    'close',
    ['core.map', 'model.structured'],
    ['An answer that does not fit the schema ends the run.', '“Ask for JSON”'],
  ),
  row(
    'agent',
    'close',
    ['agent.run', 'core.reduce'],
    [
      'Its tools are servers of MCP, workflows, and searches; with any other tool of a plugin it is a placeholder.',
      '“Run agents” with flows, MCP servers or HTTP as its tools',
      '“Ask a model”',
    ],
  ),
  row(
    'knowledge-retrieval',
    'close',
    ['core.map', 'knowledge.retrieve'],
    [
      'Its documents have to be loaded into a space. Ranking is by words and meaning together; weights, thresholds and rerankers are left out. Filters by metadata are a placeholder.',
      '“Retrieve” with a filter',
      '“Answer from documents”',
    ],
  ),
  row('if-else', 'equal', ['logic.if', 'logic.switch']),
  row(
    'code',
    'needs',
    ['core.map', 'code.run', 'code.python'],
    [
      'JavaScript runs in the sandbox, which has no `require()`. Python needs the package `weft-python`; `requests` becomes a stand-in over the guarded client. With other modules, such as `pandas`, it is a placeholder that keeps its source.',
      'a “Code” node in JavaScript',
      'an expression in “Map”',
    ],
  ),
  row(
    'template-transform',
    'equal',
    ['text.template'],
    [
      'Values, filters, tests, `if`, `for` and `set` are translated; any other tag, filter or function makes it a placeholder. Lists, objects, true and false are written as JSON.',
      '“Template” with expressions',
      'a “Code” node in JavaScript',
    ],
  ),
  row(
    'http-request',
    'equal',
    ['http.request'],
    [
      'A secret goes as a header, token, password or query field, and nowhere else. Certificates are always checked.',
      '“Send HTTP request”',
    ],
  ),
  row(
    'tool',
    'equal',
    ['text.template', 'http.request', 'text.from-html', 'core.map', 'mail.send', 'flow.call'],
    [
      'The current time is the same. Close are searches (Tavily, SearXNG, Serper, SerpApi, Brave, Jina, Wikipedia), pages that are read (Jina, Firecrawl, the scraper), the weather, translation by Google, messages to Slack and WeCom, mails, paths into JSON, and workflows as tools. All other tools are plugins, and placeholders.',
      ...HTTP_OR_CODE,
    ],
  ),
  row('variable-aggregator', 'equal', ['core.map']),
  row('variable-assigner', 'equal', ['core.map'], ['The older name of the aggregator.']),
  row(
    'assigner',
    'equal',
    ['core.map', 'state.set'],
    [
      'Variables of a conversation are stored for the conversation, or for the run if there is none.',
      '“Store state”',
      '“Set fields”',
    ],
  ),
  row(
    'iteration',
    'equal',
    ['data.for-each', 'core.join', 'core.map'],
    ['At most 10,000 items.', '“For each” with a body'],
  ),
  row('iteration-start', 'equal', [], ['The start of the body.']),
  row(
    'loop',
    'equal',
    ['data.repeat-until', 'core.join'],
    ['Its condition is looked at after each round, not before the first one.', '“Repeat until” with a body'],
  ),
  row('loop-start', 'equal', [], ['The start of the body.']),
  row('loop-end', 'equal', ['core.map']),
  row(
    'document-extractor',
    'close',
    ['data.for-each'],
    [
      'It reads PDF, Word, web pages and plain text; other files fail.',
      '“PDF to text” or “Word to text”',
      '“Load document” into a knowledge space',
    ],
  ),
  row('list-operator', 'equal', ['core.map']),
  row('custom-note', 'equal', [], ['A note on the canvas, as plain text.']),
  row(
    'trigger-schedule',
    'equal',
    ['trigger.schedule'],
    ['The last day of a month is a placeholder.', '“Schedule”'],
  ),
  row(
    'trigger-webhook',
    'close',
    ['trigger.http'],
    ['It has another address, and asks for an API key until somebody opens it.', '“HTTP request”'],
  ),
  row(
    'trigger-plugin',
    'placeholder',
    [],
    ['Triggers of plugins are not known.', '“HTTP request” as a webhook', '“Poll”'],
  ),
  row('human-input', 'placeholder', [], ['Its form is drawn anew.', '“Ask for data”', '“Ask for approval”']),
  row(
    'datasource',
    'placeholder',
    [],
    ['It begins a pipeline for documents.', '“HTTP request” that takes a file', '“Poll”'],
  ),
  row('knowledge-index', 'placeholder', [], ['It ends a pipeline for documents.', '“Load document”']),
];

const rows = new Map(table.map((one) => [one.type, one]));

export function rowOf(type: string): Row | undefined {
  return rows.get(type);
}

/** Tools that many apps use, and their counterparts here. */
const TOOLS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/current_time|timestamp|time/, ['`now()` in an expression', 'a “Schedule”']],
  [
    /scrap|reader|crawl|webpage/,
    ['“Send HTTP request” and “HTML to text”', 'an MCP server as a tool of an agent'],
  ],
  [
    /search|wikipedia|tavily|google|bing/,
    ['“Send HTTP request” to the search service', 'an MCP server as a tool of an agent'],
  ],
  [/translate/, ['“Ask a model”', '“Send HTTP request” to the service']],
  [/sql|database/, ['“Query a database”', '“Ask a database”']],
  [/mail|smtp/, ['“Send mail”', '“Send HTTP request”']],
];

export function offersFor({ type, data }: DifyNode): readonly string[] {
  if (type !== 'tool') return rowOf(type)?.offers ?? HTTP_OR_CODE;
  const name = `${textOf(data['provider_id'])} ${textOf(data['tool_name'])}`.toLowerCase();
  if (textOf(data['provider_type']) === 'workflow')
    return ['“Call a flow”, once that workflow is imported', '“Send HTTP request”'];
  return TOOLS.find(([pattern]) => pattern.test(name))?.[1] ?? HTTP_OR_CODE;
}
