import { NotHere } from '../entry.ts';
import { encoded, type Given, post, type Service, some } from './service.ts';

/** Services that read, translate and send documents: tables of Excel, PDF Vector, Google Translate, Rapiwa. */

const GRAPH = 'https://graph.microsoft.com/v1.0/me/drive/items';

/** The rows of a range as items: one row has the names, and the rows from another one on have the values. */
const rowsFrom = (names: number, first: number): string =>
  `(one?.values ?? []).slice(${first}).map(row => fromEntries((one.values[${names}] ?? []).map((name, at) => [string(name), row[at]])))`;

function sheetRows(g: Given): ReturnType<Service['operations'][string]> {
  if (g.flag('options.rawData')) throw new NotHere('it gives the whole answer of the range');
  const sheet = `${GRAPH}/${encoded(g.expr('workbook'))}/workbook/worksheets/${encoded(g.expr('worksheet'))}`;
  const range = g.text('range');
  g.seen('useRange');
  return {
    url: range === '' ? `${sheet}/usedRange` : `${sheet}/range(address='${range}')`,
    items: rowsFrom(g.number('keyRow', 0), g.number('dataStartRow', 1)),
  };
}

/** A document by its address; one in a file of the item is a placeholder. */
function documentOf(g: Given): Record<string, unknown> {
  const given = { url: g.text('url'), model: g.text('model', 'auto') };
  if (given.url === '') throw new NotHere('its document has no address');
  if (g.text('inputType', 'url') !== 'url')
    throw new NotHere('it sends a file of the item as base64', ['file.to-text and http.request', 'code.run']);
  return given;
}

const documentHeaders = (g: Given): { headers?: Record<string, string> } => {
  const id = g.text('documentId');
  return id === '' ? {} : { headers: { 'x-pdfvector-document-id': id } };
};

/** The operations on a kind of document, by the paths of the interface. */
function documents(resource: string, path: string): Service['operations'] {
  const url = (operation: string): string => `https://global.pdfvector.com/api/${path}/${operation}`;
  return {
    [`${resource}.parse`]: (g) => post(url('parse'), documentOf(g), documentHeaders(g)),
    [`${resource}.ask`]: (g) =>
      post(url('ask'), { ...documentOf(g), question: g.text('question') }, documentHeaders(g)),
    [`${resource}.extract`]: (g) => {
      const schema = g.expr('schema', '{ }');
      return post(
        url('extract'),
        {
          ...documentOf(g),
          prompt: g.text('prompt'),
          schema: `{{ typeOf(${schema}) == "string" ? json(${schema}) : ${schema} }}`,
        },
        documentHeaders(g),
      );
    },
  };
}

const MEDIA: Readonly<Record<string, string>> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  document: 'application/pdf',
};

/** A number without signs between its digits, but for ids of WhatsApp’s own. */
const digits = (g: Given): string =>
  `{{ string(${g.expr('number')}).endsWith("@lid") ? string(${g.expr('number')}) : replace(string(${g.expr('number')}), "\\\\D", "") }}`;

export const servicesOfDocuments: readonly Service[] = [
  {
    kind: 'microsoftExcel',
    credential: 'microsoftExcelOAuth2Api',
    first: ['workbook', 'getAll'],
    firsts: { worksheet: 'getAll', table: 'append' },
    operations: {
      'worksheet.readRows': sheetRows,
      'worksheet.getAll': (g) => ({
        url: `${GRAPH}/${encoded(g.expr('workbook'))}/workbook/worksheets`,
        items: 'one?.value ?? []',
      }),
      'worksheet.clear': (g) =>
        post(
          `${GRAPH}/${encoded(g.expr('workbook'))}/workbook/worksheets/${encoded(g.expr('worksheet'))}/range${
            g.text('range') === '' ? '' : `(address='${g.text('range')}')`
          }/clear`,
          { applyTo: g.text('applyTo', 'All') },
        ),
    },
  },
  {
    kind: 'googleTranslate',
    credential: 'googleTranslateOAuth2Api',
    first: ['language', 'translate'],
    operations: {
      'language.translate': (g) =>
        post(
          'https://translation.googleapis.com/language/translate/v2',
          { q: g.text('query', g.text('text')), target: g.text('translateTo') },
          { items: 'one?.data?.translations?.[0]' },
        ),
    },
  },
  {
    kind: 'n8n-nodes-pdfvector.pdfVector',
    credential: 'pdfVectorApi',
    first: ['document', 'parse'],
    firsts: { identity: 'parse', invoice: 'parse', bankStatement: 'parse', academic: 'search' },
    difference: 'A file of the item is a placeholder; an address is sent. ',
    operations: {
      ...documents('document', 'document'),
      ...documents('identity', 'identity'),
      ...documents('invoice', 'invoice'),
      ...documents('bankStatement', 'bankStatement'),
      'academic.search': (g) =>
        post(
          'https://global.pdfvector.com/api/academic/search',
          some({
            query: g.text('query'),
            providers: g.value('providers') ?? ['semantic-scholar'],
            limit: g.number('limit', 50),
            offset: g.value('offset'),
            yearFrom: g.value('yearFrom'),
            yearTo: g.value('yearTo'),
            fields: g.value('fields'),
          }),
        ),
      'academic.fetch': (g) =>
        post(
          'https://global.pdfvector.com/api/academic/fetch',
          some({
            ids: `{{ compact(split(string(${g.expr('ids')}), ",").map(one => trim(one))) }}`,
            fields: g.value('fields'),
          }),
        ),
    },
  },
  {
    kind: 'n8n-nodes-rapiwa.rapiwa',
    credential: 'rapiwaApi',
    first: ['', 'sendWhatsAppMessage'],
    operations: {
      '.sendWhatsAppMessage': (g) => {
        const type = g.text('messageType', 'text');
        return post(
          'https://app.rapiwa.com/api/send-message',
          some({
            number: digits(g),
            message_type: type,
            productOperation: g.text('productOperation', 'welcome'),
            message: type === 'document' ? undefined : g.text('message', 'Hello from Rapiwa!'),
            media_url: type === 'text' ? undefined : g.text('mediaUrl'),
            mimetype: MEDIA[type],
            file_name:
              type === 'document' ? `{{ last(split(string(${g.expr('mediaUrl')}), "/")) }}` : undefined,
          }),
        );
      },
      '.verifyWhatsAppNumber': (g) =>
        post(
          'https://app.rapiwa.com/api/verify-whatsapp',
          { number: `{{ replace(string(${g.expr('number')}), "\\\\D", "") }}` },
          {
            items:
              '{ success: one?.success == true, number: one?.data?.number, exists: one?.data?.exists == true, message: one?.data?.message, jid: one?.data?.jid }',
          },
        ),
    },
  },
];
