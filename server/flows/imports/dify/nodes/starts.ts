import { type Fields, listOf, recordOf, textOf } from '../app.ts';
import type { Became, Here, Mapping } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { fileField } from '../conditions.ts';
import { braces, literal, member, members, type Value } from '../write.ts';

/** How an app is started: by a chat, by a request, by a clock. */

const FILE = { type: 'object', format: 'file' };

interface About {
  readonly label: Fields;
  readonly given: unknown;
  readonly longest: number | undefined;
  readonly options: readonly string[];
}

const withDefault = (value: unknown, { given }: About): Fields =>
  given === undefined || given === null || given === '' ? {} : { default: value };

const jsonField = ({ label }: About): Fields => ({ type: 'object', ...label });
const textField = (about: About): Fields => ({
  type: 'string',
  ...about.label,
  ...withDefault(about.given, about),
  ...(about.longest !== undefined && { maxLength: about.longest }),
});

/** How the kinds of fields are checked; all others are texts. */
const FIELDS: Readonly<Record<string, (about: About) => Fields>> = {
  number: (about) => ({ type: 'number', ...about.label, ...withDefault(Number(about.given), about) }),
  checkbox: (about) => ({
    type: 'boolean',
    ...about.label,
    ...withDefault(/^true$/i.test(textOf(about.given)), about),
  }),
  select: (about) => ({
    type: 'string',
    ...about.label,
    ...withDefault(about.given, about),
    ...(about.options.length > 0 && { enum: [...new Set(about.options)] }),
  }),
  file: ({ label }) => ({ ...FILE, ...label }),
  'file-list': ({ label, longest }) => ({
    type: 'array',
    items: FILE,
    ...label,
    ...(longest !== undefined && { maxItems: longest }),
  }),
  json: jsonField,
  json_object: jsonField,
};

/** A field of the form before an app, as JSON Schema. */
export function fieldSchema(field: Fields): Fields {
  const type = textOf(field['type']);
  const label = textOf(field['label']);
  const longest = Number(field['max_length']);
  const make = (Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined) ?? textField;
  return make({
    label: label === '' ? {} : { title: label },
    given: field['default'],
    longest: Number.isInteger(longest) && longest > 0 ? longest : undefined,
    options: listOf(field['options']).map(textOf),
  });
}

const KINDS: Readonly<Record<string, Value['kind']>> = {
  number: 'number',
  checkbox: 'boolean',
  file: 'file',
  'file-list': 'files',
  json: 'record',
  json_object: 'record',
};

export function fieldKind(field: Fields): Value['kind'] {
  return KINDS[textOf(field['type'])] ?? 'text';
}

/** The path of an app's trigger for HTTP. */
export const pathOf = (flow: string): string => `/${flow}`;

interface Form {
  readonly fields: readonly Fields[];
  readonly schema: Fields;
  readonly hasFiles: boolean;
}

export function formOf(given: readonly unknown[], more: Fields = {}, needed: readonly string[] = []): Form {
  const fields = given.map(recordOf).filter((one) => textOf(one['variable']) !== '');
  const required = [
    ...needed,
    ...fields.filter((one) => one['required'] === true).map((one) => textOf(one['variable'])),
  ];
  return {
    fields,
    schema: {
      type: 'object',
      properties: {
        ...more,
        ...Object.fromEntries(fields.map((one) => [textOf(one['variable']), fieldSchema(one)])),
      },
      ...(required.length > 0 && { required: [...new Set(required)] }),
    },
    hasFiles: fields.some((one) => ['file', 'file-list'].includes(textOf(one['type']))),
  };
}

export const start: Mapping = (here) => {
  const form = formOf(here.settings.list('variables'));
  return here.isChat ? chatStart(here, form) : requestStart(here, form);
};

function requestTrigger(here: Here, schema: Fields, hasFiles: boolean, more: Fields = {}): Fields {
  return {
    operator: 'trigger.http',
    params: {
      path: pathOf(here.flow),
      methods: ['POST'],
      request: schema,
      ...(hasFiles && { accept: ['json', 'multipart'] }),
      ...more,
    },
  };
}

