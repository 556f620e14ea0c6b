import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { filesIn, type Given, post, type Service, type Several, type Steps, some } from './service.ts';

/** What is read from documents and made of them: VLM Run, CustomJS, Fireflies, Templated, Bright Data. */

type Operations = Service['operations'];

const VLM = 'https://api.vlm.run/v1';
const VLM_AGENT = 'https://agent.vlm.run/v1';

const fileOf = (g: Given): string => filesIn(g, g.text('file', 'data'))[0] ?? 'null';

const predicted =
  (kind: 'document' | 'audio' | 'video'): Steps =>
  (g, ask) => {
    const isLater = g.value('processAsynchronously') ?? false;
    const callback = g.text('callbackUrl');
    const file = ask('file', {
      method: 'POST',
      url: `${VLM}/files`,
      bodyType: 'multipart',
      body: { file: `{{ ${fileOf(g)} }}` },
    });
    return post(
      `${VLM}/${kind}/generate`,
      some({
        model: 'vlm-1',
        domain: g.text('domain'),
        file_id: `{{ ${file}.id }}`,
        batch: isLater,
        callback_url: isLater === false ? '' : callback,
      }),
    );
  };

export const vlmRun: Several = {
  '.document': predicted('document'),
  '.audio': predicted('audio'),
  '.video': predicted('video'),
  '.executeAgent': (g, ask) => {
    const request = (inputs: Record<string, unknown>): ReturnType<typeof post> =>
      post(
        `${VLM_AGENT}/agent/execute`,
        some({ config: { prompt: g.text('agentPrompt') }, inputs, callback_url: g.text('agentCallbackUrl') }),
      );
    if (g.value('multipleFiles') === true)
      return request({
        urls: Object.fromEntries(
          g.list('fileMappings.mapping').map(({ key, url }) => [asText(key ?? ''), g.made(url ?? '')]),
        ),
      });
    const file = fileOf(g);
    const place = ask(
      'address',
      post(`${VLM_AGENT}/files/presigned-url`, {
        filename: `{{ ${file}.name }}`,
        purpose: 'assistants',
        expiration: 86_400,
      }),
    );
    ask('upload', {
      method: 'PUT',
      url: `{{ ${place}.url }}`,
      headers: { 'Content-Type': `{{ ${place}.content_type ?? ${file}.type }}` },
      bodyType: 'bytes',
      body: `{{ ${file} }}`,
      open: true,
    });
    return request({ url: `{{ ${place}.public_url }}` });
  },
};

const CUSTOM_JS = 'https://e.customjs.io/__js1-{secret}';

/** A function of CustomJS over an input. */
const made = (fn: string, input: unknown, isFile = true): ReturnType<typeof post> =>
  post(
    CUSTOM_JS,
    { input, code: `return require("./utils").${fn}(input)`, returnBinary: String(isFile) },
    isFile ? { file: 'data' } : {},
  );

const OUTPUTS = 'outputFilename';

/** The same, without the name of the file that it makes. */
const named =
  (make: Operations[string] & object): Operations[string] =>
  (g) => {
    if (g.value(OUTPUTS) !== undefined) g.tell('The file has the name that CustomJS gives it.');
    return make(g);
  };

export const customJs: Readonly<Record<string, Operations>> = Object.fromEntries(
  Object.entries({
    html2Pdf: ['html2Pdf', (g: Given) => made('HTML2PDF', g.text('htmlInput'))],
    Html2Docx: ['html2Docx', (g: Given) => made('HTML2DOCX', g.text('htmlInput'))],
    websiteScreenshot: ['websiteScreenshot', (g: Given) => made('SCREENSHOT', g.text('urlInput'))],
    CompressPDF: ['compressPdf', (g: Given) => made('PDF_COMPRESS', g.text('field_name', 'data')), 'url'],
    PdfToPng: ['pdfToPng', (g: Given) => made('PDF2PNG', g.text('field_name', 'data')), 'url'],
    PdfToText: ['pdfToText', (g: Given) => made('PDFTOTEXT', g.text('field_name', 'data'), false), 'url'],
  } satisfies Record<string, [operation: string, make: Operations[string] & object, resource?: string]>).map(
    ([kind, [operation, make, resource = '']]) => [
      `@custom-js/n8n-nodes-pdf-toolkit.${kind}`,
      { [`${resource}.${operation}`]: named(make) },
    ],
  ),
);

