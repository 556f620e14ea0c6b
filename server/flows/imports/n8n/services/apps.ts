import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { encoded, filesIn, type Given, pairs, post, type Request, type Service, some } from './service.ts';

/** What no line says of the services in `lines-of-apps.ts`, and apps that have no line at all. */

type Operations = Service['operations'];

/** A template with a time, in a format of the language. */
const timed = (g: Given, path: string, format: string, zone = ''): string =>
  g.value(path) === undefined ? '' : `{{ formatDate(date(${g.expr(path)}), "${format}"${zone}) }}`;

/** Addresses with commas, as Mailjet has them. */
const addresses = (g: Given, path: string): string | undefined =>
  g.value(path) === undefined
    ? undefined
    : `{{ split(string(${g.expr(path)}), ",").map(one => ({ Email: trim(one) })) }}`;

/** A text of JSON or a value, as a value. */
const parsed = (g: Given, path: string): string | undefined => {
  const of = g.expr(path, 'null');
  return of === 'null' ? undefined : `{{ typeOf(${of}) == "string" ? json(${of}) : ${of} }}`;
};

/** A mail of Mailjet; a template has its copies under another name. */
function mail(g: Given, own: Record<string, unknown>, copies: string): Request {
  const from = 'additionalFields';
  const variables = g.flag('jsonParameters')
    ? parsed(g, 'variablesJson')
    : pairs(g, 'variablesUi.variablesValues');
  return post(
    'https://api.mailjet.com/v3.1/send',
    {
      Messages: [
        some({
          From: some({ Email: g.text('fromEmail'), Name: g.text(`${from}.fromName`) }),
          To: addresses(g, 'toEmail'),
          Cc: addresses(g, `${from}.${copies}`),
          Bcc: addresses(g, `${from}.bccEmail`),
          ReplyTo: g.value(`${from}.replyTo`) === undefined ? '' : { Email: g.text(`${from}.replyTo`) },
          Variables: isRecord(variables) && Object.keys(variables).length === 0 ? undefined : variables,
          TemplateLanguage: g.value(`${from}.templateLanguage`),
          Priority: g.value(`${from}.priority`),
          TrackOpens: g.text(`${from}.trackOpens`),
          TrackClicks: g.text(`${from}.trackClicks`),
          CustomCampaign: g.text(`${from}.customCampaign`),
          DeduplicateCampaign: g.value(`${from}.deduplicateCampaign`),
          ...own,
        }),
      ],
    },
    { items: 'one?.Messages ?? []' },
  );
}

/** Names of Rocket.Chat that are not those of the form in another case. */
const ATTACHMENT: Readonly<Record<string, string>> = { messageLink: 'message_link' };
const snake = (name: string): string =>
  ATTACHMENT[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function attachment(g: Given, one: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fields, ...others } = one;
  const list = isRecord(fields) && Array.isArray(fields['fieldsValues']) ? fields['fieldsValues'] : undefined;
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [snake(name), g.made(value)])),
    ...(list && { fields: g.made(list) }),
  };
}

function templated(g: Given, kind: 'pdf' | 'image', body: unknown): Request {
  if (body === undefined) throw new NotHere('its fields are not set');
  if (g.value('options.fileName') !== undefined) g.tell('The file keeps the name that the service gave it.');
  return post(`https://rest.apitemplate.io/v2/create-${kind}`, body, {
    query: { template_id: g.text(`${kind}TemplateId`) },
  });
}

const simple =
  (path: string, query: (g: Given) => Record<string, unknown>) =>
  (g: Given): Request => ({
    url: `https://onesimpleapi.com/api/${path}`,
    query: some({ output: 'json', ...query(g) }),
  });

const yesOrNo = (g: Given, path: string): string => `{{ ${g.expr(path, 'false')} ? "yes" : "no" }}`;

const coinBy = (g: Given): boolean => g.text('searchBy', 'coinId') === 'coinId';

const listed = (g: Given, path: string): string => `{{ join([${g.expr(path, '[]')}].flat()) }}`;