function requestStart(here: Here, given: Form): Became {
  here.note('Its address takes the fields directly, not below `inputs`, and answers with the outputs alone.');
  // Files beside the fields, which older apps read as `sys.files`.
  const hasUploads = isUploadOn(here) && !given.fields.some((one) => textOf(one['variable']) === 'files');
  const { fields, schema, hasFiles } = hasUploads
    ? formOf(given.fields, { files: { type: 'array', items: FILE, title: 'Files' } })
    : given;
  const id = here.main(requestTrigger(here, schema, hasFiles || hasUploads) as never);
  const field = fieldValue(`nodes.${id}`, fields);
  const files: Value = { expr: `(nodes.${id}?.files ?? [])`, kind: 'files' };
  return {
    enter: undefined,
    leave: { source: [`${id}.out`] },
    value: (path) => (hasUploads && path[0] === 'sys.files' && path.length === 1 ? files : field(path)),
  };
}

function fieldValue(at: string, fields: readonly Fields[]) {
  const kinds = new Map(fields.map((one) => [textOf(one['variable']), fieldKind(one)]));
  return ([name = '', ...rest]: readonly string[]): Value | undefined => {
    if (!kinds.has(name)) return undefined;
    const kind = kinds.get(name);
    const expr = member(at, name, '?');
    if (rest.length === 0) return { expr, kind };
    return kind === 'file' ? fileField(expr, rest[0] as string) : { expr: members(expr, rest, '?') };
  };
}

const CATEGORIES: Readonly<Record<string, string>> = { image: 'image/*', audio: 'audio/*', video: 'video/*' };

function isUploadOn({ app }: Pick<Here, 'app'>): boolean {
  const upload = recordOf(app.features['file_upload']);
  return upload['enabled'] === true || recordOf(upload['image'])['enabled'] === true;
}

/** Which files a chat takes. */
function chatFiles({ app }: Here): Fields {
  const upload = recordOf(app.features['file_upload']);
  const image = recordOf(upload['image']);
  if (!isUploadOn({ app })) return { files: { most: 0 } };
  const types = listOf(upload['allowed_file_types']).map(textOf);
  const all = types.length === 0 ? (image['enabled'] === true ? ['image'] : []) : types;
  const accept = all.every((type) => Object.hasOwn(CATEGORIES, type))
    ? all.map((type) => CATEGORIES[type] as string)
    : [];
  const most = Number(upload['number_limits'] ?? image['number_limits'] ?? 3);
  return {
    files: {
      ...(accept.length > 0 && { accept }),
      most: Number.isInteger(most) && most > 0 ? Math.min(most, 10) : 3,
    },
  };
}

function chatParams(here: Here): Fields {
  const { name, description } = here.app;
  return {
    ...(name !== '' && { title: name.slice(0, 200) }),
    ...(description !== '' && { description: description.slice(0, 2000) }),
    ...chatFiles(here),
  };
}

function chatStart(here: Here, form: Form): Became {
  if (form.fields.length === 0) {
    const id = here.main({ operator: 'trigger.chat', params: chatParams(here) });
    return { enter: undefined, leave: { source: [`${id}.out`] }, value: (path) => said(`nodes.${id}`, path) };
  }
  here.note(
    'A chat does not ask for its fields first: they have their defaults there. A request to its address has them beside `text` and `conversation_id`.',
  );
  const chat = here.add('chat', { operator: 'trigger.chat', params: chatParams(here) });
  const asked = {
    text: { type: 'string', description: 'The message.' },
    conversation_id: { type: 'string', description: 'Names the conversation that goes on.' },
  };
  const own = formOf(form.fields, asked, ['text']);
  const request = here.add(
    'request',
    requestTrigger(here, own.schema, own.hasFiles, { memory: 'conversation_id' }) as never,
  );
  const merge = here.add('either', { operator: 'core.merge' });
  here.wire(`${chat}.out`, `${merge}.in`);
  here.wire(`${request}.out`, `${merge}.in`);
  const value: Record<string, unknown> = {
    text: '{{ input.text }}',
    history: '{{ input?.history ?? [] }}',
    files: '{{ input?.files ?? [] }}',
    conversation: '{{ input?.conversation ?? input?.conversation_id ?? "" }}',
    user: '{{ input?.user ?? input?.key ?? "" }}',
    fields: Object.fromEntries(
      form.fields.map((one) => {
        const name = textOf(one['variable']);
        const fallback = fieldSchema(one)['default'] ?? null;
        return [name, braces(`${member('input', name, '?')} ?? ${literal(fallback)}`)];
      }),
    ),
  };
  const id = here.main({ operator: 'core.map', params: { value } });
  here.wire(`${merge}.out`, `${id}.in`);
  const field = fieldValue(`nodes.${id}.fields`, form.fields);
  return {
    enter: undefined,
    leave: { source: [`${id}.out`] },
    value: (path) => field(path) ?? said(`nodes.${id}`, path),
  };
}