const SUMMARY =
  'summary { keywords action_items outline shorthand_bullet overview bullet_gist gist short_summary short_overview meeting_type topics_discussed transcript_chapters extended_sections { title content } }';
const TRANSCRIPT = `id title host_email organizer_email user { user_id email name } fireflies_users privacy participants date duration dateString transcript_url calendar_id cal_id calendar_type meeting_link is_live workspace_users sentences { index speaker_name speaker_id raw_text text start_time end_time ai_filters { text_cleanup task pricing metric question date_and_time sentiment } } ${SUMMARY} meeting_info { silent_meeting summary_status fred_joined } meeting_attendees { displayName email phoneNumber name location } speakers { id name } meeting_attendance { name join_time leave_time } channels { id title is_private }`;
const ANALYTICS =
  'id title analytics { sentiments { negative_pct neutral_pct positive_pct } categories { questions date_times metrics tasks } speakers { speaker_id name duration word_count longest_monologue monologues_count filler_words questions duration_pct words_per_minute } }';

const asked = (query: string, variables: Record<string, unknown>, items: string): ReturnType<typeof post> =>
  post('https://api.fireflies.ai/graphql', { query, variables }, { items });

const transcript =
  (fields: string): Operations[string] =>
  (g) =>
    asked(
      `query($id: String!) { transcript(id: $id) { ${fields} } }`,
      { id: g.text('transcriptId') },
      '{ success: true, data: one?.data?.transcript }',
    );

/** Filters of a list of transcripts: the param, the argument, and its type. */
const FILTERS: readonly (readonly [param: string, argument: string, type: string])[] = [
  ['title', 'title', 'String'],
  ['date', 'date', 'Float'],
  ['fromDate', 'fromDate', 'DateTime'],
  ['toDate', 'toDate', 'DateTime'],
  ['hostEmail', 'host_email', 'String'],
  ['organizerEmail', 'organizer_email', 'String'],
  ['participantEmail', 'participant_email', 'String'],
  ['userId', 'user_id', 'String'],
  ['mine', 'mine', 'Boolean'],
  ['keyword', 'keyword', 'String'],
  ['scope', 'scope', 'String'],
  ['channelId', 'channel_id', 'String'],
];

export const fireflies: Operations = {
  'transcript.getTranscript': transcript(TRANSCRIPT),
  'transcript.getTranscriptSummary': transcript(SUMMARY),
  'transcript.getTranscriptAnalytics': transcript(ANALYTICS),
  'transcript.getTranscriptAudioUrl': transcript('id title audio_url dateString'),
  'transcript.getTranscriptVideoUrl': transcript('id title video_url dateString'),
  'transcript.getTranscriptsList': (g) => {
    const given = FILTERS.map(([param, ...rest]) => [g.value(`filters.${param}`), param, ...rest] as const);
    const set = given.filter(([value]) => value !== undefined);
    const types = set.map(([, param, , type]) => `, $${param}: ${type}`).join('');
    const filters = set.map(([, param, argument]) => `, ${argument}: $${param}`).join('');
    return asked(
      `query($limit: Int, $skip: Int${types}) { transcripts(limit: $limit, skip: $skip${filters}) { id title organizer_email participants meeting_link dateString } }`,
      {
        limit: g.value('limit') ?? 50,
        skip: g.value('skip') ?? 0,
        ...Object.fromEntries(set.map(([value, param]) => [param, value])),
      },
      '(one?.data?.transcripts ?? []).map(found => ({ success: true, data: found }))',
    );
  },
  'aiApp.getAIAppOutputs': (g) =>
    asked(
      'query($app: String, $transcript: String, $skip: Float, $limit: Float) { apps(app_id: $app, transcript_id: $transcript, skip: $skip, limit: $limit) { outputs { transcript_id user_id app_id created_at title prompt response } } }',
      some({
        app: g.text('appId'),
        transcript: g.text('transcriptId'),
        skip: g.value('skip') ?? 0,
        limit: g.value('limit') ?? 10,
      }),
      '(one?.data?.apps?.outputs ?? []).map(found => ({ success: true, data: found }))',
    ),
  'user.getCurrentUser': () =>
    asked(
      'query { user { user_id email name is_admin integrations num_transcripts recent_transcript recent_meeting minutes_consumed user_groups { name handle id } } }',
      {},
      '{ success: true, data: one?.data?.user }',
    ),
};

