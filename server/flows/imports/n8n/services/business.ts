import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { pathOf } from './lines.ts';
import { PERSON, peopleMask } from './people.ts';
import { encoded, filesIn, type Given, mostOf, post, type Request, type Service, some } from './service.ts';

/** Operations of services of business that no line of data says, and services whose interface is one address. */

type Operations = Service['operations'];

const GRAPH = 'https://graph.microsoft.com/v1.0';
const itemsAt = (g: Given): string =>
  `${GRAPH}/sites/${encoded(g.expr('site'))}/lists/${encoded(g.expr('list'))}/items`;

const sharePoint: Operations = {
  'file.upload': (g) => ({
    method: 'PUT',
    url: `${GRAPH}/sites/${encoded(g.expr('site'))}/drive/items/${encoded(g.expr('folder'))}:/${encoded(g.expr('fileName'))}:/content`,
    bodyType: 'bytes',
    body: `{{ ${filesIn(g, g.text('fileContents', 'data'))[0] ?? 'null'} }}`,
  }),
  'item.update': (g) => {
    const given = g.value('columns.value');
    if (!isRecord(given) || given['id'] === undefined)
      throw new NotHere('it does not know the item by its id');
    const { id: _, ...fields } = given;
    return {
      method: 'PATCH',
      url: `${itemsAt(g)}/${encoded(g.expr('columns.value.id'))}/fields`,
      bodyType: 'json',
      body: fields,
    };
  },
};

const PEOPLE = 'https://people.googleapis.com/v1';
const contacts: Operations = {
  'contact.getAll': (g) => {
    const isSearch = g.flag('useQuery');
    const raw = g.flag('rawData');
    const query = {
      [isSearch ? 'readMask' : 'personFields']: peopleMask(g.expr('fields', '"names"')),
      ...(isSearch
        ? { query: g.text('query'), pageSize: Math.min(mostOf(g, 100), 30) }
        : { pageSize: Math.min(mostOf(g, 100), 1000) }),
      sortOrder: g.value('options.sortOrder'),
    };
    const list = isSearch ? '(one?.results ?? []).map(one => one.person)' : '(one?.connections ?? [])';
    return {
      url: `${PEOPLE}/people${isSearch ? ':searchContacts' : '/me/connections'}`,
      query: some(query),
      items: `${list}.map(person => (${PERSON.replace('{{rawData??}}', String(raw))}))`,
    };
  },
};

const chat: Operations = {
  'message.create': (g) => ({
    method: 'POST',
    url: `https://chat.googleapis.com/v1/{{ ${pathOf(g.expr('spaceId'))} }}/messages`,
    query: some({ requestId: g.value('additionalFields.requestId') }),
    bodyType: 'json',
    body: g.flag('jsonParameters')
      ? `{{ [${g.expr('messageJson', '{ }')}].map(one => typeOf(one) == "string" ? json(one) : one)[0] }}`
      : { text: g.text('messageUi.text') },
  }),
};

const ODOO_MODELS: Readonly<Record<string, string>> = {
  contact: 'res.partner',
  opportunity: 'crm.lead',
  note: 'note.note',
};
const ODOO_SIGNS: Readonly<Record<string, string>> = {
  equal: '=',
  notEqual: '!=',
  greaterThen: '>',
  lesserThen: '<',
  greaterOrEqual: '>=',
  lesserOrEqual: '<=',
  like: 'like',
  in: 'in',
  notIn: 'not in',
  childOf: 'child_of',
};

/** A call of a method of the model that a resource is, or that the node names. */
const odoo =
  (g: Given, resource: string) =>
  (method: string, body: Record<string, unknown>, items: string): Request => {
    const model = ODOO_MODELS[resource] ?? encoded(g.expr('customResource'));
    return post(`/json/2/${model}/${method}`, body, { items });
  };

/** The fields of a record: of a form, a map of columns, or the params that the object names. */
function odooFields(g: Given, resource: string): Record<string, unknown> {
  const listed = g.list('fieldsToCreateOrUpdate.fields');
  if (listed.length > 0)
    return Object.fromEntries(
      listed.map((one) => [asText(one['fieldName'] ?? ''), g.made(one['fieldValue'] ?? '')]),
    );
  if (g.text('fieldsToSend.mappingMode') === 'autoMapInputData')
    throw new NotHere('it takes the fields of whatever comes');
  const { address, ...more } = recordAt(g, 'additionalFields') ?? recordAt(g, 'updateFields') ?? {};
  const place = isRecord(address) && isRecord(address['value']) ? address['value'] : {};
  return some({
    name: g.value(`${resource}Name`),
    memo: g.value('memo'),
    ...recordAt(g, 'fieldsToSend.value'),
    ...more,
    ...place,
  });
}

function recordAt(g: Given, path: string): Record<string, unknown> | undefined {
  const value = g.value(path);
  return isRecord(value) ? value : undefined;
}

function odooDomain(g: Given): unknown[] {
  const given = [...g.list('filterRequest.filter'), ...g.list('filters.filter')];
  return given.map((one) => [
    g.made(one['fieldName'] ?? ''),
    ODOO_SIGNS[asText(one['operator'] ?? 'equal')] ?? one['operator'],
    g.made(one['value'] ?? ''),
  ]);
}

