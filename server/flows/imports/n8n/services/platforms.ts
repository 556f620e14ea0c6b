import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import {
  type Ask,
  encoded,
  filesIn,
  type Given,
  pairs,
  post,
  type Request,
  type Service,
  some,
  use,
} from './service.ts';

/** What no line says of the services in `lines-of-platforms.ts`, and platforms that have no line at all. */

type Operations = Service['operations'];

const day = (g: Given, path: string): string =>
  g.value(path) === undefined ? '' : `{{ formatDate(date(${g.expr(path)}), "yyyy-MM-dd") }}`;

/** The columns that a node names, of the item. */
function columns(g: Given): Record<string, unknown> {
  const names = g.expr('columns', 'null');
  if (names === 'null') throw new NotHere('its columns are not set');
  return { data: `{{ pick(${g.item}, split(string(${names}), ",").map(one => trim(one))) }}` };
}

/** The name of a type in the address, as Bubble has it. */
const bubbleType = (g: Given): string =>
  encoded(`lower(join(split(string(${g.expr('typeName')}), " "), ""))`);

/** The fields that a list of MailerLite has under their ids. */
function subscriber(g: Given, path: string): Record<string, unknown> {
  const given = g.value(path);
  const others = isRecord(given) ? given : {};
  const { customFieldsUi: _, ...rest } = others;
  const fields = pairs(g, `${path}.customFieldsUi.customFieldsValues`, ['fieldId', 'value']);
  return { ...some(rest), ...(Object.keys(fields).length > 0 && { fields }) };
}

/** MailerLite Classic, and the service of today. */
const isClassic = (g: Given): boolean => g.version < 2;
const listOf = (g: Given): string =>
  isClassic(g)
    ? 'https://api.mailerlite.com/api/v2/subscribers'
    : 'https://connect.mailerlite.com/api/subscribers';
const itemOf = (g: Given): Pick<Request, 'items'> => (isClassic(g) ? {} : { items: 'one?.data' });

/** The file of a profile, or the text of it. */
function resume(g: Given, otherwise: Partial<Request>): Request {
  const url = 'https://api.humantic.ai/v1/user-profile/create';
  const query = { userid: g.text('userId') };
  if (!g.flag('sendResume')) return { url, query, ...otherwise };
  const file = filesIn(g, g.text('binaryPropertyName', 'data'))[0] ?? 'null';
  return {
    method: 'POST',
    url,
    query,
    bodyType: 'multipart',
    body: { resume: `{{ ${file} }}` },
    items: 'one?.data',
  };
}

const MEDIUM = 'https://api.medium.com/v1';
/** At the address of the person who signed in, whom a request before it gives. */
function ofMe(path: string, ask: Ask): string {
  ask('me', { url: `${MEDIUM}/me` });
  return `${MEDIUM}/users/{{ urlEncode(input.data.id) }}/${path}`;
}

function story(g: Given): Record<string, unknown> {
  const more = (name: string): unknown => g.value(`additionalFields.${name}`);
  const tags = g.expr('additionalFields.tags');
  return some({
    title: g.value('title'),
    contentFormat: g.value('contentFormat'),
    content: g.value('content'),
    tags: more('tags') === undefined ? undefined : `{{ split(string(${tags}), ",").map(tag => trim(tag)) }}`,
    canonicalUrl: more('canonicalUrl'),
    publishStatus: more('publishStatus'),
    license: more('license'),
    notifyFollowers: more('notifyFollowers'),
  });
}

function enrichment(g: Given): Request {
  const given = g.value('additionalFields');
  return post('https://api.dropcontact.com/v1/enrich/all', {
    data: [some({ email: g.text('email'), ...(isRecord(given) && given) })],
    siren: g.flag('options.siren'),
    language: g.text('options.language', 'en'),
  });
}

function analysis(g: Given): Request {
  if (g.text('observableType') === 'file') throw new NotHere('it sends a file to the analyzer');
  return post(
    `/api/analyzer/{{ urlEncode(split(string(${g.expr('analyzer')}), "::")[0]) }}/run`,
    { dataType: g.text('observableType'), tlp: g.value('tlp') ?? 2, data: g.text('observableValue') },
    { query: { force: g.flag('additionalFields.force') ? 1 : 0 } },
  );
}