export const appOperations: Readonly<Record<string, Operations>> = {
  signl4: {
    'alert.send': (g) => {
      const where = 'additionalFields.locationFieldsUi.locationFieldsValues';
      const isThere = g.value(`${where}.latitude`) !== undefined;
      return post(
        'https://connect.signl4.com/webhook/{secret}',
        some({
          Title: g.text('additionalFields.title'),
          Message: g.text('message'),
          'X-S4-Service': g.text('additionalFields.service'),
          'X-S4-Location': isThere ? `${g.text(`${where}.latitude`)},${g.text(`${where}.longitude`)}` : '',
          'X-S4-AlertingScenario': g.text('additionalFields.alertingScenario'),
          'X-S4-Filtering': g.value('additionalFields.filtering'),
          'X-S4-ExternalID': g.text('additionalFields.externalId'),
          'X-S4-Status': 'new',
        }),
      );
    },
  },
  gotify: {
    'message.create': (g) => {
      const option = (name: string): string => g.text(`options.${name}`);
      const notification = some({
        click: option('clickUrl') === '' ? '' : { url: option('clickUrl') },
        bigImageUrl: option('bigImageUrl'),
      });
      const extras = some({
        'client::display': option('contentType') === '' ? '' : { contentType: option('contentType') },
        'client::notification': Object.keys(notification).length > 0 ? notification : '',
        'android::action':
          option('intentUrl') === '' ? '' : { onReceive: { intentUrl: option('intentUrl') } },
      });
      return post(
        '/message',
        some({
          message: g.text('message'),
          title: g.text('additionalFields.title'),
          priority: g.value('additionalFields.priority'),
          extras: Object.keys(extras).length > 0 ? extras : undefined,
        }),
      );
    },
  },
  rocketchat: {
    'chat.postMessage': (g) => {
      const attachments = g.flag('jsonParameters')
        ? parsed(g, 'attachmentsJson')
        : g.list('attachments').map((one) => attachment(g, one));
      return post(
        '/api/v1/chat.postMessage',
        some({
          channel: g.text('channel'),
          text: g.text('text'),
          alias: g.text('options.alias'),
          avatar: g.text('options.avatar'),
          emoji: g.text('options.emoji'),
          attachments: Array.isArray(attachments) && attachments.length === 0 ? undefined : attachments,
        }),
      );
    },
  },
  matrix: {
    'message.create': (g) => {
      const isHtml = g.text('messageFormat', 'plain') === 'org.matrix.custom.html';
      return {
        method: 'PUT',
        // The service takes a message with the same number once.
        url: `/_matrix/client/v3/rooms/${encoded(g.expr('roomId'))}/send/m.room.message/{{ hash(string(random()), "md5") }}`,
        bodyType: 'json',
        body: {
          msgtype: g.text('messageType', 'm.text'),
          body: isHtml ? g.text('fallbackText') : g.text('text'),
          ...(isHtml && { format: 'org.matrix.custom.html', formatted_body: g.text('text') }),
        },
      };
    },
  },
  mailjet: {
    'email.send': (g) =>
      mail(
        g,
        { Subject: g.text('subject'), TextPart: g.text('text'), HTMLPart: g.text('html') },
        'ccAddresses',
      ),
    'email.sendTemplate': (g) =>
      mail(g, { Subject: g.text('subject'), TemplateID: `{{ number(${g.expr('templateId')}) }}` }, 'ccEmail'),
  },
  homeAssistant: {
    'event.create': (g) =>
      post(`/api/events/${encoded(g.expr('eventType'))}`, pairs(g, 'eventAttributes.attributes')),
    'service.call': (g) =>
      post(
        `/api/services/${encoded(g.expr('domain'))}/${encoded(g.expr('service'))}`,
        pairs(g, 'serviceAttributes.attributes'),
        { items: 'typeOf(one) == "array" && length(one) == 0 ? { } : one' },
      ),
    'state.upsert': (g) =>
      post(`/api/states/${encoded(g.expr('entityId'))}`, {
        state: g.text('state'),
        attributes: pairs(g, 'stateAttributes.attributes'),
      }),
    'log.getLogbookEntries': (g) => {
      const start = g.value('additionalFields.startTime');
      return {
        url: `/api/logbook${start === undefined ? '' : `/${encoded(g.expr('additionalFields.startTime'))}`}`,
        query: some({
          end_time: g.text('additionalFields.endTime'),
          entity: g.text('additionalFields.entityId'),
        }),
      };
    },
  },
  strava: {
    'activity.create': (g) => ({
      method: 'POST',
      url: 'https://www.strava.com/api/v3/activities',
      bodyType: 'form',
      body: some({
        name: g.text('name'),
        ...(g.version < 1.1 ? { type: g.text('type') } : { sport_type: g.text('sport_type', 'Run') }),
        start_date_local: timed(g, 'startDate', "yyyy-MM-dd'T'HH:mm:ss'Z'"),
        elapsed_time: g.value('elapsedTime') ?? 0,
        description: g.text('additionalFields.description'),
        distance: g.value('additionalFields.distance'),
        trainer: g.flag('additionalFields.trainer') ? 1 : undefined,
        commute: g.flag('additionalFields.commute') ? 1 : undefined,
      }),
    }),
  },
  nasa: {
    'astronomyPictureOfTheDay.get': (g) => ({
      url: 'https://api.nasa.gov/planetary/apod',
      query: some({ date: timed(g, 'additionalFields.date', 'yyyy-MM-dd') }),
    }),
    'asteroidNeoFeed.get': (g) => {
      const today = '{{ formatDate(now(), "yyyy-MM-dd") }}';
      return {
        url: 'https://api.nasa.gov/neo/rest/v1/feed',
        query: {
          start_date: timed(g, 'additionalFields.startDate', 'yyyy-MM-dd') || today,
          end_date: timed(g, 'additionalFields.endDate', 'yyyy-MM-dd') || today,
        },
        items: 'first(values(one?.near_earth_objects ?? { })) ?? []',
      };
    },
  },
  bannerbear: {
    'image.create': (g) => {
      g.seen('additionalFields.waitForImageMaxTries');
      // The other server answers when the picture is there.
      const host = g.flag('additionalFields.waitForImage') ? 'sync.api' : 'api';
      const changes = g
        .list('modificationsUi.modificationsValues')
        .map(({ imageUrl, ...others }) => g.made(some({ ...others, image_url: imageUrl })));
      return post(
        `https://${host}.bannerbear.com/v2/images`,
        some({
          template: g.text('templateId'),
          modifications: changes,
          webhook_url: g.text('additionalFields.webhookUrl'),
          metadata: g.text('additionalFields.metadata'),
        }),
      );
    },
  },
  apiTemplateIo: {
    'pdf.create': (g) =>
      templated(
        g,
        'pdf',
        g.flag('jsonParameters')
          ? parsed(g, 'propertiesJson')
          : pairs(g, 'propertiesUi.propertyValues', ['key', 'value']),
      ),
    'image.create': (g) => {
      const changes = g.list('overridesUi.overrideValues').map(({ propertiesUi }) => {
        const given = isRecord(propertiesUi) ? propertiesUi['propertyValues'] : undefined;
        const values = (Array.isArray(given) ? given : []).filter(isRecord);
        return Object.fromEntries(values.map(({ key, value }) => [asText(key ?? ''), g.made(value ?? '')]));
      });
      const overrides = g.flag('jsonParameters') ? (parsed(g, 'overridesJson') ?? []) : changes;
      return templated(g, 'image', { overrides });
    },
    'account.get': () => ({ url: 'https://rest.apitemplate.io/v2/account-information' }),
  },
  oneSimpleApi: {
    'website.pdf': simple('pdf', (g) => ({
      url: g.text('link'),
      page: g.text('options.page'),
      force: yesOrNo(g, 'options.force'),
    })),
    'website.screenshot': simple('screenshot', (g) => ({
      url: g.text('link'),
      screen: g.text('options.screen'),
      fullpage: yesOrNo(g, 'options.fullpage'),
      force: yesOrNo(g, 'options.force'),
    })),
    'utility.qrCode': simple('qr_code', (g) => ({
      message: g.text('message'),
      size: g.text('options.size'),
      format: g.text('options.format'),
    })),
  },
  coinGecko: {
    'coin.get': (g) => {
      const options = g.value('options');
      const at = coinBy(g)
        ? encoded(g.expr('coinId'))
        : `${encoded(g.expr('platformId', '"ethereum"'))}/contract/${encoded(g.expr('contractAddress'))}`;
      return {
        url: `https://api.coingecko.com/api/v3/coins/${at}`,
        query: {
          ...{ community_data: false, developer_data: false, localization: false },
          ...{ market_data: false, sparkline: false, tickers: false },
          ...(isRecord(options) && options),
        },
      };
    },
    'coin.price': (g) => {
      const options = g.value('options');
      const query = {
        vs_currencies: listed(g, 'quoteCurrencies'),
        ...(isRecord(options) && options),
      };
      const price = 'https://api.coingecko.com/api/v3/simple';
      return coinBy(g)
        ? { url: `${price}/price`, query: { ids: listed(g, 'baseCurrencies'), ...query } }
        : {
            url: `${price}/token_price/${encoded(g.expr('platformId', '"ethereum"'))}`,
            query: { contract_addresses: g.text('contractAddresses'), ...query },
          };
    },
  },
};