const odooIds = (g: Given, resource: string): string => {
  const paths = resource === 'custom' ? ['customResourceId', 'recordId'] : [`${resource}Id`];
  const id = paths.map((path) => g.expr(path, '')).find((one) => one !== '');
  if (id === undefined) throw new NotHere('the id of its record is not set');
  return id;
};

const odooFieldList = (g: Given): unknown => {
  const given = g.value('options.fieldsList');
  return typeof given === 'string'
    ? `{{ split(${g.expr('options.fieldsList')}, ",").map(one => trim(one)) }}`
    : given;
};

const odooOf = (resource: string): Operations => ({
  [`${resource}.create`]: (g) =>
    odoo(g, resource)('create', { vals_list: [odooFields(g, resource)] }, '{ id: [one].flat()[0] }'),
  [`${resource}.get`]: (g) =>
    odoo(g, resource)(
      'read',
      some({ ids: [`{{ number(${odooIds(g, resource)}) }}`], fields: odooFieldList(g) }),
      'one ?? []',
    ),
  [`${resource}.getAll`]: (g) =>
    odoo(g, resource)(
      'search_read',
      some({
        domain: odooDomain(g),
        fields: odooFieldList(g),
        limit: g.flag('returnAll') ? undefined : g.number('limit', 50),
      }),
      'one ?? []',
    ),
  [`${resource}.update`]: (g) =>
    odoo(g, resource)(
      'write',
      { ids: [`{{ number(${odooIds(g, resource)}) }}`], vals: odooFields(g, resource) },
      `{ id: ${odooIds(g.after, resource)} }`,
    ),
  [`${resource}.delete`]: (g) =>
    odoo(g, resource)('unlink', { ids: [`{{ number(${odooIds(g, resource)}) }}`] }, '{ success: true }'),
});

const ISSUE =
  'id identifier title priority archivedAt assignee { id displayName email } state { id name } createdAt creator { id displayName email } team { id name } description dueDate cycle { id name }';
const linear = (query: string, variables: Record<string, unknown>, items: string): Request =>
  post('https://api.linear.app/graphql', { query, variables: some(variables) }, { items });

const linearIssue = (g: Given, at: string): Record<string, unknown> => ({
  title: g.value('title') ?? g.value(`${at}.title`),
  teamId: g.value('teamId') ?? g.value(`${at}.teamId`),
  description: g.value(`${at}.description`),
  assigneeId: g.value(`${at}.assigneeId`),
  priority: g.value(`${at}.priorityId`),
  stateId: g.value(`${at}.stateId`),
});

const linearOperations: Operations = {
  'issue.create': (g) =>
    linear(
      `mutation ($input: IssueCreateInput!) { issueCreate (input: $input) { success issue { ${ISSUE} } } }`,
      { input: some(linearIssue(g, 'additionalFields')) },
      'one?.data?.issueCreate?.issue',
    ),
  'issue.update': (g) =>
    linear(
      `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate (id: $id, input: $input) { success issue { ${ISSUE} } } }`,
      { id: g.value('issueId'), input: some(linearIssue(g, 'updateFields')) },
      'one?.data?.issueUpdate?.issue',
    ),
  'issue.get': (g) =>
    linear(
      `query ($id: String!) { issue (id: $id) { ${ISSUE} } }`,
      { id: g.value('issueId') },
      'one?.data?.issue',
    ),
  'issue.getAll': (g) =>
    linear(
      `query ($first: Int) { issues (first: $first) { nodes { ${ISSUE} } } }`,
      { first: Math.min(mostOf(g, 50), 250) },
      'one?.data?.issues?.nodes ?? []',
    ),
  'issue.delete': (g) =>
    linear(
      'mutation ($id: String!) { issueDelete (id: $id) { success } }',
      { id: g.value('issueId') },
      'one?.data?.issueDelete',
    ),
  'issue.addLink': (g) =>
    linear(
      'mutation ($url: String!, $issueId: String!) { attachmentLinkURL (url: $url, issueId: $issueId) { success } }',
      { url: g.value('link'), issueId: g.value('issueId') },
      'one?.data?.attachmentLinkURL',
    ),
  'comment.addComment': (g) =>
    linear(
      'mutation ($input: CommentCreateInput!) { commentCreate (input: $input) { success comment { id } } }',
      {
        input: some({
          issueId: g.value('issueId'),
          body: g.value('comment'),
          parentId: g.value('additionalFields.parentId'),
        }),
      },
      'one?.data?.commentCreate',
    ),
};

/** Besides lines. */
export const businessOperations: Readonly<Record<string, Operations>> = {
  microsoftSharePoint: sharePoint,
  googleContacts: contacts,
  googleChat: chat,
};

export const servicesOfBusiness: readonly Service[] = [
  {
    kind: 'odoo',
    credential: 'odooApi',
    first: ['contact', 'create'],
    firsts: { custom: 'create', note: 'create', opportunity: 'create' },
    difference:
      'It calls `/json/2`, which Odoo has from version 19 on, with a key of the API as a bearer token; the interface of older ones takes a password with each call, which a connection does not send. ',
    operations: Object.assign({}, ...['contact', 'custom', 'note', 'opportunity'].map(odooOf)) as Operations,
  },
  {
    kind: 'linear',
    credential: 'linearApi',
    first: ['issue', 'create'],
    firsts: { comment: 'addComment' },
    difference:
      'A key of Linear is sent in the header `Authorization` as it is, a token of OAuth2 as a bearer token. ',
    operations: linearOperations,
  },
];
