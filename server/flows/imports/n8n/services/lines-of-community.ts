import type { ServiceLines } from './lines.ts';

/** Services whose nodes come from packages of others: documents, pages of the web, mails. */

const klickTipp: ServiceLines = {
  credential: 'klickTippApi',
  first: ['tag', 'index'],
  firsts: { subscriber: 'index', 'contact-tagging': 'tag', field: 'index', 'opt-in': 'index' },
  address: 'https://api.klicktipp.com',
  difference:
    'KlickTipp asks for a session: a login by POST to /account/login gives its name and id, which the connection sends in the header Cookie as `name=id`, and which ends at some time. ',
  operations: {
    'contact-tagging.tag': 'POST /subscriber/tag :form email tagids=tagId -> { success: true }',
    'contact-tagging.untag': 'POST /subscriber/untag :form email tagid=tagId -> { success: true }',
    'subscriber.index':
      'GET /subscriber status=subscriptionStatus|csv bounceStatus=bounceStatus|csv -> (one ?? []).map(id => ({ id: id }))',
    'subscriber.search': 'POST /subscriber/search :form email -> { id: one?.[0] }',
    'subscriber.tagged':
      'POST /subscriber/tagged :form tagid=tagId ?status=subscriptionStatus|csv ?bounceStatus=bounceStatus|csv -> entries(one ?? { }).map(pair => ({ id: pair[0], timestamp: pair[1] }))',
    'subscriber.unsubscribe': 'POST /subscriber/unsubscribe :form email -> { success: true }',
    'tag.index': 'GET /tag -> entries(one ?? { }).map(pair => ({ id: pair[0], value: pair[1] }))',
    'tag.get': 'GET /tag/{tagId}',
    'tag.create': 'POST /tag :form name text=description -> { id: one?.[0] }',
    'tag.update': 'PUT /tag/{tagId} :form name text=description -> { success: true }',
    'tag.delete': 'DELETE /tag/{tagId} -> { success: true }',
    'field.index': 'GET /field -> entries(one ?? { }).map(pair => ({ id: pair[0], value: pair[1] }))',
    'opt-in.index': 'GET /list -> entries(one ?? { }).map(pair => ({ id: pair[0], value: pair[1] }))',
    'opt-in.get': 'GET /list/{listId}',
    'opt-in.getRedirect':
      'POST /list/redirect :form listid=listId email -> { redirectUrl: one?.[0] }',
  },
};

export const communityServices: Readonly<Record<string, ServiceLines>> = {
  'n8n-nodes-htmlcsstopdf.htmlcsstopdf': {
    credential: 'htmlcsstopdfApi',
    first: ['pdfCreation', 'htmlToPdf'],
    firsts: { pdfManipulation: 'mergePdfs', pdfSecurity: 'lockPdf', pdfParsing: 'parsePdf' },
    address: 'https://pdfmunk.com/api/v1',
    difference: 'The connection sends the key in the header CLIENT-API-KEY. ',
    operations: {
      'pdfCreation.htmlToPdf':
        'POST /generatePdf ~timeout :file=output_format html_content css_content viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 output_format=output_format??"url" wait_until=wait_until??"load" wait_till=wait_till??0 output_filename=output_filename??"document"',
      'pdfCreation.urlToPdf':
        'POST /generatePdf ~timeout :file=output_format url full_page=full_page??true wait_till=wait_till??10000 viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 output_format=output_format??"url" output_filename=output_filename??"document"',
    },
  },
  'n8n-nodes-htmlcsstoimage.htmlCssToImage': {
    credential: 'htmlcsstoimgApi',
    first: ['', 'htmlToImage'],
    address: 'https://htmlcsstoimg.com/api/v1',
    difference: 'The connection sends the key in the header CLIENT-API-KEY. ',
    operations: {
      '.htmlToImage':
        'POST /generateImage html_content css_content viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 response_format=response_format_html??"url"',
      '.urlToImage':
        'POST /generateImage url full_page=full_page??true wait_till=wait_till??10000 viewPortWidth=viewPortWidth??1080 viewPortHeight=viewPortHeight??720 response_format=response_format_url??"image"',
    },
  },
  'n8n-nodes-verifiemail.verifiEmail': {
    credential: 'verifiEmailApi',
    first: ['', 'validateEmail'],
    address: 'https://api.verifi.email',
    difference: 'The address of the connection is `https://api.verifi.email?token={secret}`. ',
    operations: {
      '.checkDomainHealth': 'GET /v1/domain/check domain selector=selector??"google"',
    },
  },
  'n8n-nodes-klicktipp.klicktipp': klickTipp,
  'CUSTOM.klicktipp': klickTipp,
};
