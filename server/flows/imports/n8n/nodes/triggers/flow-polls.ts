import { formatOf, type FlowEdge, type FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import type { Context } from '../../context.ts';
import { type Entry, NotHere } from '../../entry.ts';
import type { Port } from '../../graph.ts';
import { gives, type Given } from '../../job.ts';
import { asText } from '../../params.ts';
import { everyOf, fixed, needed } from './service-triggers.ts';

/** Triggers that ask a service without operators here: `trigger.poll` calls a flow that lists what is new. */

interface Asking {
  /** Requests of `http.request`, of which all answers are read. `nodes.since` is the position: a time, or what `cursor` gave. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  /** The list, oldest first, of expressions of the answers. */
  readonly list: (answers: readonly string[]) => string;
  /** The next position, if it is none of the clock. */
  readonly cursor?: (answers: readonly string[]) => string;
  /** Of an item, by which it is known again. */
  readonly key: string;
  /** What is read or made after it, a node after the other; ids by their hint. */
  readonly then?: readonly { readonly hint: string; readonly node: (ids: Ids) => FlowNode }[];
  /** An expression of the item of the run. */
  readonly item: (ids: Ids) => string;
}

/** The expression of a node by its hint; `found` is what the trigger gives. */
type Ids = (hint: string) => string;

interface Kind {
  readonly kind: string;
  readonly credential: string;
  readonly difference: string;
  of(context: Context): Asking;
}

function convert({ kind, credential, of }: Kind, context: Context): Given {
  const { params, step, job } = context;
  params.skip('authentication');
  const asking = of(context);
  const { name, type } = step.credentials[0] ?? { name: kind.replace(/Trigger$/, ''), type: credential };
  const connection = job.connection(name, type);
  const id = context.add(step.name, {
    operator: 'trigger.poll',
    params: {
      flow: listFlow(context, asking, connection),
      every: everyOf(context),
      key: `{{ ${asking.key} }}`,
      existing: 'skip',
    },
  });
  return gives(itemOf(context, id, asking, connection));
}

/** A while before now, since clocks differ and services take a moment; what was found already is known by its key. */
const CLOCK = `formatDate(date(timestamp(now()) - 300000), "yyyy-MM-dd'T'HH:mm:ss'Z'", "UTC")`;

/** The flow that lists what is new. */
function listFlow(
  { job, step }: Context,
  { requests, list, cursor = () => CLOCK }: Asking,
  connection: string,
): string {
  const id = job.around.idFor(`${job.around.id}_${step.name}`);
  const names = requests.map((_, at) => (requests.length === 1 ? 'ask' : `ask_${at + 1}`));
  const asked = names.map((name, at): [string, FlowNode] => [
    name,
    { operator: 'http.request', params: { method: 'GET', connection, ...requests[at] } },
  ]);
  const answers = names.map((name) => `nodes.${name}.body`);
  const nodes: Record<string, FlowNode> = {
    start: { operator: 'trigger.manual' },
    since: { operator: 'core.map', params: { value: `{{ input?.cursor ?? ${CLOCK} }}` } },
    ...Object.fromEntries(asked),
    found: {
      operator: 'core.map',
      params: { value: `{{ { items: ${list(answers)}, cursor: ${cursor(answers)} } }}` },
    },
  };
  const chain = ['start', 'since', ...names, 'found'];
  const edges = chain.slice(1).map((to, at): FlowEdge => {
    const from = chain[at] as string;
    return { from: `${from}.${names.includes(from) ? 'body' : 'out'}`, to: `${to}.in` };
  });
  const places = chain.map((node, at) => [node, { x: at * 260, y: 0 }] as const);
  job.more.push({
    flow: { format: formatOf({ nodes, edges }), id, name: step.name.slice(0, 200), nodes, edges },
    layout: { format: 1, nodes: Object.fromEntries(places) },
  });
  return id;
}

/** The item of a run, and what is read for it. */
function itemOf(context: Context, id: string, { then = [], item }: Asking, connection: string): Port {
  const { step, job } = context;
  const ids = new Map([['found', `nodes.${id}`]]);
  const expr: Ids = (hint) => ids.get(hint) as string;
  let from = `${id}.out`;
  for (const { hint, node: make } of then) {
    const node = make(expr);
    const isRequest = node.operator === 'http.request';
    const params = isRequest ? { connection, ...(node.params as object) } : node.params;
    const added = context.add(`${step.name} ${hint}`, { ...node, ...(params && { params }) });
    if (isRequest) job.report.use('connection', connection, added);
    context.wire(from, `${added}.in`);
    from = `${added}.${isRequest ? 'body' : 'out'}`;
    ids.set(hint, isRequest ? `nodes.${added}.body` : `nodes.${added}`);
  }
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${item(expr)} }}` },
  });
  context.wire(from, `${made}.in`);
  const own = new Set([step.name]);
  return context.port(made, 'out', { card: 'one', aligned: own, triggers: own });
}

const GRAPH = 'https://graph.microsoft.com/v1.0/me';
const SHORT = 'id,conversationId,subject,bodyPreview,from,toRecipients,categories,hasAttachments';

function outlookMail(context: Context): Asking {
  const { params } = context;
  params.skip('event');
  const output = fixed(context, 'output') ?? 'simple';
  const files = params.flag('options.downloadAttachments')
    ? (fixed(context, 'options.attachmentsPrefix') ?? 'attachment_')
    : undefined;
  params.skip('options.attachmentsPrefix');
  const fields = output === 'simple' ? SHORT : output === 'fields' ? fieldsOf(context) : undefined;
  const filter = outlookFilter(context);
  const folders = idsIn(context, 'filters.foldersToInclude');
  const places = folders.length > 0 ? folders.map((id) => `/mailFolders/${encodeURIComponent(id)}`) : [''];
  const item = (found: string): string =>
    output === 'simple'
      ? `{ id: ${found}.id, conversationId: ${found}?.conversationId, subject: ${found}?.subject, bodyPreview: ${found}?.bodyPreview, from: ${found}?.from?.emailAddress?.address, to: (${found}?.toRecipients ?? []).map(one => one?.emailAddress?.address), categories: ${found}?.categories, hasAttachments: ${found}?.hasAttachments }`
      : found;
  return {
    requests: places.map((place) => ({
      url: `${GRAPH}${place}/messages`,
      query: {
        $orderby: 'receivedDateTime asc',
        $top: 200,
        ...(fields !== undefined && { $select: fields }),
        // What a list is ordered by has to come first in its filter.
        $filter: `receivedDateTime ge {{ nodes.since }}${filter === '' ? '' : ` and (${filter})`}`,
      },
    })),
    list: (answers) => `[${answers.join(', ')}].flatMap(one => one?.value ?? [])`,
    key: 'item.id',
    then: files === undefined ? [] : FILES,
    item: (ids) =>
      files === undefined
        ? item(ids('found'))
        : `{ ...${item(ids('found'))}, ...fromEntries(${ids('files')}.map((one, at) => [${JSON.stringify(files)} + at, one])) }`,
  };
}

/** The files of a mail, which come as base64. */
const FILES: Required<Asking>['then'] = [
  {
    hint: 'attachments',
    node: (ids) => ({
      operator: 'http.request',
      params: { method: 'GET', url: `${GRAPH}/messages/{{ urlEncode(${ids('found')}.id) }}/attachments` },
    }),
  },
  {
    hint: 'files',
    node: () => ({
      operator: 'data.for-each',
      params: { items: '{{ (input?.value ?? []).filter(one => one?.contentBytes != null) }}' },
      body: {
        start: 'attachment',
        nodes: {
          bytes: { operator: 'core.map', params: { value: '{{ input.contentBytes }}' } },
          file: {
            operator: 'file.from-text',
            params: {
              name: '{{ nodes.attachment.name }}',
              content: 'base64',
              type: '{{ nodes.attachment?.contentType ?? "application/octet-stream" }}',
            },
          },
        },
        edges: [
          { from: 'attachment.out', to: 'bytes.in' },
          { from: 'bytes.out', to: 'file.in' },
        ],
      },
    }),
  },
];

function fieldsOf({ params }: Context): string {
  const given = params.get('fields');
  const names = (Array.isArray(given) ? given : []).map(asText);
  if (names.length === 0) throw new NotHere('its fields are not set');
  return [...new Set(['id', ...names])].join(',');
}

/** Ids that a list of the form has. */
function idsIn({ params }: Context, path: string): string[] {
  const given = params.get(path);
  const ids = (Array.isArray(given) ? given : []).map(asText).filter((id) => id !== '');
  if (ids.some((id) => id.startsWith('='))) throw new NotHere(`${path} is worked out by an expression`);
  return ids;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function outlookFilter(context: Context): string {
  const sender = fixed(context, 'filters.sender');
  const read = fixed(context, 'filters.readStatus');
  const conditions = [
    ...idsIn(context, 'filters.foldersToExclude').map((id) => `parentFolderId ne ${quoted(id)}`),
    ...(sender === undefined
      ? []
      : [`(from/emailAddress/address eq ${quoted(sender)} or from/emailAddress/name eq ${quoted(sender)})`]),
    ...(context.params.flag('filters.hasAttachments') ? ['hasAttachments eq true'] : []),
    ...(read === 'read' || read === 'unread' ? [`isRead eq ${read === 'read'}`] : []),
    fixed(context, 'filters.custom') ?? '',
  ];
  return conditions.filter((one) => one !== '').join(' and ');
}

const DELTA = `${GRAPH}/drive/root/delta`;

function oneDriveFile(context: Context): Asking {
  const { params } = context;
  const event = fixed(context, 'event') ?? 'fileCreated';
  const [, what = 'file', how = 'Created'] = /^(file|folder)(Created|Updated)$/.exec(event) ?? [];
  if (params.flag('options.folderChild')) throw new NotHere('it watches folders within a folder');
  const among = watchedIn(context);
  const at = (field: string): string =>
    `timestamp(one?.fileSystemInfo?.${field} ?? "1970-01-01T00:00:00Z") >= timestamp(nodes.since.at)`;
  const isNew = at('createdDateTime');
  const when = how === 'Created' ? isNew : `${at('lastModifiedDateTime')} && !(${isNew})`;
  const time = (field: string, found: string): string => `${found}?.fileSystemInfo?.${field}`;
  return {
    requests: [{ url: `{{ nodes.since?.link ?? "${DELTA}?token=latest" }}` }],
    list: ([answer = '']) =>
      `(nodes.since?.at == null ? [] : (${answer}?.value ?? []).filter(one => one?.${what} != null && ${when}${among}))`,
    cursor: ([answer = '']) =>
      `{ link: ${answer}?.["@odata.nextLink"] ?? ${answer}?.["@odata.deltaLink"], at: ${CLOCK} }`,
    key: how === 'Created' ? 'item.id' : '[item.id, item?.lastModifiedDateTime].join(" ")',
    item: (ids) => {
      const found = ids('found');
      return params.get('simple') === false
        ? found
        : `{ id: ${found}.id, createdDateTime: ${time('createdDateTime', found)}, lastModifiedDateTime: ${time('lastModifiedDateTime', found)}, name: ${found}?.name, webUrl: ${found}?.webUrl, size: ${found}?.size, path: ${found}?.parentReference?.path ?? "", mimeType: ${found}?.file?.mimeType ?? "" }`;
    },
  };
}

/** The condition for what is watched: everything, what is in a folder, or a file or folder itself. */
function watchedIn(context: Context): string {
  const { params } = context;
  const isInFolder = params.flag('watchFolder');
  const watch = fixed(context, 'watch') ?? 'anyFile';
  if (watch.startsWith('any') && !isInFolder) {
    params.skip('fileId', 'folderId');
    return '';
  }
  const id = needed(context, watch === 'selectedFile' ? 'fileId' : 'folderId').replace('%21', '!');
  const field = isInFolder || watch === 'selectedFolder' ? 'one?.parentReference?.id' : 'one?.id';
  return ` && ${field} == ${JSON.stringify(id)}`;
}

/** Objects of Salesforce that the trigger names. */
const OBJECT = /^(account|attachment|case|contact|lead|opportunity|task|user|customObject)(Created|Updated)$/;

function salesforceRecord(context: Context): Asking {
  const [, named = '', how] = OBJECT.exec(fixed(context, 'triggerOn') ?? '') ?? [];
  if (how === undefined) throw new NotHere('what it starts for is not set');
  const object = named === 'customObject' ? needed(context, 'customObject') : capital(named);
  const field = how === 'Created' ? 'CreatedDate' : 'LastModifiedDate';
  if (!/^\w+$/.test(object)) throw new NotHere(`“${object}” is no name of an object`);
  return {
    requests: [
      {
        url: '/services/data/v59.0/query',
        query: {
          q: `SELECT FIELDS(ALL) FROM ${object} WHERE ${field} >= {{ nodes.since }} ORDER BY ${field} LIMIT 200`,
        },
      },
    ],
    list: ([answer = '']) => {
      const records = `(${answer}?.records ?? [])`;
      return how === 'Created'
        ? records
        : `${records}.filter(one => one?.LastModifiedDate != one?.CreatedDate)`;
    },
    key: how === 'Created' ? 'item.Id' : '[item.Id, item?.LastModifiedDate].join(" ")',
    item: (ids) => ids('found'),
  };
}

const capital = (word: string): string => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`;

