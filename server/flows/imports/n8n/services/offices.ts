import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { pathOf } from './lines.ts';
import { encoded, filesIn, type Given, mostOf, post, type Request, type Service, some } from './service.ts';

/** Operations of services of offices that no line of data says, and services whose interface is one address. */

type Operations = Service['operations'];

const BOOKS = 'https://www.googleapis.com/books/v1';
/** The shelves of the account, or of a user. */
const shelvesOf = (g: Given): string =>
  g.flag('myLibrary')
    ? `${BOOKS}/mylibrary/bookshelves`
    : `${BOOKS}/users/${encoded(g.expr('userId'))}/bookshelves`;

const books: Operations = {
  'bookshelf.get': (g) => ({ url: `${shelvesOf(g)}/${encoded(g.expr('shelfId'))}` }),
  'bookshelf.getAll': (g) => {
    for (const path of ['returnAll', 'limit']) g.seen(path);
    return { url: shelvesOf(g), items: 'one?.items ?? []' };
  },
  'bookshelfVolume.getAll': (g) => ({
    url: `${shelvesOf(g)}/${encoded(g.expr('shelfId'))}/volumes`,
    query: { maxResults: Math.min(mostOf(g, 40), 40) },
    items: 'one?.items ?? []',
  }),
};

const admin: Operations = {
  'user.create': (g) => {
    const at = 'additionalFields';
    return post(
      'https://admin.googleapis.com/admin/directory/v1/users',
      some({
        name: { givenName: g.text('firstName'), familyName: g.text('lastName') },
        password: g.value('password'),
        primaryEmail: `${g.text('username')}@${g.text('domain')}`,
        changePasswordAtNextLogin: g.value(`${at}.changePasswordAtNextLogin`),
        orgUnitPath: g.value(`${at}.orgUnitPath`),
        phones: g.value(`${at}.phoneUi.phoneValues`),
        emails: g.value(`${at}.emailUi.emailValues`),
      }),
    );
  },
};

const coda: Operations = {
  'table.createRow': (g) => {
    const keys = g.expr('options.keyColumns', '');
    const url = `https://coda.io/apis/v1/docs/${encoded(g.expr('docId'))}/tables/${encoded(g.expr('tableId'))}/rows`;
    return post(
      url,
      some({
        rows: [{ cells: `{{ entries(${g.item}).map(pair => ({ column: pair[0], value: pair[1] })) }}` }],
        keyColumns: keys === '' ? undefined : `{{ split(${keys}, ",").map(one => trim(one)) }}`,
      }),
      {
        ...(g.flag('options.disableParsing') && { query: { disableParsing: true } }),
        items: g.after.item,
      },
    );
  },
};

const CAMPAIGN =
  'campaign.id, campaign.name, campaign_budget.amount_micros, campaign_budget.period, campaign.status, campaign.optimization_score, campaign.advertising_channel_type, campaign.advertising_channel_sub_type, metrics.impressions, metrics.interactions, metrics.interaction_rate, metrics.average_cost, metrics.cost_micros, metrics.conversions, metrics.cost_per_conversion, metrics.conversions_from_interactions_rate, metrics.video_trueview_views, metrics.average_cpm, metrics.ctr';

/** Numbers of accounts and campaigns are written with dashes, too. */
const digits = (expression: string): string => `replace(string(${expression}), "-", "")`;

function campaigns(g: Given, where: string): Request {
  return post(
    `https://googleads.googleapis.com/v25/customers/{{ ${digits(g.expr('clientCustomerId', '""'))} }}/googleAds:search`,
    { query: `select ${CAMPAIGN} from campaign where ${where}` },
    {
      headers: { 'login-customer-id': `{{ ${digits(g.expr('managerCustomerId', '""'))} }}` },
      items:
        '(one?.results ?? []).map(found => ({ ...found?.campaign, ...found?.metrics, ...found?.campaignBudget }))',
    },
  );
}

const chosen = (g: Given, path: string, usual: string): string | undefined => {
  const value = asText(g.value(path) ?? usual);
  return value === usual ? undefined : value;
};

/** The fields of a document, or those of the item. */
function documentOf(g: Given): unknown {
  if (g.text('dataToSend', 'defineBelow') !== 'defineBelow') {
    const ignored = g.text('inputsToIgnore');
    if (ignored.includes('{{'))
      throw new NotHere('the fields that it leaves out are worked out by an expression');
    const names = ignored.split(',').map((one) => one.trim());
    return `{{ omit(${g.item}, ${JSON.stringify(names.filter((one) => one !== ''))}) }}`;
  }
  return Object.fromEntries(
    g
      .list('fieldsUi.fieldValues')
      .map((one) => [asText(one['fieldId'] ?? ''), g.made(one['fieldValue'] ?? '')]),
  );
}

