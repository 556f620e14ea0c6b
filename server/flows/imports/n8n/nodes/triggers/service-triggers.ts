import type { Context } from '../../context.ts';
import { type Entry, NotHere } from '../../entry.ts';
import { gives, type Given } from '../../job.ts';
import { filePrefix, shortMail, wholeMail } from '../../mails.ts';
import { asText } from '../../params.ts';
import { polledFrom } from '../../trigger-item.ts';

/** Triggers that ask a service again and again, as those of the services here do. */

/** The counterpart of a trigger of n8n: an operator, a condition on its finds, and the item made of each. */
interface Polled {
  readonly operator: string;
  readonly params?: Record<string, unknown>;
  /** A further read for the item: an operator, and its params over `input`. */
  readonly then?: { readonly operator: string; readonly params: Record<string, unknown> };
  /** An expression over `input` that has to hold. */
  readonly when?: string;
  readonly item?: string | Record<string, unknown>;
}

interface Kind {
  readonly kind: string;
  readonly credential: string;
  readonly becomes: string;
  readonly difference: string;
  of(context: Context): Polled;
}

const OFFERS = [
  'trigger.poll, which asks the service again and again',
  'trigger.http, called by a webhook of the service',
];
const notHere = (why: string): NotHere => new NotHere(why, OFFERS);