const PDF_CO = 'https://api.pdf.co/v1';

/** Options of PDF.co under their names. */
const options = (g: Given, path: string, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, g.value(`${path}.${name}`)]));

const PAGE_OPTIONS = [
  ...['name', 'orientation', 'paperSize', 'printBackground', 'margins', 'mediaType', 'header', 'footer'],
  ...['callback', 'expiration', 'profiles'],
];
const READ_OPTIONS = [
  ...['pages', 'name', 'lang', 'rect', 'callback', 'expiration', 'lineGrouping', 'unwrap', 'profiles'],
];

/** The last part of the address of each conversion, and its options. */
const CONVERSIONS: Readonly<Record<string, readonly [path: string, options?: string]>> = {
  toCsv: ['csv'],
  toHtml: ['html'],
  toJson: ['json'],
  toJson2: ['json2'],
  toJsonMeta: ['json-meta'],
  toText: ['text'],
  toTextSimple: ['text-simple', 'advancedOptions_TextSimple'],
  toXml: ['xml'],
  toJpg: ['jpg', 'advancedOptions_Image'],
  toPng: ['png', 'advancedOptions_Image'],
  toWebp: ['webp', 'advancedOptions_Image'],
  toTiff: ['tiff', 'advancedOptions_Tiff'],
  toXls: ['xls', 'advancedOptions_Excel'],
  toXlsx: ['xlsx', 'advancedOptions_Excel'],
};
/** Of these there is the address of the file alone. */
const BY_ADDRESS = ['toTiff', 'toXls', 'toXlsx'];

export const pdfCo: Operations = {
  '.URL/HTML to PDF': (g) => {
    const kind = g.text('convertType', 'urlToPDF');
    const of = {
      urlToPDF: { url: g.text('url') },
      htmlToPDF: { html: g.text('html') },
      htmlTemplateToPDF: { templateId: g.text('templateId'), templateData: g.text('templateData') },
    }[kind];
    if (of === undefined) throw new NotHere(`it converts by “${kind}”`);
    return post(
      `${PDF_CO}/pdf/convert/from/${kind === 'urlToPDF' ? 'url' : 'html'}`,
      some({ ...of, ...options(g, 'advancedOptions', PAGE_OPTIONS) }),
    );
  },
  '.Convert from PDF': (g) => {
    const kind = g.text('convertType', 'toText');
    const [path, at = 'advancedOptions'] = CONVERSIONS[kind] ?? [];
    if (path === undefined) throw new NotHere(`it converts by “${kind}”`);
    const inline = BY_ADDRESS.includes(kind) ? undefined : (g.value(`${at}.inline`) ?? true);
    return post(
      `${PDF_CO}/pdf/convert/to/${path}`,
      some({ url: g.text('url'), inline, ...options(g, at, READ_OPTIONS) }),
    );
  },
  '.Fill a PDF Form': (g) =>
    post(
      `${PDF_CO}/pdf/edit/add`,
      some({
        url: g.text('url'),
        inline: true,
        fields: g.list('fields.metadataValues').map((one) => some(g.made(one) as Record<string, unknown>)),
        ...options(g, 'advancedOptions', ['name', 'callback', 'expiration', 'profiles']),
      }),
    ),
};

