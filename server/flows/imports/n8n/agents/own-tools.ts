import type { FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { lackingIn, preludeFor } from '../code/modules.ts';
import type { Context } from '../context.ts';
import { zoneOf } from '../flow-settings.ts';
import { asText } from '../params.ts';
import type { Step } from '../workflow.ts';

/** Tools of an agent that are a flow with one node, which gets what the model asks for as `query`. */

export interface Made {
  readonly tool?: Tool;
  readonly difference?: string;
}

export interface Tool {
  readonly type: 'flow' | 'http' | 'mcp' | 'knowledge' | 'database';
  readonly name: string;
  readonly value: unknown;
}

export const description = ({ parameters }: Step): string =>
  asText(parameters['description'] ?? parameters['toolDescription'] ?? parameters['descriptionType'] ?? '');

/** A flow of its own, with a node; one of several outputs is named. */
function ownFlow(
  { job }: Context,
  part: Step,
  name: string,
  [node, output]: readonly [node: FlowNode, output?: string],
): string {
  const id = job.around.idFor(`${job.around.id}_${name}`);
  const result =
    output === undefined ? {} : { result: { operator: 'core.map', params: { value: '{{ input }}' } } };
  const read = output === undefined ? [] : [{ from: `code.${output}`, to: 'result.in' }];
  job.more.push({
    flow: {
      format: 1,
      id,
      name: part.name.slice(0, 200),
      nodes: {
        start: {
          operator: 'trigger.manual',
          params: {
            input: { type: 'object', required: ['query'], properties: { query: { type: 'string' } } },
          },
        },
        code: { name: part.name.slice(0, 200), ...node },
        ...result,
      },
      edges: [{ from: 'start.out', to: 'code.in' }, ...read],
    },
    layout: {
      format: 1,
      nodes: {
        start: { x: 0, y: 0 },
        code: { x: 260, y: 0 },
        ...(output !== undefined && { result: { x: 520, y: 0 } }),
      },
    },
  });
  return id;
}

const LIVE = 'It is a flow of its own, which has to be live.';

/** A flow that runs the code. */
function codeTool(context: Context, part: Step, name: string, source: string): Made {
  const flow = ownFlow(context, part, name, [{ operator: 'code.run', params: { source } }]);
  return { tool: { type: 'flow', name, value: { flow, description: description(part) } }, difference: LIVE };
}

export function writtenCode(context: Context, part: Step, name: string): Made | { readonly why: string } {
  if (asText(part.parameters['language'] ?? '').startsWith('python')) return { why: 'its code is Python' };
  const source = asText(part.parameters['jsCode'] ?? '');
  const [lacking] = lackingIn(source);
  if (lacking) return { why: `code has no ${lacking.before} here` };
  const prelude = preludeFor(source, zoneOf(context.job) ?? 'UTC');
  return codeTool(
    context,
    part,
    name,
    [...prelude, `const query = input.query ?? input;`, `{`, source, `}`].join('\n'),
  );
}

export const calculator = (context: Context, part: Step, name: string): Made =>
  codeTool(context, part, name, CALCULATOR);

const CALCULATOR = `const text = String(input.query ?? input).replaceAll(' ', '');
let at = 0;
const number = () => {
  if (text[at] === '-') { at += 1; return -number(); }
  if (text[at] === '(') { at += 1; const value = sum(); at += 1; return value; }
  const [found] = /^[0-9]*\\.?[0-9]+(?:e[+-]?[0-9]+)?/i.exec(text.slice(at)) ?? [];
  if (found === undefined) throw new Error('It takes numbers, + - * / % ^ and parentheses.');
  at += found.length;
  return Number(found);
};
const power = () => { const base = number(); if (text[at] !== '^') return base; at += 1; return base ** power(); };
const product = () => {
  let value = power();
  for (; '*/%'.includes(text[at] ?? ' '); ) { const sign = text[at++]; const other = power(); value = sign === '*' ? value * other : sign === '/' ? value / other : value % other; }
  return value;
};
const sum = () => {
  let value = product();
  for (; '+-'.includes(text[at] ?? ' '); ) { const sign = text[at++]; const other = product(); value = sign === '+' ? value + other : value - other; }
  return value;
};
return String(sum());`;

interface Search {
  /** What is told if the tool has no description of its own. */
  readonly says: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function searchTool(context: Context, part: Step, name: string, { says, params }: Search): Made {
  const flow = ownFlow(context, part, name, [{ operator: 'http.request', params }, 'body']);
  return {
    tool: { type: 'flow', name, value: { flow, description: description(part) || says } },
    difference: `${LIVE} The model sees the whole answer of the search.`,
  };
}

/** The options that are fixed values, by their names in the request. */
function optionsIn({ parameters }: Step): Record<string, unknown> {
  const given = isRecord(parameters['options']) ? parameters['options'] : {};
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '' && value !== null));
}

function keyOf({ job }: Context, part: Step, service: string): string {
  const secret = job.secrets.nameFor(part.credentials[0]?.name ?? `${service} key`);
  job.report.need({
    kind: 'secret',
    name: secret,
    nodes: [],
    message: `Store the key of ${service} as the secret ${secret}, and grant it to http.request, for “${part.name}”.`,
  });
  return secret;
}

const QUERY = '{{ input.query }}';

export function serpApi(context: Context, part: Step, name: string): Made {
  const secret = keyOf(context, part, 'SerpApi');
  return searchTool(context, part, name, {
    says: 'Searches the web with Google.',
    params: {
      url: 'https://serpapi.com/search.json',
      query: { engine: 'google', q: QUERY, ...optionsIn(part) },
      auth: { type: 'query', name: 'api_key', secret: { $secret: secret } },
    },
  });
}

export function wolframAlpha(context: Context, part: Step, name: string): Made {
  const secret = keyOf(context, part, 'Wolfram Alpha');
  return searchTool(context, part, name, {
    says: 'Answers questions about mathematics, science and facts with Wolfram Alpha.',
    params: {
      url: 'https://www.wolframalpha.com/api/v1/llm-api',
      query: { input: QUERY },
      response: 'text',
      auth: { type: 'query', name: 'appid', secret: { $secret: secret } },
    },
  });
}

/** The server is one's own: its address lies in the credential. */
export function searXng(context: Context, part: Step, name: string): Made {
  const [credential] = part.credentials;
  const connection = context.job.connection(credential?.name ?? 'searxng', credential?.type ?? 'searXngApi');
  const { pageNumber = 1, safesearch = 0, language, numResults: _most } = optionsIn(part);
  return searchTool(context, part, name, {
    says: 'Searches the web with many search engines at once.',
    params: {
      method: 'POST',
      connection,
      url: '/search',
      query: {
        q: QUERY,
        format: 'json',
        pageno: pageNumber,
        safesearch,
        ...(language !== undefined && { language }),
      },
    },
  });
}
