import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { encoded, filesIn, type Given, post, type Request, type Service, some } from './service.ts';

/** Operations of services of the community that no line of data says. */

type Operations = Service['operations'];
type Several = NonNullable<Service['several']>;

const PDF = 'https://pdfmunk.com/api/v1';

/** A PDF by its address or in a field of the item, and what is done with it. */
function pdf(
  path: string,
  [prefix, address, output]: readonly [prefix: string, address: string, output: string],
  fields: (g: Given) => Record<string, unknown>,
): Operations[string] {
  return (g) => {
    const isFile = g.text(`${prefix}_input_type`, 'url') === 'file';
    const answer = output === '' ? '' : g.text(`${prefix}_output`, output);
    const sent = { ...(answer !== '' && { output: answer }), ...some(fields(g)) };
    const file = filesIn(g, g.text(`${prefix}_file_binary_property`, 'data'))[0];
    return {
      method: 'POST',
      url: `${PDF}/${path}`,
      ...(isFile
        ? { bodyType: 'multipart', body: { ...sent, file: `{{ ${file} }}` } }
        : { bodyType: 'json', body: { ...sent, url: g.text(address) } }),
      ...(answer === 'file' && { file: 'data' }),
    };
  };
}

const pages = (g: Given): Record<string, unknown> => {
  const mode = g.text('split_mode', 'pages');
  if (mode === 'each') return { mode };
  return mode === 'chunks' ? { chunks: g.number('chunks', 2) } : { pages: g.text('pages', '1-3') };
};

const pdfOperations: Operations = {
  'pdfManipulation.mergePdfs': (g) => {
    const output = g.text('merge_output', 'url');
    if (g.text('merge_input_type', 'url') === 'file') throw new NotHere('it merges files of the item');
    return post(
      `${PDF}/pdf/merge`,
      { output, urls: `{{ split(string(${g.expr('pdf_urls')}), ",").map(one => trim(one)) }}` },
      output === 'file' ? { file: 'data' } : {},
    );
  },
  'pdfManipulation.splitPdf': pdf('pdf/split', ['split', 'split_url', 'url'], pages),
  'pdfManipulation.compressPdf': pdf('compressPdf', ['compress', 'compress_url', 'file'], (g) => ({
    compression: g.text('compression', 'high'),
    output_name: g.text('compress_output_name', 'compressed.pdf'),
  })),
  'pdfSecurity.lockPdf': pdf('lockPdf', ['lock', 'lock_url', 'file'], (g) => ({
    password: g.text('lock_password'),
    input_password: g.text('lock_input_password'),
    output_name: g.text('lock_output_name', 'locked.pdf'),
  })),
  'pdfSecurity.unlockPdf': pdf('unlockPdf', ['unlock', 'unlock_url', 'file'], (g) => ({
    password: g.text('unlock_password'),
    output_name: g.text('unlock_output_name', 'unlocked.pdf'),
  })),
};

const KLICKTIPP = 'https://api.klicktipp.com';

/** Fields of a contact as forms write them: `fields[fieldFirstName]`. */
const dataFields = (g: Given): Record<string, unknown> =>
  Object.fromEntries(
    g
      .list('fields.dataFields')
      .map((one) => [`fields[${asText(one['fieldId'] ?? '')}]`, g.made(one['fieldValue'] ?? '')]),
  );

const asForm = (method: string, url: string, body: Record<string, unknown>): Request => ({
  method,
  url,
  bodyType: 'form',
  body: some(body),
});

const klickTipp: Operations = {
  'subscriber.subscribe': (g) =>
    asForm('POST', `${KLICKTIPP}/subscriber`, {
      email: g.text('email'),
      smsnumber: g.text('smsNumber'),
      listid: g.text('listId'),
      tagid: g.text('tagId'),
      ...dataFields(g),
    }),
  'field.get': (g) => ({
    url: `${KLICKTIPP}/field/${encoded(`replace(string(${g.expr('apiFieldId')}), "field", "")`)}`,
  }),
};

/** A contact by its id, or by its mail address, which is looked up first. */
const contact =
  (request: (g: Given, url: string) => Request): Several[string] =>
  (g, ask) => {
    const isById = g.text('identifierType', g.version >= 3 ? 'email' : 'id') === 'id';
    const id = isById
      ? g.expr('subscriberId')
      : `${ask('contact', asForm('POST', `${KLICKTIPP}/subscriber/search`, { email: g.text('lookupEmail') }))}[0]`;
    return request(g, `${KLICKTIPP}/subscriber/${encoded(`string(${id})`)}`);
  };

const klickTippContacts: Several = {
  'subscriber.get': contact((_, url) => ({ url })),
  'subscriber.delete': contact((_, url) => ({ method: 'DELETE', url, items: '{ success: true }' })),
  'subscriber.update': contact((g, url) => ({
    ...asForm('PUT', url, {
      newemail: g.text('email'),
      newsmsnumber: g.text('smsNumber'),
      ...dataFields(g),
    }),
    items: '{ success: true }',
  })),
};

const validated: Operations = {
  '.validateEmail': (g) => ({
    url: 'https://api.verifi.email/check',
    query: { email: g.text('email') },
    items: `{ email: ${g.laterAt('email')}, ...one }`,
  }),
};

export const communityMore: Readonly<Record<string, Operations>> = {
  'n8n-nodes-htmlcsstopdf.htmlcsstopdf': pdfOperations,
  'n8n-nodes-verifiemail.verifiEmail': validated,
  'n8n-nodes-klicktipp.klicktipp': klickTipp,
  'CUSTOM.klicktipp': klickTipp,
};

export const communitySeveral: Readonly<Record<string, Several>> = {
  'n8n-nodes-klicktipp.klicktipp': klickTippContacts,
  'CUSTOM.klicktipp': klickTippContacts,
};