function facebookLead(context: Context): Asking {
  context.params.skip('event', 'page');
  const form = encodeURIComponent(needed(context, 'form'));
  const isSimple =
    !isRecord(context.params.get('options')) || context.params.get('options.simplifyOutput') !== false;
  const address = 'https://graph.facebook.com/v23.0';
  return {
    requests: [
      {
        url: `${address}/${form}/leads`,
        query: { fields: 'id,field_data,created_time,ad_id,ad_name,adset_id,adset_name,form_id', limit: 100 },
      },
      { url: `${address}/${form}`, query: { fields: 'id,name,locale,status,page,questions' } },
    ],
    list: ([leads = '', given = '']) =>
      `(${leads}?.data ?? []).filter(one => timestamp(one.created_time) >= timestamp(nodes.since)).reverse().map(one => ({ lead: one, form: ${given} }))`,
    key: 'item.lead.id',
    item: (ids) => {
      const [lead, given] = [`${ids('found')}.lead`, `${ids('found')}.form`];
      const own = isSimple
        ? `data: fromEntries((${lead}?.field_data ?? []).map(one => [one.name, one?.values?.[0]])), form: { id: ${given}.id, name: ${given}?.name, locale: ${given}?.locale, status: ${given}?.status }`
        : `field_data: ${lead}?.field_data, form: ${given}`;
      return `{ id: ${lead}.id, ${own}, ad: { id: ${lead}?.ad_id, name: ${lead}?.ad_name }, adset: { id: ${lead}?.adset_id, name: ${lead}?.adset_name }, page: ${given}?.page, created_time: ${lead}?.created_time }`;
    },
  };
}