export const platformOperations: Readonly<Record<string, Operations>> = {
  dropcontact: {
    'contact.enrich': enrichment,
  },
  humanticAi: {
    'profile.create': (g) => resume(g, { items: 'one?.data ?? one' }),
    'profile.update': (g) =>
      resume(g, { method: 'POST', bodyType: 'json', body: { text: g.text('text') }, items: 'one?.data' }),
  },
  clockify: {
    'timeEntry.update': (g) => {
      if (g.value('updateFields.start') === undefined)
        throw new NotHere('it keeps the start of the time entry, which has to be read before');
      const given = g.value('updateFields');
      const { customFieldsUi, ...others } = isRecord(given) ? given : {};
      const time = (name: string): string =>
        g.value(`updateFields.${name}`) === undefined
          ? ''
          : `{{ formatDate(date(${g.expr(`updateFields.${name}`)}), "yyyy-MM-dd'T'HH:mm:ss'Z'", "UTC") }}`;
      return {
        method: 'PUT',
        url: `https://api.clockify.me/api/v1/workspaces/${encoded(g.expr('workspaceId'))}/time-entries/${encoded(g.expr('timeEntryId'))}`,
        bodyType: 'json',
        body: some({
          ...others,
          start: time('start'),
          end: time('end'),
          customFields: isRecord(customFieldsUi) ? customFieldsUi['customFieldsValues'] : undefined,
        }),
      };
    },
  },
  bubble: {
    'object.getAll': (g) => {
      const filters = g
        .list('options.filters.filter')
        .map(
          (one) =>
            `{ key: ${g.said(one['key'])}, constraint_type: ${g.said(one['constraint_type'])}, value: ${g.said(one['value'])} }`,
        );
      const json = g.value('options.filtersJson');
      const limit = g.flag('returnAll') ? 100 : Math.min(g.number('limit', 100), 100);
      if (g.flag('returnAll'))
        g.tell('It read everything; here it reads at most 100. http.pages reads more.');
      return {
        url: `/obj/${bubbleType(g)}`,
        query: some({
          constraints: g.flag('jsonParameters')
            ? json
            : filters.length > 0
              ? `{{ toJson([${filters.join(', ')}]) }}`
              : undefined,
          sort_field: g.text('options.sort.sortValue.sort_field'),
          descending: g.value('options.sort.sortValue.descending'),
          limit,
        }),
        items: 'one?.response?.results ?? []',
      };
    },
    'object.create': (g) => post(`/obj/${bubbleType(g)}`, pairs(g, 'properties.property', ['key', 'value'])),
    'object.update': (g) => ({
      method: 'PATCH',
      url: `/obj/${bubbleType(g)}/${encoded(g.expr('objectId'))}`,
      bodyType: 'json',
      body: pairs(g, 'properties.property', ['key', 'value']),
      items: '{ success: true }',
    }),
  },
  strapi: {
    'entry.create': (g) => post(`/api/${encoded(g.expr('contentType'))}`, columns(g)),
    'entry.update': (g) => {
      const key = g.text('updateKey', 'id');
      return {
        method: 'PUT',
        url: `/api/${encoded(g.expr('contentType'))}/${encoded(`${g.item}?.[${JSON.stringify(key)}]`)}`,
        bodyType: 'json',
        body: columns(g),
        items: 'one?.data',
      };
    },
  },
  medium: {
    'post.create': (g) =>
      post(`${MEDIUM}/publications/${encoded(g.expr('publicationId'))}/posts`, story(g), {
        items: 'one?.data',
      }),
  },
  payPal: {
    'payout.create': (g) => {
      const json = g.expr('itemsJson', 'null');
      const items = g.flag('jsonParameters')
        ? `{{ typeOf(${json}) == "string" ? json(${json}) : ${json} }}`
        : g.list('itemsUi.itemsValues').map((one) => ({
            amount: { currency: asText(one['currency'] ?? 'USD'), value: g.written(one['amount']) },
            note: g.written(one['note'] ?? ''),
            receiver: g.written(one['receiverValue']),
            recipient_type: asText(one['recipientType'] ?? 'email')
              .toUpperCase()
              .replace('PAYPALID', 'PAYPAL_ID'),
            recipient_wallet: asText(one['recipientWallet'] ?? 'paypal').toUpperCase(),
            sender_item_id: g.written(one['senderItemId'] ?? ''),
          }));
      return post('https://api-m.paypal.com/v1/payments/payouts', {
        sender_batch_header: some({
          sender_batch_id: g.text('senderBatchId'),
          email_subject: g.text('additionalFields.emailSubject'),
          email_message: g.text('additionalFields.emailMessage'),
          note: g.text('additionalFields.note'),
        }),
        items,
      });
    },
  },
  cortex: {
    'analyzer.execute': analysis,
  },
  onfleet: {
    'destination.create': (g) => {
      const part = (name: string): string => g.text(name);
      const more = (name: string): string => g.text(`additionalFields.${name}`);
      const isWhole = g.flag('unparsed');
      return post('https://onfleet.com/api/v2/destinations', {
        address: some({
          ...(isWhole
            ? { unparsed: part('address') }
            : {
                number: part('addressNumber'),
                street: part('addressStreet'),
                city: part('addressCity'),
                country: part('addressCountry'),
                postalCode: more('addressPostalCode'),
              }),
          apartment: more('addressApartment'),
          name: more('addressName'),
        }),
        ...(more('addressNotes') !== '' && { notes: more('addressNotes') }),
      });
    },
  },
};