/** A value that a chat provides, also for the variables that Dify calls `sys`. */
function said(at: string, [name, ...rest]: readonly string[]): Value | undefined {
  switch (name) {
    case 'sys.query':
      return { expr: `${at}.text`, kind: 'text' };
    case 'sys.files':
      return rest.length === 0 ? { expr: `(${at}?.files ?? [])`, kind: 'files' } : undefined;
    case 'sys.conversation_id':
      return { expr: `${at}.conversation`, kind: 'text' };
    case 'sys.user_id':
      return { expr: `(${at}?.user ?? ${at}?.key ?? "")`, kind: 'text' };
    case 'sys.history':
      return { expr: `${at}.history`, kind: 'list' };
    default:
      return undefined;
  }
}

export const scheduleTrigger: Mapping = (here) => {
  const { settings } = here;
  const timezone = settings.text('timezone');
  const written = settings.text('cron_expression').trim();
  const cron = settings.text('mode') === 'visual' || written === '' ? visualCron(here) : written;
  settings.ignore('config', 'frequency', 'visual_config');
  const id = here.main({
    operator: 'trigger.schedule',
    params: { cron, ...(timezone !== '' && { timezone }) },
  });
  return { enter: undefined, leave: { source: [`${id}.out`] }, value: () => undefined };
};

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Times that were chosen in fields: `12:15 PM` on some days. */
function visualCron({ settings }: Here): string {
  const visual = settings.record('visual_config');
  const frequency = settings.text('frequency');
  const at = Number(visual['on_minute'] ?? 0);
  if (frequency === 'hourly' && Number.isInteger(at) && at >= 0 && at < 60) return `${at} * * * *`;
  const time = timeOf(textOf(visual['time']));
  if (frequency === 'daily') return `${time} * * *`;
  const weekdays = listOf(visual['weekdays']).map((one) => DAYS.indexOf(textOf(one).toLowerCase()));
  if (frequency === 'weekly' && isAll(weekdays, 0, 6)) return `${time} * * ${weekdays.join(',')}`;
  const days = listOf(visual['monthly_days']).map(Number);
  if (frequency === 'monthly' && isAll(days, 1, 31)) return `${time} ${days.join(',')} * *`;
  throw new Unmapped('its times are not understood');
}

function isAll(values: readonly number[], least: number, most: number): boolean {
  return (
    values.length > 0 && values.every((value) => Number.isInteger(value) && value >= least && value <= most)
  );
}

/** Minute and hour of a cron pattern. */
function timeOf(text: string): string {
  const [, hour = '', minute = '', half = ''] = /^(\d{1,2}):(\d{2})\s*([AP]M)$/i.exec(text.trim()) ?? [];
  if (hour === '') throw new Unmapped('its times are not understood');
  return `${Number(minute)} ${(Number(hour) % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)}`;
}

export const webhookTrigger: Mapping = (here) => {
  const { settings } = here;
  const method = settings.text('method').toUpperCase() || 'POST';
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    throw new Unmapped('its method is not known');
  const names = ['params', 'body'].flatMap((key) => settings.records(key));
  const headers = settings.records('headers');
  settings.ignore(
    'webhook_url',
    'webhook_debug_url',
    'content_type',
    'async_mode',
    'variables',
    'status_code',
    'response_body',
  );
  here.note(
    'It has another address, asks for an API key until somebody opens it, and answers with the result.',
  );
  const schema = formOf(names.map((one) => ({ ...one, variable: one['name'] }))).schema;
  const id = here.main({
    operator: 'trigger.http',
    params: { path: pathOf(here.flow), methods: [method], request: schema },
  });
  const known = new Set(names.map((one) => textOf(one['name'])));
  const head = new Map(
    headers.map((one) => [textOf(one['name']).replaceAll('-', '_'), textOf(one['name']).toLowerCase()]),
  );
  return {
    enter: undefined,
    leave: { source: [`${id}.out`] },
    value: ([name = '', ...rest]) => {
      if (known.has(name)) return { expr: members(`nodes.${id}`, [name, ...rest], '?') };
      const header = head.get(name);
      if (header !== undefined) return { expr: `trigger.headers?.[${JSON.stringify(header)}]`, kind: 'text' };
      return name === '_webhook_raw'
        ? { expr: '{ body: trigger.body, headers: trigger.headers, query: trigger.query }', kind: 'record' }
        : undefined;
    },
  };
};