/** The first tool of each group of uProc, which files leave out. */
const FIRST_TOOLS: Readonly<Record<string, string>> = {
  audio: 'getAudioAdvancedSpeechByText',
  communication: 'checkSocialDomainExist',
  company: 'checkCifValid',
  finance: 'checkBankBicValid',
  geographic: 'checkCountryValidIso',
  image: 'getQrDecoded',
  internet: 'checkDomainExist',
  personal: 'checkAgeBetw',
  product: 'checkAsinExist',
  security: 'checkNumberLuhn',
  text: 'checkStringAlpha',
};

/** The params of all its tools; a node has those of its own only. */
const OF_TOOLS =
  'account address address1 address2 amount area asin author bcid bic body category cif city clevel coin company coordinates coordinates1 coordinates2 count count1 count2 country country_code credit_card current_company current_title date date1 date2 date3 delay destination distance dni domain duns ean email email_from email_to excluded_companies excluded_keywords excluded_titles field find firstname format fuel_consumption fullname fullpage gender glue host html iban imei included_companies included_keywords included_titles ip ip1 ip2 isbn isin isocode isocode1 isocode2 keyword keywords language lastname latitude length length1 length2 list locality location longitude luhn message message1 message2 mobile mod mode name nie nif number number1 number2 number3 page password period phone phone1 phone2 port price_liter profile province publisher radius regex replace rest role selector seniority separator size source subject surname swift table taxid text text1 text2 texts tin title type upc url url_dlr useragent uuid viewport vin width years years1 years2 zipcode zipcode1 zipcode2'.split(
    ' ',
  );