export const platformSteps: Readonly<Record<string, Pick<Service, 'several'>>> = {
  dropcontact: {
    several: {
      'contact.enrich': {
        when: (params) => !params.flag('simplify'),
        steps: (g, ask) => {
          ask('asked', enrichment(g));
          ask('wait', use('logic.delay', { ms: g.number('options.waitTime', 45) * 1000 }));
          return {
            url: 'https://api.dropcontact.com/v1/enrich/all/{{ urlEncode(input.request_id) }}',
            items: 'one?.data ?? []',
          };
        },
      },
    },
  },
  medium: {
    several: {
      'post.create': {
        when: (params) => !params.flag('publication'),
        steps: (g, ask) => post(ofMe('posts', ask), story(g), { items: 'one?.data' }),
      },
      'publication.getAll': (g, ask) => {
        const limit = g.flag('returnAll') ? '' : `.slice(0, ${g.number('limit', 100)})`;
        return { url: ofMe('publications', ask), items: `(one?.data ?? [])${limit}` };
      },
    },
  },
  cortex: {
    several: {
      'analyzer.execute': {
        when: (params) => asText(params.get('additionalFields.timeout') ?? '') !== '',
        steps: (g, ask) => {
          ask('job', analysis(g));
          const seconds = g.number('additionalFields.timeout', 3);
          return { url: `/api/job/{{ urlEncode(input.id) }}/waitreport?atMost=${seconds}second` };
        },
      },
    },
  },
};

export const ownPlatforms: readonly Service[] = [
  {
    kind: 'mailerLite',
    credential: 'mailerLiteApi',
    first: ['subscriber', 'create'],
    difference:
      'Its requests were compared with the OpenAPI document of MailerLite of 2026-08-22; version 1 of the node asks MailerLite Classic, with the key in the header `X-MailerLite-ApiKey`. ',
    operations: {
      'subscriber.create': (g) => ({
        ...post(listOf(g), { email: g.text('email'), ...subscriber(g, 'additionalFields') }),
        ...itemOf(g),
      }),
      'subscriber.get': (g) => ({ url: `${listOf(g)}/${encoded(g.expr('subscriberId'))}`, ...itemOf(g) }),
      'subscriber.getAll': (g) => {
        const limit = g.flag('returnAll') ? 1000 : g.number('limit', 50);
        if (g.flag('returnAll'))
          g.tell('It read everything; here it reads at most 1000. http.pages reads more.');
        const filter = isClassic(g)
          ? { type: g.text('filters.type') }
          : { 'filter[status]': g.text('filters.status') };
        return {
          url: listOf(g),
          query: some({ ...filter, limit }),
          ...(isClassic(g) ? {} : { items: 'one?.data ?? []' }),
        };
      },
      'subscriber.update': (g) => ({
        method: 'PUT',
        url: `${listOf(g)}/${encoded(g.expr('subscriberId'))}`,
        bodyType: 'json',
        body: subscriber(g, isClassic(g) ? 'updateFields' : 'additionalFields'),
      }),
    },
  },
  {
    kind: 'marketstack',
    credential: 'marketstackApi',
    first: ['endOfDayData', 'getAll'],
    firsts: { exchange: 'get', ticker: 'get' },
    difference:
      'Its requests were compared with the OpenAPI document of marketstack of 2026-08-22, and use version 2 of the interface; the secret of the connection stands as `access_key` in the query. ',
    operations: {
      'endOfDayData.getAll': (g) => {
        const specific =
          g.value('filters.specificDate') === undefined ? '' : `/${day(g, 'filters.specificDate')}`;
        const at = g.flag('filters.latest') ? '/latest' : specific;
        const limit = g.flag('returnAll') ? 1000 : Math.min(g.number('limit', 50), 1000);
        if (g.flag('returnAll'))
          g.tell('It read everything; here it reads at most 1000. http.pages reads more.');
        return {
          url: `https://api.marketstack.com/v2/eod${at}?access_key={secret}`,
          query: some({
            symbols: g.text('symbols'),
            exchange: g.text('filters.exchange'),
            sort: g.text('filters.sort'),
            ...(at === '' && {
              date_from: day(g, 'filters.dateFrom'),
              date_to: day(g, 'filters.dateTo'),
            }),
            limit,
          }),
          items: 'one?.data ?? []',
        };
      },
      'exchange.get': (g) => ({
        url: `https://api.marketstack.com/v2/exchanges/${encoded(g.expr('exchange'))}?access_key={secret}`,
      }),
      'ticker.get': (g) => ({
        url: `https://api.marketstack.com/v2/tickers/${encoded(g.expr('symbol'))}?access_key={secret}`,
      }),
    },
  },
  {
    kind: 'googlePerspective',
    credential: 'googlePerspectiveOAuth2Api',
    first: ['', 'analyzeComment'],
    difference: 'Its request is that of n8n’s own node. ',
    operations: {
      '.analyzeComment': (g) => {
        const asked = g
          .list('requestedAttributesUi.requestedAttributesValues')
          .map((one) => [
            asText(one['attributeName'] ?? 'flirtation').toUpperCase(),
            { scoreType: 'probability', scoreThreshold: g.made(one['scoreThreshold'] ?? 0) },
          ]);
        const languages = g.value('options.languages');
        return post('https://commentanalyzer.googleapis.com/v1alpha1/comments:analyze', {
          comment: { type: 'PLAIN_TEXT', text: g.text('text') },
          requestedAttributes: Object.fromEntries(asked),
          ...(languages !== undefined && { languages: [languages].flat() }),
        });
      },
    },
  },
];
