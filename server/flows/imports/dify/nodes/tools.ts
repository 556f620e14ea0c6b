import { idFrom } from '../../../awel/names.ts';
import { isNothing } from '../settings.ts';
import { type Fields, recordOf, selectorOf, textOf } from '../app.ts';
import { type Became, type Here, type Mapping, simple, whole } from '../here.ts';
import { partsOf } from '../texts.ts';
import { Unmapped } from '../unmapped.ts';
import { braces, members, quoted, templateOf } from '../write.ts';
import { given, lineOf, requestOf, toolName } from './tool-requests.ts';

/** Tools that become more than a request; those that are one are lines of a table. */
const TOOLS: Readonly<Record<string, (here: Here) => Became>> = {
  'time/current_time': currentTime,
  'jina/jina_reader': jinaReader,
  'webscraper/webscraper': webScraper,
  'json_process/parse': jsonParse,
  'email/send_mail': (here) => sentMail(here, 'send_to', 'email_content'),
  '163-smtp-send-mail/163-smtp-send-mail': (here) => sentMail(here, 'username_recv', 'content'),
};

export const tool: Mapping = (here) => {
  const { settings } = here;
  const name = toolName(settings.text('provider_id'), settings.text('tool_name'));
  const make = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  const line = lineOf(name);
  const kind = settings.text('provider_type');
  settings.ignore('tool_node_version', 'credential_id', 'plugin_id');
  if (kind === 'workflow') return calledWorkflow(here);
  if (make) return make(here);
  if (line) return requestOf(here, name, line);
  throw new Unmapped(WHY[kind] ?? `nothing here does what the tool ${name.slice(0, 80)} of a plugin does`);
};

const WHY: Readonly<Record<string, string>> = {
  api: 'the file has not the description of the tool, with its address',
  mcp: 'the file has not the address of the server of its tool',
};

/** A workflow that is a tool is a flow that is called. */
function calledWorkflow(here: Here): Became {
  const { settings } = here;
  const shown = settings.text('tool_name');
  const flow = idFrom(shown, 'tool_flow');
  here.need({
    kind: 'flow',
    name: flow,
    message: `Import the workflow “${shown}” too, as the flow ${flow}: “${here.node.title}” calls it.`,
  });
  const names = Object.keys(settings.record('tool_parameters'));
  const input = Object.fromEntries(names.map((one) => [one, given(here, one) ?? null]));
  settings.ignore('tool_configurations', 'provider_id');
  const id = here.main({ operator: 'flow.call', params: { flow, input } });
  here.note('The flow that it calls has to be imported and live.');
  return simple(`${id}.in`, `${id}.out`, ([name], q) => {
    if (name === 'text') return { expr: `toJson(nodes.${id}${q === '' ? '' : ' ?? null'})`, kind: 'text' };
    if (name === 'json') return { expr: `[nodes.${id}${q === '' ? '' : ' ?? null'}]`, kind: 'list' };
    return name === 'files' ? { expr: '[]', kind: 'list' } : undefined;
  });
}