export const pdfCoSteps: Several = {
  '.Upload File to PDF.co': (g, ask) => {
    if (g.text('uploadMethod') === 'base64')
      return post(
        `${PDF_CO}/file/upload/base64`,
        { file: g.text('base64Content'), name: g.text('name') },
        {
          items: '{ url: one?.url }',
        },
      );
    const field = g.text('binaryPropertyName', 'data');
    const place = ask('address', {
      url: `${PDF_CO}/file/upload/get-presigned-url`,
      query: { name: g.text('name') },
    });
    return {
      method: 'PUT',
      url: `{{ ${place}.presignedUrl }}`,
      headers: { 'Content-Type': 'application/octet-stream' },
      bodyType: 'bytes',
      body:
        g.value('binaryData') === true ? `{{ ${filesIn(g, field)[0] ?? 'null'} }}` : g.text('fileContent'),
      open: true,
      items: `{ url: ${place}.url }`,
    };
  },
};

/** Conditions on fields, as the interface of the CRM has them in the query. */
const filters = (g: Given): Record<string, unknown> =>
  Object.fromEntries(
    g.list('options.filters.Filter').map((one) => {
      const field = asText((one['field'] === '__custom__' ? one['customField'] : one['field']) ?? '');
      return [
        `filter[${field}][${asText(one['operator'] ?? 'eq').toUpperCase()}]`,
        g.made(one['value'] ?? ''),
      ];
    }),
  );

export const sinergia: Operations = {
  '.getAll': (g) => {
    if (g.flag('returnAll')) g.tell('It read everything; here it reads at most 1000. http.pages reads more.');
    return {
      url: `/Api/V8/module/{{ urlEncode(string(${g.expr('module')})) }}`,
      query: {
        'page[size]': g.flag('returnAll') ? 1000 : g.number('limit', 100),
        'page[number]': 1,
        ...filters(g),
      },
      items: 'one?.data ?? []',
    };
  },
};

/** Values of layers that Templated has anyway are left out. */
const USUAL: Readonly<Record<string, unknown>> = {
  opacity: 1,
  font_weight: 'normal',
  horizontal_align: 'left',
  vertical_align: 'top',
  object_fit: 'cover',
  barcode_format: 'CODE128',
};

function layerOf(given: Record<string, unknown>): Record<string, unknown> {
  const { layerName: _, additionalProperties, ...own } = given;
  const all = { ...own, ...(isRecord(additionalProperties) && additionalProperties) };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, value]) => !['', false, null, undefined, 0].includes(value as string) && value !== USUAL[name],
    ),
  );
}

export const templated: Operations = {
  '.createRender': (g) => {
    if (g.list('pages.page').length > 0) throw new NotHere('it has layers for each page');
    const json = g.expr('layersJson', '"{}"');
    const layers = g
      .list('layers.layer')
      .map(
        (one) =>
          [g.written(one['layerName'] ?? ''), layerOf(g.made(one) as Record<string, unknown>)] as const,
      );
    const more = [...['name', 'background', 'width', 'height', 'scale', 'async', 'webhook_url', 'merge']].map(
      (name) => [name, g.value(`additionalOptions.${name}`)],
    );
    return post(
      'https://api.templated.io/v1/render',
      some({
        template: g.text('template'),
        format: g.text('format', 'jpg'),
        duration: g.value('duration'),
        fps: g.value('fps'),
        flatten: g.value('flatten'),
        cmyk: g.value('cmyk'),
        transparent: g.value('transparent'),
        layers:
          g.text('layersMode', 'simple') === 'json'
            ? `{{ typeOf(${json}) == "string" ? json(${json}) : ${json} }}`
            : Object.fromEntries(layers),
        ...Object.fromEntries(more),
      }),
    );
  },
};

export const brightData: Operations = {
  'marketplaceDataset.filterDataset': (g) => {
    const kind = g.text('filter_type', 'filter_single');
    const group = g.expr('filters_group', 'null');
    if (!/^filter(?:s_group|_single)$/.test(kind)) throw new NotHere(`it filters by “${kind}”`);
    const operator = g.text('field_operator', '==');
    return post('https://api.brightdata.com/datasets/filter', {
      dataset_id: g.text('dataset_id'),
      records_limit: g.value('records_limit') ?? 100,
      filter:
        kind === 'filters_group'
          ? `{{ typeOf(${group}) == "string" ? json(${group}) : ${group} }}`
          : {
              name: g.text('field_name'),
              operator: operator === '==' ? '=' : operator,
              value: g.text('field_value'),
            },
    });
  },
};
