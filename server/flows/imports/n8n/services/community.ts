import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import {
  brightData,
  customJs,
  fireflies,
  pdfCo,
  pdfCoSteps,
  sinergia,
  templated,
  vlmRun,
} from './community-documents.ts';
import { postiz, postPulse, postPulseSteps, uploadPost } from './community-posts.ts';
import {
  browserAct,
  browserActWorkflows,
  dataForSeo,
  explorium,
  exploriumSeveral,
  oneShotSynch,
  scrapeless,
} from './community-tasks.ts';
import { contextual, searchConsole, searchConsoleSteps } from './community-search.ts';
import { asText } from '../params.ts';
import {
  encoded,
  filesIn,
  type Given,
  post,
  type Request,
  type Service,
  type Several,
  type Steps,
  some,
} from './service.ts';

/** Operations of services of the community that no line of data says. */

type Operations = Service['operations'];

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
  (request: (g: Given, url: string) => Request): Steps =>
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
  '.bulkValidateEmails': (g) => {
    const all = {
      jsonArray: `{{ [${g.expr('emailsJson', '"[]"')}].map(one => typeOf(one) == "string" ? json(one) : one)[0] }}`,
      commaSeparated: `{{ split(string(${g.expr('emailsCommaSeparated')}), ",").map(one => trim(one)) }}`,
      individual: g.list('emails.emailAddress').map(({ email }) => g.made(email ?? '')),
    }[g.text('emailInputMethod', 'jsonArray')];
    return post('https://api.verifi.email/v1/bulk/check?token={secret}', { emails: all });
  },
  '.validateEmail': (g) => ({
    url: 'https://api.verifi.email/check?token={secret}',
    query: { email: g.text('email') },
    items: `{ email: ${g.after.expr('email')}, ...one }`,
  }),
};

const AIML = 'https://api.aimlapi.com/v1';

/** What is taken of an answer, by the param that says it. */
const EXTRACTS: Readonly<Record<string, string>> = {
  text: '{ content: one?.choices?.[0]?.message?.content ?? "" }',
  messages: '{ result: (one?.choices ?? []).map(choice => choice.message) }',
  choices: '{ result: one?.choices ?? [] }',
  raw: '{ result: one }',
  firstUrl: '{ url: one?.data?.[0]?.url ?? "" }',
  allUrls: '{ urls: compact((one?.data ?? []).map(found => found.url)) }',
  firstBase64: '{ base64: one?.data?.[0]?.b64_json ?? "" }',
  allBase64: '{ base64: compact((one?.data ?? []).map(found => found.b64_json)) }',
};

function messagesOf(g: Given): unknown[] {
  if (g.value('useStructuredMessages') !== true) return [{ role: 'user', content: g.text('prompt') }];
  return g.list('messagesUi.message').map((one) => {
    const role = asText(one['role'] ?? 'system');
    return {
      role: role === 'custom' ? g.made(one['customRole'] ?? 'user') : role,
      content: g.made(one['content'] ?? ''),
    };
  });
}

const aiml: Operations = {
  '.chatCompletion': (g) => {
    if (g.value('options.audioOutput') === true) throw new NotHere('it answers by voice');
    return post(
      `${AIML}/chat/completions`,
      some({
        model: g.text('model'),
        messages: messagesOf(g),
        temperature: g.value('options.temperature'),
        top_p: g.value('options.topP'),
        max_tokens: g.value('options.maxTokens'),
        frequency_penalty: g.value('options.frequencyPenalty'),
        presence_penalty: g.value('options.presencePenalty'),
        ...(g.text('options.responseFormat') === 'text' && { response_format: { type: 'text' } }),
      }),
      { items: EXTRACTS[g.text('extract', 'text')] ?? 'one' },
    );
  },
  '.imageGeneration': (g) =>
    post(
      `${AIML}/images/generations`,
      some({
        model: g.text('model'),
        prompt: g.text('imagePrompt'),
        n: g.value('imageOptions.imageCount'),
        size: g.text('imageOptions.size'),
        response_format: g.text('imageOptions.responseFormat'),
        quality: g.text('imageOptions.quality'),
        style: g.text('imageOptions.style'),
        background: g.text('imageOptions.background'),
        negative_prompt: g.text('imageOptions.negativePrompt'),
      }),
      { items: EXTRACTS[g.text('imageExtract', 'firstUrl')] ?? '{ result: one }' },
    ),
};

/** Options that ScrapeOps takes under their names. */
const PROXY_OPTIONS = [
  ...[
    'render_js',
    'country',
    'follow_redirects',
    'initial_status_code',
    'final_status_code',
    'optimize_request',
  ],
  ...['bypass', 'wait_for', 'scroll', 'file_type', 'js_scenario', 'wait', 'keep_headers', 'device_type'],
  ...['session_number', 'llm_extract', 'llm_extract_response_type', 'llm_data_schema'],
];

const scrapeOps: Operations = {
  '.proxyApi': (g) => {
    if (g.text('method', 'GET') !== 'GET') throw new NotHere('it sends the item to the page');
    const own = PROXY_OPTIONS.map((name) => [name, g.value(`advancedOptions.${name}`)]);
    return {
      url: 'https://proxy.scrapeops.io/v1/?api_key={secret}',
      query: some({
        url: g.text('url'),
        ...Object.fromEntries(own),
        premium: g.text('advancedOptions.premium_proxy', 'level_1'),
        residential: g.value('advancedOptions.residential_proxy'),
        mobile: g.value('advancedOptions.mobile_proxy'),
        ...(g.text('returnType', 'default') === 'json' && { json_response: true }),
      }),
    };
  },
};