const ASKS =
  'Another flow, which has to be live too, lists what is new. It is asked every minute unless another time is set, and each new item starts a run of its own.';

const kinds: readonly Kind[] = [
  {
    kind: 'microsoftOutlookTrigger',
    credential: 'microsoftOutlookOAuth2Api',
    difference: `${ASKS} It reads up to 200 mails of a folder at a time.`,
    of: outlookMail,
  },
  {
    kind: 'microsoftOneDriveTrigger',
    credential: 'microsoftOneDriveOAuth2Api',
    difference: `${ASKS} It reads one page of changes at a time; watching for folders within a folder is a placeholder.`,
    of: oneDriveFile,
  },
  {
    kind: 'salesforceTrigger',
    credential: 'salesforceOAuth2Api',
    difference: `${ASKS} It reads up to 200 records at a time, which have all their fields.`,
    of: salesforceRecord,
  },
  {
    kind: 'facebookLeadAdsTrigger',
    credential: 'facebookLeadAdsOAuth2Api',
    difference: `${ASKS} It looks at the 100 newest leads of the form.`,
    of: facebookLead,
  },
];

export const flowPollEntries: readonly Entry[] = kinds.map((one) => ({
  kind: one.kind,
  word: 'close',
  becomes: '`trigger.poll` of a flow that asks the service',
  difference: one.difference,
  convert: (context) => convert(one, context),
}));