/** A mail goes through a connection, which has what the plugin has in its settings. */
function sentMail(here: Here, to: string, text: string): Became {
  here.need({
    kind: 'connection',
    name: 'mail',
    service: 'smtp',
    message: `Make a connection to the mail server with the name mail, and grant it to “${here.node.title}”.`,
  });
  const asHtml = given(here, 'convert_to_html') === true;
  if (asHtml) here.note('Its text goes out as it is, not as HTML made of Markdown.');
  const params = Object.fromEntries(
    [
      ['to', to],
      ['subject', 'subject'],
      ['text', text],
      ['cc', 'cc'],
      ['bcc', 'bcc'],
      ['replyTo', 'reply_to'],
    ].flatMap(([name = '', from = '']) => {
      const value = given(here, from);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  if (given(here, 'attachments') !== undefined) here.note('Its attachments are left out.');
  here.settings.ignore('tool_parameters', 'tool_configurations');
  const id = here.main({ operator: 'mail.send', params: { connection: 'mail', ...params } });
  return simple(`${id}.in`, `${id}.out`, ([name], q) => {
    if (name === 'text') return { expr: `toJson(nodes.${id}${q === '' ? '' : ' ?? null'})`, kind: 'text' };
    return name === 'files' || name === 'json' ? { expr: '[]', kind: 'list' } : undefined;
  });
}

const PATH = /^(?:\$\.?)?[\w-]+(?:\.[\w-]+|\[\d+\])*$/;

/** A plain path into a JSON text; filters and wildcards of JSONPath are not supported. */
function jsonParse(here: Here): Became {
  const path = textOf(recordOf(here.settings.record('tool_parameters')['json_filter'])['value']);
  if (!PATH.test(path)) throw new Unmapped('its path into the JSON is no plain one');
  const keys = path.replace(/^\$\.?/, '').match(/[\w-]+/g) ?? [];
  const content = here.settings.record('tool_parameters')['content'];
  const source = recordOf(content);
  const text =
    source['type'] === 'variable'
      ? here.value(selectorOf(source['value'])).expr
      : here.text(textOf(source['value']));
  here.settings.ignore('tool_configurations', 'tool_parameters');
  const found = members(`json(${text})`, keys, '?');
  const value = `{{ [${found}].map(one => one == null ? "" : typeOf(one) == "object" || typeOf(one) == "array" ? toJson(one) : string(one))[0] }}`;
  const id = here.main({ operator: 'core.map', params: { value } });
  here.note('A text that is no JSON is an error; there it is the text of the error.');
  return simple(`${id}.in`, `${id}.out`, textOutput(id));
}

const configOf = ({ settings }: Here): Fields => settings.record('tool_configurations');

/** A value of the configuration; newer files have it in an object. */
function configured(config: Fields, name: string): unknown {
  const value = config[name];
  return typeof value === 'object' && value !== null ? recordOf(value)['value'] : value;
}

/** A parameter as a template. */
function parameter(here: Here, name: string): string {
  const given = recordOf(here.settings.record('tool_parameters')[name]);
  if (given['type'] === 'variable') return braces(here.value(selectorOf(given['value'])).expr);
  return templateOf(partsOf(textOf(given['value']), here.value));
}

const FORMATS: Readonly<Record<string, string>> = {
  Y: 'yyyy',
  y: 'yy',
  m: 'MM',
  d: 'dd',
  H: 'HH',
  I: 'hh',
  M: 'mm',
  S: 'ss',
  p: 'a',
  A: 'cccc',
  a: 'ccc',
  B: 'LLLL',
  b: 'LLL',
  j: 'ooo',
};

/** A format of strftime as one of Weft. */
function formatOf(format: string): string {
  let made = '';
  for (const [part, letter, text] of format.matchAll(/%(.)|([^%]+)/gs)) {
    if (text !== undefined) made += /[A-Za-z']/.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
    else if (letter === '%') made += '%';
    else if (letter !== undefined && Object.hasOwn(FORMATS, letter)) made += FORMATS[letter];
    else throw new Unmapped(`the format ${part} of its time is not understood`);
  }
  return made;
}

function currentTime(here: Here): Became {
  const config = configOf(here);
  here.settings.ignore('tool_parameters');
  const format = textOf(configured(config, 'format')) || '%Y-%m-%d %H:%M:%S';
  const zone = textOf(configured(config, 'timezone')) || 'UTC';
  const value = `formatDate(clock(), ${quoted(formatOf(format))}, ${quoted(zone)})`;
  const id = here.main({ operator: 'text.template', params: { template: braces(value) } });
  return simple(`${id}.in`, `${id}.out`, textOutput(id));
}

/** The outputs that every tool has. */
function textOutput(id: string): Became['value'] {
  return ([name], q) => {
    if (name === 'text') return whole(id, q, 'text');
    return name === 'files' || name === 'json' ? { expr: '[]', kind: 'list' } : undefined;
  };
}

function pageTool(here: Here, url: string, known: readonly string[]): { enter: string; body: string } {
  const config = configOf(here);
  const others = Object.keys(config).filter(
    (name) => !known.includes(name) && !isOff(configured(config, name)),
  );
  if (others.length > 0) here.note(`Its settings ${others.join(', ').slice(0, 200)} are left out.`);
  const agent = textOf(configured(config, 'user_agent'));
  const headers = agent === '' ? {} : { headers: { 'user-agent': agent } };
  const id = here.main(
    { operator: 'http.request', params: { url, response: 'text', timeoutMs: 60_000, ...headers } },
    (values) => ({
      body: textOf(values['text']),
      status: 0,
      headers: {},
    }),
  );
  return { enter: `${id}.in`, body: id };
}

const isOff = (value: unknown): boolean => isNothing(value) || value === 0 || value === '0';

function jinaReader(here: Here): Became {
  here.note('It asks r.jina.ai without a key.');
  const { enter, body } = pageTool(here, `https://r.jina.ai/${parameter(here, 'url')}`, [
    'max_retries',
    'retain_images',
  ]);
  return simple(enter, `${body}.body`, ([name], q) => {
    if (name === 'text') return { expr: `nodes.${body}${q}.body`, kind: 'text' };
    return name === 'files' || name === 'json' ? { expr: '[]', kind: 'list' } : undefined;
  });
}

function webScraper(here: Here): Became {
  here.note('It gives the readable text of the page as Markdown.');
  const { enter, body } = pageTool(here, parameter(here, 'url'), ['user_agent']);
  const page = here.add('text', { operator: 'text.from-html' });
  here.wire(`${body}.body`, `${page}.in`);
  return simple(enter, `${page}.text`, ([name], q) => {
    if (name === 'text') return { expr: `nodes.${page}${q}.text`, kind: 'text' };
    return name === 'files' || name === 'json' ? { expr: '[]', kind: 'list' } : undefined;
  });
}