/** Fields of lists and objects may be texts of JSON. */
function reviewFields(g: Given): unknown {
  const raw = g.expr('reviewData', 'null');
  if (raw !== 'null') return `{{ typeOf(${raw}) == "string" ? json(${raw}) : ${raw} }}`;
  for (const path of [
    'fields.matchingColumns',
    'fields.attemptToConvertTypes',
    'fields.convertFieldsToString',
    'fields.mappingMode',
  ])
    g.seen(path);
  const listed = g.list('fields.assignments');
  if (listed.length > 0) {
    for (const path of ['fields.value', 'fields.schema']) g.seen(path);
    return Object.fromEntries(
      listed.map(({ name, id, value }) => [asText(name ?? id ?? ''), g.made(value ?? '')]),
    );
  }
  const given = g.value('fields.value');
  const types = new Map(g.list('fields.schema').map((one) => [asText(one['id'] ?? ''), one['type']]));
  if (!isRecord(given)) return {};
  return Object.fromEntries(
    Object.keys(given).map((name) => {
      const of = g.expr(`fields.value.${name}`, 'null');
      const isJson = ['array', 'object'].includes(String(types.get(name)));
      return [name, isJson ? `{{ typeOf(${of}) == "string" ? json(${of}) : ${of} }}` : given[name]];
    }),
  );
}

function review(g: Given, address?: string): Request {
  const json = g.expr('metaJson', '"{}"');
  const meta = {
    json: `{{ typeOf(${json}) == "string" ? json(${json}) : ${json} }}`,
    keyValue: Object.fromEntries(
      g.list('metaKeyValues.metaArray').map(({ key, value }) => [asText(key ?? ''), g.made(value ?? '')]),
    ),
  }[g.text('metaSelect')];
  return post(
    'https://api.gotohuman.com/requestReview',
    some({
      formId: g.text('reviewTemplateID'),
      fields: reviewFields(g),
      meta,
      assignTo:
        g.text('assignToSelect') === 'selectByEmail'
          ? g.list('assignTo.values').map(({ email }) => g.made(email ?? ''))
          : undefined,
      title: g.text('additionalFields.title'),
      autoApprove: g.value('additionalFields.autoApprove'),
      updateForReviewId: g.text('additionalFields.updateForReviewId'),
      ...(address !== undefined && { webhookUrl: `{{ ${address} }}` }),
    }),
  );
}

/** A video is named by the param of an earlier version, if it is there. */
const mediaTranscript: Operations = {
  'media.getTranscript': (g) => ({
    url: 'https://api.supadata.ai/v1/transcript',
    query: some({
      url: g.text('videoUrl', g.text('videoId')),
      text: g.value('text') ?? false,
      mode: g.text('mode', 'auto'),
      lang: g.text('lang'),
    }),
  }),
};

const relationship: Operations = {
  '.checkRelationship': (g) => {
    const account = g.value('accountId') === undefined ? '' : `/${encoded(g.expr('accountId'))}`;
    return {
      url: `https://api.connectsafely.ai/linkedin/relationship${account}/${encoded(g.expr('profileId'))}`,
    };
  },
};

export const communityMore: Readonly<Record<string, Operations>> = {
  'n8n-nodes-htmlcsstopdf.htmlcsstopdf': pdfOperations,
  'n8n-nodes-verifiemail.verifiEmail': validated,
  'n8n-nodes-klicktipp.klicktipp': klickTipp,
  'CUSTOM.klicktipp': klickTipp,
  'n8n-nodes-upload-post.uploadPost': uploadPost,
  '@gotohuman/n8n-nodes-gotohuman.gotoHuman': { 'reviewRequest.send': (g) => review(g) },
  'n8n-nodes-postiz.postiz': postiz,
  'n8n-nodes-aimlapi.aimlApi': aiml,
  '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode': explorium,
  '@scrapeops/n8n-nodes-scrapeops.ScrapeOps': scrapeOps,
  '@firefliesai/n8n-nodes-fireflies.fireflies': fireflies,
  'n8n-nodes-templated.templated': templated,
  'n8n-nodes-supadata.supadata': mediaTranscript,
  'n8n-nodes-connectsafely-ai.connectSafelyLinkedIn': relationship,
  'n8n-nodes-dataforseo.dataForSeo': dataForSeo,
  'n8n-nodes-google-search-console.googleSearchConsole': searchConsole,
  'n8n-nodes-contextualai.contextualAi': contextual,
  '@postpulse/n8n-nodes-postpulse.postPulse': postPulse,
  'n8n-nodes-pdfco.PDFco Api': pdfCo,
  'n8n-nodes-sinergiacrm.sinergiaCrm': sinergia,
  'n8n-nodes-brightdata.brightData': brightData,
  ...customJs,
};

export const communitySteps: Readonly<Record<string, Pick<Service, 'several' | 'awaited'>>> = {
  '@gotohuman/n8n-nodes-gotohuman.gotoHuman': { awaited: { 'reviewRequest.sendAndWait': review } },
  'n8n-nodes-google-search-console.googleSearchConsole': { several: searchConsoleSteps },
  'n8n-nodes-klicktipp.klicktipp': { several: klickTippContacts },
  'CUSTOM.klicktipp': { several: klickTippContacts },
  '@vlm-run/n8n-nodes-vlmrun.vlmRun': { several: vlmRun },
  '@postpulse/n8n-nodes-postpulse.postPulse': { several: postPulseSteps },
  'n8n-nodes-pdfco.PDFco Api': { several: pdfCoSteps },
  'n8n-nodes-browseract.browserAct': { several: browserAct },
  'n8n-nodes-browseract-workflows.browserAct': { several: browserActWorkflows },
  'n8n-nodes-1shot.oneShotSynch': { several: oneShotSynch },
  'n8n-nodes-scrapeless.scrapeless': { several: scrapeless },
  '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode': { several: exploriumSeveral },
};