const search: Operations = {
  'document.create': (g) => {
    const id = g.expr('additionalFields.documentId', '');
    return {
      method: id === '' ? 'POST' : 'PUT',
      url: `/${encoded(g.expr('indexId'))}/_doc${id === '' ? '' : `/${encoded(id)}`}`,
      bodyType: 'json',
      body: documentOf(g),
    };
  },
  'document.update': (g) =>
    post(`/${encoded(g.expr('indexId'))}/_update/${encoded(g.expr('documentId'))}`, {
      doc: documentOf(g),
    }),
};

const AZURE = { 'x-ms-version': '2021-12-02' };
const blobAt = (g: Given, blob: string): string =>
  `/${encoded(g.expr('container'))}/{{ ${pathOf(g.expr(blob))} }}`;

const blobs: Operations = {
  'blob.create': (g) => {
    if (g.text('from', 'binary') !== 'binary') throw new NotHere('it copies what is at an address');
    const at = 'options';
    return {
      method: 'PUT',
      url: blobAt(g, 'blobCreate'),
      headers: some({
        ...AZURE,
        'x-ms-blob-type': g.text(`${at}.blobType`, 'BlockBlob'),
        'x-ms-access-tier': g.value(`${at}.accessTier`),
        'x-ms-blob-content-type': g.value(`${at}.contentType`),
        'x-ms-blob-cache-control': g.value(`${at}.cacheControl`),
      }) as Record<string, string>,
      bodyType: 'bytes',
      body: `{{ ${filesIn(g, g.text('binaryPropertyName', 'data'))[0] ?? 'null'} }}`,
      items: '{ success: true }',
    };
  },
  'blob.get': (g) => {
    g.seen('options.simplify');
    return { url: blobAt(g, 'blob'), headers: AZURE, file: 'data' };
  },
  'blob.delete': (g) => ({
    method: 'DELETE',
    url: blobAt(g, 'blob'),
    headers: AZURE,
    items: '{ success: true }',
  }),
};

/** The rows of a statement, by the names of their columns. */
const ROWS =
  '(one?.data ?? []).map(row => fromEntries((one?.resultSetMetaData?.rowType ?? []).map((column, at) => [column.name, row[at]])))';

const statements: Operations = {
  '.executeQuery': (g) => {
    const binds = g.expr('options.queryReplacement', '');
    const listed = `[${binds}].flat().flatMap(one => typeOf(one) == "string" ? split(one, ",") : [one])`;
    return post(
      '/api/v2/statements',
      some({
        statement: g.text('query'),
        timeout: 60,
        bindings:
          binds === ''
            ? undefined
            : `{{ fromEntries(${listed}.map((one, at) => [string(at + 1), { type: "TEXT", value: trim(string(one)) }])) }}`,
      }),
      { items: ROWS },
    );
  },
};

/** Besides lines. */
export const officeOperations: Readonly<Record<string, Operations>> = {
  googleBooks: books,
  gSuiteAdmin: admin,
  coda,
  elasticsearch: search,
};

export const servicesOfOffices: readonly Service[] = [
  {
    kind: 'azureStorage',
    credential: 'azureStorageOAuth2Api',
    first: ['container', 'getAll'],
    firsts: { blob: 'getAll' },
    difference:
      'The connection signs in by OAuth2, and has the address of the account: `https://shop.blob.core.windows.net`; lists come as XML, and are a placeholder. ',
    operations: blobs,
  },
  {
    kind: 'snowflake',
    credential: 'snowflake',
    first: ['', 'insert'],
    difference:
      'It calls the SQL interface over HTTP with a token, at the address of the account: `https://shop-eu.snowflakecomputing.com`; values are texts, and the database and the warehouse are those that the user has by default. ',
    operations: statements,
  },
  {
    kind: 'googleAds',
    credential: 'googleAdsOAuth2Api',
    first: ['campaign', 'getAll'],
    difference:
      'The developer token of the credential goes into the headers of the connection, as `developer-token`. ',
    operations: {
      'campaign.getAll': (g) => {
        const range = chosen(g, 'additionalOptions.dateRange', 'allTime');
        const status = chosen(g, 'additionalOptions.campaignStatus', 'all');
        const conditions = [
          'campaign.id > 0',
          ...(range === undefined ? [] : [`segments.date DURING ${range}`]),
          ...(status === undefined ? [] : [`campaign.status = '${status}'`]),
        ];
        return campaigns(g, conditions.join(' and '));
      },
      'campaign.get': (g) => campaigns(g, `campaign.id = {{ ${digits(g.expr('campaignId', '""'))} }}`),
    },
  },
];