/** What Mindee read, each field by its value, as n8n has it. */
const READ =
  '[one.document].map(found => ({ id: found?.id, name: found?.name, number_of_pages: found?.n_pages, ...fromEntries(entries(found.inference.prediction).flatMap(field => field[0] == "locale" ? [["currency", field[1]?.currency], ["locale", field[1]?.value]] : field[0] == "taxes" && length(field[1] ?? []) > 0 ? [["taxes", { amount: field[1][0]?.amount, rate: field[1][0]?.rate }]] : field[0] == "line_items" ? [[field[0], (field[1] ?? []).map(line => pick(line, "description", "product_code", "quantity", "tax_amount", "tax_rate", "total_amount", "unit_price"))]] : [[field[0], typeOf(field[1]) == "object" ? (field[1]?.value || field[1]?.name || field[1]?.raw || field[1]?.degrees || field[1]?.amount || field[1]?.iban) : null]])) }))';

const read =
  (product: string) =>
  (g: Given): Request => {
    const version = g.number('apiVersion', g.version >= 3 ? 4 : g.version >= 2 ? 3 : 1);
    if (version === 1)
      throw new NotHere('it uses version 1 of the interface, which the service no longer has');
    return {
      method: 'POST',
      url: `https://api.mindee.net/v1/products/mindee/${product}/v${version}/predict`,
      bodyType: 'multipart',
      body: { document: `{{ ${filesIn(g, g.text('binaryPropertyName', 'data'))[0] ?? 'null'} }}` },
      ...(g.flag('rawData') ? {} : { items: READ }),
    };
  };

export const ownApps: readonly Service[] = [
  {
    kind: 'uproc',
    credential: 'uprocApi',
    first: ['', ''],
    difference: 'Its requests are those of n8n’s own node. ',
    operations: {
      '.': (g) => {
        const group = g.text('group', 'communication');
        const tool = g.text('tool', FIRST_TOOLS[group]);
        if (!/^[a-z]+$/i.test(tool)) throw new NotHere('its tool is worked out');
        const params = OF_TOOLS.map((name) => [name, g.text(name)]).filter(([, value]) => value !== '');
        const data = g.text('additionalOptions.dataWebhook');
        return post('https://api.uproc.io/api/v2/process', {
          processor: tool.replaceAll(/[A-Z]+/g, (word) => `-${word.toLowerCase()}`),
          params: Object.fromEntries(params),
          ...(data !== '' && { callback: { data } }),
        });
      },
    },
  },
  {
    kind: 'mindee',
    credential: 'mindeeReceiptApi',
    first: ['receipt', 'predict'],
    firsts: { invoice: 'predict' },
    difference:
      'Its requests were compared with Mindee’s own client library of 2026-08-03; the connection sends the header `Authorization` with the word `Token` before the key. ',
    operations: {
      'receipt.predict': read('expense_receipts'),
      'invoice.predict': read('invoices'),
    },
  },
];