function convert({ credential, kind, of }: Kind, context: Context): Given {
  const { params, step, job } = context;
  params.skip('authentication');
  const { operator, params: own, then, when, item = '{{ input }}' } = of(context);
  const { name, type } = step.credentials[0] ?? { name: kind.replace(/Trigger$/, ''), type: credential };
  const connection = job.connection(name, type);
  const made = polledFrom(context, {
    trigger: { operator, params: { connection, ...own, every: everyOf(context) } },
    ...(then && { then: { operator: then.operator, params: { connection, ...then.params } } }),
    ...(when !== undefined && { when: `{{ ${when} }}` }),
    item,
  });
  for (const id of made.asking) job.report.use('connection', connection, id);
  return gives(made.port);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** Seconds between two questions; times of day are told, since there are none here. */
export function everyOf(context: Context): number {
  const rules = context.params.list('pollTimes.item');
  const seconds = rules.map((rule) => secondsOf(context, rule));
  return Math.min(DAY, ...(seconds.length > 0 ? seconds : [MINUTE]));
}

function secondsOf(context: Context, rule: Readonly<Record<string, unknown>>): number {
  const seconds = (BY_MODE[asText(rule['mode'] ?? 'everyMinute')] ?? (() => undefined))(rule);
  if (seconds !== undefined) return Math.min(DAY, seconds);
  const instead = rule['mode'] === 'custom' ? 5 * MINUTE : DAY;
  context.changed('setting', `It asked at times of its own; here it asks every ${instead} seconds.`, {
    before: JSON.stringify(rule),
    after: String(instead),
  });
  return instead;
}

const BY_MODE: Readonly<Record<string, (rule: Readonly<Record<string, unknown>>) => number | undefined>> = {
  everyMinute: () => MINUTE,
  everyHour: () => HOUR,
  everyX: ({ value, unit }) =>
    Math.max(1, Math.trunc(Number(value)) || 2) * (unit === 'minutes' ? MINUTE : HOUR),
  custom({ cronExpression }) {
    const [, minutes] = /^(?:0\s+)?\*\/(\d+)(?:\s+\*){4}$/.exec(asText(cronExpression ?? '')) ?? [];
    return Number(minutes) > 0 ? Number(minutes) * MINUTE : undefined;
  },
};

/** A value that does not change: a trigger has nothing to work it out from. */
export function fixed({ params }: Context, path: string): string | undefined {
  const value = params.get(path);
  if (value === undefined || value === null || value === '') return undefined;
  const text = asText(value).replace(/^=(?!.*\{\{)/s, '');
  if (text.startsWith('=')) throw notHere(`${path} is worked out by an expression`);
  return text;
}

/** The same; throws `NotHere` if it is not set. */
export function needed(context: Context, path: string): string {
  const value = fixed(context, path);
  if (value === undefined) throw notHere(`${path} is not set`);
  return value;
}

/** Settings that narrow what starts runs, where the trigger here cannot. */
function refuse({ params }: Context, paths: Readonly<Record<string, string>>): void {
  for (const [path, why] of Object.entries(paths)) {
    const value = params.get(path);
    if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '' && value !== false)
      throw notHere(why);
  }
}

/** Labels of Gmail as its search names them. */
const LABELS: Readonly<Record<string, string>> = {
  INBOX: 'in:inbox',
  UNREAD: 'is:unread',
  STARRED: 'is:starred',
  IMPORTANT: 'is:important',
  SENT: 'in:sent',
  SPAM: 'in:spam',
  TRASH: 'in:trash',
  DRAFT: 'in:drafts',
  CHAT: 'in:chats',
  CATEGORY_PERSONAL: 'category:primary',
  CATEGORY_SOCIAL: 'category:social',
  CATEGORY_PROMOTIONS: 'category:promotions',
  CATEGORY_UPDATES: 'category:updates',
  CATEGORY_FORUMS: 'category:forums',
};

function searchOf(context: Context): string {
  const { params } = context;
  const given = params.get('filters.labelIds');
  const ids = (Array.isArray(given) ? given : []).map(asText);
  const labels = ids.map((id) => {
    const said = Object.hasOwn(LABELS, id) ? LABELS[id] : undefined;
    if (said === undefined)
      throw new NotHere('it looks for a label of the account by its id', [
        'gmail.mail-received with the name of the label: label:orders',
        ...OFFERS.slice(1),
      ]);
    return said;
  });
  const sender = fixed(context, 'filters.sender');
  const read = fixed(context, 'filters.readStatus');
  const drafts = params.flag('filters.includeDrafts') || ids.includes('DRAFT');
  return [
    ...labels,
    ...(params.flag('filters.includeSpamTrash') ? ['in:anywhere'] : []),
    ...(sender === undefined ? [] : [`from:(${sender})`]),
    ...(read === 'unread' || read === 'read' ? [`is:${read}`] : []),
    fixed(context, 'filters.q') ?? '',
    ...(drafts ? [] : ['-in:drafts']),
    ...(ids.includes('SENT') || ids.includes('INBOX') ? [] : ['-in:sent']),
  ]
    .filter((one) => one !== '')
    .join(' ');
}

function mail(context: Context): Polled {
  const { params } = context;
  params.skip('event', 'maxResults');
  const polled = { operator: 'gmail.mail-received', params: { search: searchOf(context) } };
  const prefix = filePrefix(params);
  if (params.get('simple') !== false) {
    const fields = Object.entries(shortMail('input')).map(([name, value]) => [name, `{{ ${value} }}`]);
    return { ...polled, item: Object.fromEntries(fields) as Record<string, string> };
  }
  const item = `{{ ${wholeMail('input', prefix)} }}`;
  if (prefix === undefined) return { ...polled, item };
  return {
    ...polled,
    then: { operator: 'gmail.get', params: { message: '{{ input.id }}' } },
    item,
  };
}

const FOLDER = 'application/vnd.google-apps.folder';
const KINDS: Readonly<Record<string, string>> = {
  [FOLDER]: 'folder',
  'application/vnd.google-apps.document': 'document',
  'application/vnd.google-apps.spreadsheet': 'spreadsheet',
  'application/vnd.google-apps.presentation': 'presentation',
  'application/pdf': 'pdf',
};

function file(context: Context): Polled {
  const event = fixed(context, 'event') ?? '';
  const folder = folderOf(context);
  const [, what, how] = /^(file|folder)(Created|Updated)$/.exec(event) ?? [];
  if (what === undefined) throw notHere(`it starts for “${event}”`);
  const { when, ...kind } = kindOfFile(what, fixed(context, 'options.fileType') ?? 'all');
  return {
    operator: `google-drive.${how === 'Created' ? 'file-added' : 'file-changed'}`,
    params: { ...folder, ...kind },
    ...(when !== undefined && { when }),
  };
}

function folderOf(context: Context): { readonly folder?: string } {
  const on = fixed(context, 'triggerOn');
  if (on === 'specificFolder') return { folder: needed(context, 'folderToWatch') };
  if (on !== 'anyFileFolder')
    throw notHere(on === 'specificFile' ? 'it watches one file' : `it watches “${on ?? 'nothing'}”`);
  context.params.skip('folderToWatch', 'fileToWatch');
  return {};
}

/** A kind that the trigger knows, or a condition. */
function kindOfFile(what: string, type: string): { readonly kind?: string; readonly when?: string } {
  const kind = what === 'folder' ? 'folder' : new Map(Object.entries(KINDS)).get(type);
  if (kind !== undefined) return { kind };
  return {
    when: type === 'all' ? `input?.mimeType != "${FOLDER}"` : `input?.mimeType == ${JSON.stringify(type)}`,
  };
}

function row(context: Context): Polled {
  const event = fixed(context, 'event') ?? 'anyUpdate';
  if (event !== 'rowAdded' && event !== 'anyUpdate') throw notHere('it starts for rows that change only');
  refuse(context, {
    'options.columnsToWatch': 'it watches some columns only',
    'options.dataLocationOnSheet': 'its columns are named by another row than the first',
  });
  if ((context.params.text('includeInOutput') ?? 'new') !== 'new')
    throw notHere('it gives what a row was before');
  return {
    operator: `google-sheets.${event === 'rowAdded' ? 'row-added' : 'row-changed'}`,
    params: { spreadsheet: needed(context, 'documentId'), sheet: sheetOf(context) },
    item: '{{ { row_number: input.row_number, ...input.values } }}',
  };
}

/** Its name, which is kept beside its number. */
function sheetOf(context: Context): string {
  const given = context.step.parameters['sheetName'] as Record<string, unknown> | string | undefined;
  const value = needed(context, 'sheetName');
  if (typeof given !== 'object' || given['mode'] === 'name') return value;
  const name = given['cachedResultName'];
  if (typeof name === 'string' && name !== '') return name;
  if (value !== 'gid=0') throw notHere('its sheet is known by a number only');
  context.changed('setting', 'The first sheet is taken to be Sheet1.', { before: value, after: 'Sheet1' });
  return 'Sheet1';
}

function event(context: Context): Polled {
  const on = fixed(context, 'triggerOn') ?? '';
  refuse(context, { 'options.matchTerm': 'it looks for a text in the events' });
  if (on !== 'eventCreated' && on !== 'eventUpdated') throw notHere(`it starts for “${on}”`);
  const params = { calendar: fixed(context, 'calendarId') ?? 'primary' };
  if (on === 'eventCreated') return { operator: 'google-calendar.event-created', params };
  const since = `timestamp(input.updated) - timestamp(input?.created ?? input.updated)`;
  return {
    operator: 'google-calendar.event-changed',
    params,
    // What was made between two questions is new there, and no change.
    when: `${since} > ${everyOf(context) * 1000}`,
  };
}

function page(context: Context): Polled {
  const on = fixed(context, 'event') ?? 'pageAddedToDatabase';
  if (on !== 'pageAddedToDatabase' && on !== 'pagedUpdatedInDatabase') throw notHere(`it starts for “${on}”`);
  if (context.params.get('simple') === false) throw notHere('it gives properties as Notion keeps them');
  return {
    operator: on === 'pageAddedToDatabase' ? 'notion.page-added' : 'notion.page-changed',
    params: { database: needed(context, 'databaseId') },
    item: '{{ { ...input, name: input?.fields?.Name, ...fromEntries(entries(input?.fields ?? { }).map(pair => ["property_" + snakeCase(pair[0]), pair[1]])) } }}',
  };
}

function tableRecord(context: Context): Polled {
  refuse(context, {
    'additionalFields.formula': 'it looks for records by a formula',
    downloadAttachments: 'it downloads the files of records',
  });
  const view = fixed(context, 'additionalFields.viewId');
  context.params.skip('downloadFieldNames');
  return {
    operator: 'airtable.record-changed',
    params: {
      base: needed(context, 'baseId'),
      table: needed(context, 'tableId'),
      changed: needed(context, 'triggerField'),
      ...(view !== undefined && { view }),
    },
  };
}

function message(context: Context): Polled {
  const { params } = context;
  const events = params.get('trigger');
  if (asText(events ?? []) !== '["message"]') throw notHere(`it starts for ${asText(events ?? 'nothing')}`);
  refuse(context, {
    watchWorkspace: 'it watches all channels',
    'options.userIds': 'it leaves out what some people write',
    downloadFiles: 'it downloads files',
  });
  const channel = needed(context, 'channelId');
  return {
    operator: 'slack.message-posted',
    params: { channel },
    item: `{{ { ...input, channel: ${JSON.stringify(channel)}, event_ts: input.ts } }}`,
  };
}

const ASKS = 'It asks every minute unless another time is set, and each item starts a run of its own.';

const kinds: readonly Kind[] = [
  {
    kind: 'gmailTrigger',
    credential: 'gmailOAuth2',
    becomes: '`gmail.mail-received`',
    difference: `${ASKS} Labels have ids in place of names, raw headers are missing, mails that the account sends to itself start nothing, and a limit to one of its own labels is a placeholder.`,
    of: mail,
  },
  {
    kind: 'googleDriveTrigger',
    credential: 'googleDriveOAuth2Api',
    becomes: '`google-drive.file-added`, `google-drive.file-changed`',
    difference: `${ASKS} Files have their most used fields; watching a single file is a placeholder.`,
    of: file,
  },
  {
    kind: 'googleSheetsTrigger',
    credential: 'googleSheetsTriggerOAuth2Api',
    becomes: '`google-sheets.row-added`, `google-sheets.row-changed`',
    difference: `${ASKS} Values are texts as the sheet shows them; watching only for changed rows, single columns and old values are placeholders.`,
    of: row,
  },
  {
    kind: 'googleCalendarTrigger',
    credential: 'googleCalendarOAuth2Api',
    becomes: '`google-calendar.event-created`, `google-calendar.event-changed`',
    difference: `${ASKS} Watching for events that begin, end, are cancelled or match a text is a placeholder.`,
    of: event,
  },
  {
    kind: 'notionTrigger',
    credential: 'notionApi',
    becomes: '`notion.page-added`, `notion.page-changed`',
    difference: `${ASKS} Dates are texts, \`name\` is the field Name, and properties as Notion keeps them are a placeholder.`,
    of: page,
  },
  {
    kind: 'airtableTrigger',
    credential: 'airtableTokenApi',
    becomes: '`airtable.record-changed`, by the field of the trigger',
    difference: `${ASKS} Formulas and the download of files are placeholders.`,
    of: tableRecord,
  },
  {
    kind: 'slackTrigger',
    credential: 'slackApi',
    becomes: '`slack.message-posted`',
    difference: `${ASKS} The import knows messages of one channel, without answers in threads; all other events are placeholders.`,
    of: message,
  },
];

export const serviceTriggerEntries: readonly Entry[] = kinds.map((one) => ({
  kind: one.kind,
  word: 'close',
  becomes: one.becomes,
  difference: one.difference,
  convert: (context) => convert(one, context),
}));
