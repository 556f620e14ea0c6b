import { isNothing } from '../settings.ts';
import { type Fields, recordOf, selectorOf, textOf } from '../app.ts';
import { type Became, type Here, type Mapping, simple, whole } from '../here.ts';
import { partsOf } from '../texts.ts';
import { Unmapped } from '../unmapped.ts';
import { braces, quoted, templateOf } from '../write.ts';

/** The few tools of Dify of which it is known what they do; all others are plugins. */
const TOOLS: Readonly<Record<string, (here: Here) => Became>> = {
  'time/current_time': currentTime,
  'jina/jina_reader': jinaReader,
  'webscraper/webscraper': webScraper,
};

export const tool: Mapping = (here) => {
  const { settings } = here;
  const provider = settings.text('provider_id').split('/').at(-1) ?? '';
  const name = `${provider}/${settings.text('tool_name')}`;
  const make = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (!make) throw new Unmapped('it is a tool of a plugin');
  settings.ignore('provider_type', 'tool_node_version', 'credential_id', 'plugin_id');
  return make(here);
};

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
