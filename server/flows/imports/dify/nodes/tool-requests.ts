import { idFrom } from '../../../awel/names.ts';
import { recordOf, selectorOf, textOf } from '../app.ts';
import { type Became, type Here, simple } from '../here.ts';
import { isNothing } from '../settings.ts';
import { partsOf } from '../texts.ts';
import { braces, templateOf } from '../write.ts';
import { type ToolLine, toolLines } from './tool-lines.ts';

/** The last part of `langgenius/tavily/tavily`, and the name of the tool. */
export function toolName(provider: string, tool: string): string {
  return `${provider.split('/').findLast((part) => part !== '') ?? ''}/${tool}`;
}

export const lineOf = (name: string): ToolLine | undefined =>
  Object.hasOwn(toolLines, name) ? toolLines[name] : undefined;

/** A parameter as a value of a node: a template, or the value itself. */
export function given({ settings, value }: Here, name: string): unknown {
  const one = settings.record('tool_parameters')[name] ?? settings.record('tool_configurations')[name];
  const type = recordOf(one)['type'];
  const found = type === undefined ? one : recordOf(one)['value'];
  if (type === 'variable') return braces(value(selectorOf(found)).expr);
  if (typeof found !== 'string') return isNothing(found) ? undefined : found;
  return found === '' ? undefined : templateOf(partsOf(found, value));
}

const FIELD = /([\w.]+)(?:=("[^"]*"|\w+))?(?::(\w+))?/g;

interface Field {
  readonly name: string;
  readonly parameter: string;
  readonly fixed: string | undefined;
  readonly kind: string | undefined;
}

export function fieldsOf({ fields }: ToolLine): Field[] {
  return [...fields.matchAll(FIELD)].map(([, name = '', from, kind]) => {
    const fixed = from?.startsWith('"') === true ? from.slice(1, -1) : undefined;
    return { name, parameter: fixed === undefined ? (from ?? name) : '', fixed, kind };
  });
}

const isOn = (value: unknown): boolean =>
  value === true || value === 1 || /^(?:1|true)$/i.test(textOf(value));

/** The value that is sent to the service for a parameter. */
function sent(value: unknown, kind: string | undefined): unknown {
  if (kind === 'list') return typeof value === 'string' ? listIn(value) : value;
  if (kind === undefined || (typeof value === 'string' && value.includes('{{'))) return value;
  if (kind === 'flag') return isOn(value);
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

function listIn(text: string): unknown {
  const whole = /^\{\{ ([\s\S]*) \}\}$/.exec(text)?.[1];
  if (whole !== undefined && !whole.includes('{{')) return `{{ [${whole}].flat() }}`;
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** The tool as a request. */
export function requestOf(here: Here, name: string, line: ToolLine): Became {
  const { settings } = here;
  const [method = 'GET', url = ''] = line.send.split(' ');
  const body: Record<string, unknown> = {};
  const fields = fieldsOf(line);
  for (const { name: field, parameter, fixed, kind } of fields) {
    const value = fixed ?? given(here, parameter);
    if (value !== undefined) place(body, field, fixed ?? sent(value, kind));
  }
  tellOthers(here, new Set(fields.map(({ parameter }) => parameter)));
  const secret = line.auth && secretOf(here, name, line);
  if (url.includes('.example.com'))
    here.change({
      what: 'setting',
      effect: 'lost',
      before: name,
      after: url,
      message: 'The address of the server stood in the settings of the plugin; write it into the node.',
    });
  settings.ignore('tool_parameters', 'tool_configurations');
  const id = here.main(
    {
      operator: 'http.request',
      params: {
        method,
        url,
        ...(method === 'GET' ? { query: body } : { body }),
        ...(line.headers && { headers: line.headers }),
        ...(secret !== undefined && { auth: { ...line.auth, secret: { $secret: secret } } }),
        response: 'json',
        timeoutMs: 60_000,
      },
    },
    (values) => ({ body: values, status: 0, headers: {} }),
  );
  here.note('It asks the service itself; its text is laid out in another way.');
  return simple(`${id}.in`, `${id}.body`, ([output], q) => {
    const over = (expr: string): string => expr.replaceAll(/\bA\b(?=[?)\]])/g, `nodes.${id}${q}.body`);
    if (output === 'text') return { expr: over(line.text), kind: 'text' };
    if (output === 'json') return { expr: over(line.json ?? '[A]'), kind: 'list' };
    return output === 'files' ? { expr: '[]', kind: 'list' } : undefined;
  });
}

function place(body: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', second] = path.split('.');
  body[first] = second === undefined ? value : { ...recordOf(body[first]), [second]: value };
}

/** A key that stands in the file is a secret of the import; otherwise it is one that has to be stored. */
function secretOf(here: Here, name: string, { secret = 'api_key' }: ToolLine): string {
  const written = given(here, secret);
  const stored =
    typeof written === 'string' && !written.includes('{{') ? here.secrets.take(written, secret) : undefined;
  const own = stored ?? here.secrets.nameFor(secret);
  here.need({
    kind: 'secret',
    name: own,
    ...(stored !== undefined && { kept: true }),
    service: name.split('/')[0] ?? name,
    message:
      stored === undefined
        ? `Store the key of ${name.split('/')[0]} as the secret ${own}, and grant it to the host of the service.`
        : `Grant the secret ${own} to the host of the service.`,
  });
  return own;
}

function tellOthers(here: Here, known: ReadonlySet<string>): void {
  const all = { ...here.settings.record('tool_configurations'), ...here.settings.record('tool_parameters') };
  const others = Object.keys(all).filter((one) => {
    const value = given(here, one);
    const isOff = value === undefined || value === 0 || value === '0' || value === false || value === 'None';
    return !known.has(one) && !isOff && !/(?:^|_)key$/.test(one);
  });
  if (others.length > 0) here.note(`Its settings ${others.join(', ').slice(0, 200)} are left out.`);
}

/** The same as a tool of an agent, which fills in the words to search for. */
export function agentTool(here: Here, name: string, tool: string): Record<string, unknown> | undefined {
  const line = lineOf(name);
  const asked =
    line && fieldsOf(line).find(({ parameter }) => ['query', 'content', 'url', 'urls'].includes(parameter));
  if (line === undefined || asked === undefined || !line.send.startsWith('GET ')) return undefined;
  const query = fieldsOf(line).flatMap(({ name: field, fixed, parameter }) =>
    fixed !== undefined
      ? [`${field}=${fixed}`]
      : parameter === asked.parameter
        ? [`${field}={${parameter}}`]
        : [],
  );
  const secret = line.auth && secretOf(here, name, line);
  return {
    type: 'http',
    name: idFrom(tool, 'tool').slice(0, 64),
    value: {
      url: `${line.send.slice(4)}?${query.join('&')}`,
      method: 'GET',
      description: line.does,
      ...(secret !== undefined && { auth: { ...line.auth, secret: { $secret: secret } } }),
    },
  };
}
