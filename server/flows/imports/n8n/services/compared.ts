/**
 * The vendor's description with which each service in lines was compared: address, method, fields, and how the body is written.
 * `testing/described.json` keeps what was found for each request, and a test holds the lines to it.
 */
interface Compared {
  /** In a sentence: “the OpenAPI document of Asana”. */
  readonly with: string;
  /** Where it was found, and its day or version. */
  readonly at: string;
  readonly of: string;
  /** The lines that it does not describe, or not whole. */
  readonly except?: readonly string[];
}

const openApi = (of: string, at: string, day: string): Compared => ({
  with: `the OpenAPI document of ${of}`,
  at,
  of: day,
});
const own = (of: string, at: string, day: string): Compared => ({
  with: `${of}’s own node`,
  at,
  of: day,
});
const google = (api: string, day: string): Compared => ({
  with: 'Google’s discovery document',
  at: `googleapis.com/discovery ${api}`,
  of: day,
});
const client = (of: string, at: string, day: string): Compared => ({
  with: `${of}’s own client library`,
  at,
  of: day,
});
const docs = (of: string, at: string, day: string): Compared => ({
  with: `the reference of ${of}`,
  at,
  of: day,
});
const ownNode: Compared = { with: 'n8n’s own node', at: 'npm n8n-nodes-base', of: 'version 2.41.2' };

const klickTipp = own('KlickTipp', 'github.com/klicktipp/n8n-community-node-klicktipp', '2026-07-07');

const oneShot = own('1Shot', 'github.com/UXlySoftware/n8n-nodes-1shot', '2025-08-13');

const customJs = own('CustomJS', 'github.com/customjs/n8n-nodes-pdf-toolkit', '2026-01-17');

export const compared: Readonly<Record<string, Compared>> = {
  clickUp: openApi('ClickUp', 'version 2, copied by github.com/bstag/ClickUpApiMcpLib', '2025-06-17'),
  trello: {
    ...openApi('Trello', 'copied by github.com/kevinhillinger/trello-mcp-server', '2026-01-30'),
    except: ['list.getCards'],
  },
  zendesk: openApi('Zendesk', 'copied by github.com/api-evangelist/zendesk', '2026-08-22'),
  salesforce: docs('Salesforce', 'developer.salesforce.com, REST API and Field Reference', 'version 67.0'),
  serviceNow: docs('ServiceNow', 'github.com/ServiceNow/ServiceNowDocs, Table API', '2026-03-12'),
  reddit: {
    ...client('Reddit', 'github.com/reddit-archive/reddit', '2017-10-16'),
    with: 'the source of its server',
  },
  hackerNews: docs('Hacker News Search', 'github.com/algolia/hn-search', '2023-08-21'),
  hunter: docs('Hunter', 'hunter.io/api-documentation/v2; github.com/hunter-io/chatgpt-mcp', '2026-08-04'),
  phantombuster: openApi('PhantomBuster', 'github.com/phantombuster/public-gists', '2026-04-30'),
  baserow: openApi('Baserow', 'version 2.2.2, copied by github.com/api-evangelist/baserow', '2026-08-22'),
  microsoftOneDrive: docs(
    'Microsoft',
    'github.com/microsoftgraph/microsoft-graph-docs-contrib',
    'version 1.0',
  ),
  nextCloud: docs('Nextcloud', 'github.com/nextcloud/documentation, WebDAV', 'version 32'),
  'n8n-nodes-serpapi.serpApi': client('SerpApi', 'github.com/serpapi/n8n-nodes-serpapi', '2026-03-26'),
  '@decodo/n8n-nodes-decodo.decodo': client('Decodo', 'github.com/Decodo/n8n-nodes-decodo', '2025-10-31'),
  '@blotato/n8n-nodes-blotato.blotato': client(
    'Blotato',
    'github.com/Blotato-Inc/n8n-nodes-blotato',
    '2026-01-29',
  ),
  asana: openApi('Asana', 'github.com/Asana/openapi', '2026-06-11'),
  todoist: client('Todoist', 'github.com/Doist/todoist-api-typescript', '2026-04-18'),
  googleTasks: google('tasks v1', '2025-11-02'),
  pipedrive: openApi(
    'Pipedrive',
    'versions 1 and 2, copied by github.com/api-evangelist/pipedrive',
    '2026-08-22',
  ),
  microsoftTeams: client('Microsoft', 'github.com/microsoftgraph/msgraph-sdk-php', '2026-07-21'),
  mattermost: openApi('Mattermost', 'github.com/mattermost/mattermost-api-reference', '2023-06-29'),
  zoom: openApi('Zoom', 'github.com/zoom/api', '2021-06-03'),
  mailchimp: openApi(
    'Mailchimp',
    'version 3.0.55, copied by github.com/api-evangelist/mailchimp',
    '2026-08-22',
  ),
  mautic: docs('Mautic', 'github.com/mautic/developer-documentation-new', '2024-10-24'),
  sendInBlue: client('Brevo', 'github.com/getbrevo/brevo-node', '2026-03-05'),
  mailgun: client('Mailgun', 'github.com/mailgun/mailgun.js', '2026-08-12'),
  highLevel: openApi('HighLevel', 'github.com/GoHighLevel/highlevel-api-docs', '2026-06-19'),
  wooCommerce: docs('WooCommerce', 'github.com/woocommerce/woocommerce-rest-api-docs', '2024-03-15'),
  shopify: client('Shopify', 'github.com/Shopify/shopify-api-js, version 2024-04', '2024-04-11'),
  quickbooks: {
    ...client('Intuit', 'github.com/intuit/QuickBooks-V3-PHP-SDK', '2026-07-17'),
    except: ['invoice.send'],
  },
  youTube: google('youtube v3', '2026-09-24'),
  spotify: openApi('Spotify', 'copied by github.com/sonallux/spotify-web-api', '2026-08-21'),
  clearbit: {
    ...client('Clearbit', 'github.com/clearbit/clearbit-node', '2023-06-12'),
    except: ['company.autocomplete'],
  },
  deepL: openApi('DeepL', 'github.com/DeepLcom/openapi', '2026-06-30'),
  jinaAi: docs('Jina', 'github.com/jina-ai/reader', '2026-05-01'),
  mistralAi: openApi('Mistral', 'github.com/mistralai/platform-docs-public', '2026-08-21'),
  nocoDb: openApi('NocoDB', 'github.com/nocodb/noco-apis-doc, version 2', '2026-08-14'),
  n8n: openApi('n8n', 'github.com/n8n-io/n8n', 'version 1.1.1'),
  gitlab: client('GitLab', 'github.com/xanzy/go-gitlab', '2024-12-10'),
  googleSlides: google('slides v1', '2026-09-21'),
  googleBigQuery: google('bigquery v2', '2026-08-11'),
  googleCloudStorage: google('storage v1', '2026-09-11'),
  dropbox: docs('Dropbox', 'github.com/dropbox/dropbox-api-spec', '2026-08-05'),
  '@apify/n8n-nodes-apify.apify': openApi('Apify', 'github.com/apify/apify-docs', '2026-08-07'),
  '@mendable/n8n-nodes-firecrawl.firecrawl': openApi(
    'Firecrawl',
    'github.com/firecrawl/firecrawl-docs, version 1',
    '2026-08-21',
  ),
  '@tavily/n8n-nodes-tavily.tavily': {
    ...client('Tavily', 'github.com/tavily-ai/tavily-python', '2026-06-10'),
    except: ['search.query'],
  },
  'n8n-nodes-scrapegraphai.scrapegraphAi': client(
    'ScrapeGraphAI',
    'github.com/ScrapeGraphAI/scrapegraph-sdk',
    '2025-12-26',
  ),
  '@brightdata/n8n-nodes-brightdata.brightData': client(
    'Bright Data',
    'github.com/brightdata/sdk-python',
    '2026-06-22',
  ),
  '@elevenlabs/n8n-nodes-elevenlabs.elevenLabs': openApi(
    'ElevenLabs',
    'github.com/elevenlabs/elevenlabs-docs',
    '2025-08-25',
  ),
  'n8n-nodes-evolution-api.evolutionApi': {
    ...openApi('Evolution API', 'github.com/EvolutionAPI/docs-evolution, version 2', '2026-02-19'),
    except: ['messages-api.send-image'],
  },
  pushover: openApi('Pushover', 'copied by github.com/api-evangelist/pushover', 'version 1.0.0'),
  signl4: openApi('SIGNL4', 'copied by github.com/api-evangelist/signl4', 'version 2'),
  gotify: openApi('Gotify', 'github.com/gotify/server', '2026-07-24'),
  rocketchat: openApi('Rocket.Chat', 'github.com/RocketChat/Rocket.Chat-Open-API', '2026-08-20'),
  matrix: openApi('Matrix', 'github.com/matrix-org/matrix-spec', '2026-07-21'),
  zulip: {
    ...client('Zulip', 'github.com/zulip/python-zulip-api', '2026-01-29'),
    except: ['message.update', 'stream.getAll', 'stream.getSubscribed', 'user.get', 'user.getAll'],
  },
  vonage: client('Vonage', 'github.com/Vonage/vonage-node-sdk', '2026-07-17'),
  sms77: client('seven', 'github.com/seven-io/js-client', '2026-05-02'),
  plivo: client('Plivo', 'github.com/plivo/plivo-node', '2026-06-12'),
  mailjet: client('Mailjet', 'github.com/mailjet/mailjet-apiv3-nodejs', '2026-08-14'),
  homeAssistant: docs(
    'Home Assistant',
    'github.com/home-assistant/developers.home-assistant, REST API',
    '2026-08-19',
  ),
  strava: {
    ...openApi('Strava', 'version 3, copied by github.com/api-evangelist/strava', '2019-12-21'),
    except: ['activity.getAll', 'activity.update'],
  },
  nasa: docs('NASA', 'github.com/nasa/api-docs', '2024-03-26'),
  bitly: docs('Bitly', 'dev.bitly.com/api-reference, as clients repeat it', 'version 4'),
  raindrop: docs('Raindrop.io', 'github.com/raindropio/developer-site', '2024-12-24'),
  bannerbear: openApi(
    'Bannerbear',
    'version 2, copied by github.com/api-evangelist/bannerbear',
    '2026-08-22',
  ),
  apiTemplateIo: client('APITemplate.io', 'github.com/APITemplate-io/apitemplateio-javascript', '2023-09-17'),
  oneSimpleApi: ownNode,
  lingvaNex: ownNode,
  coinGecko: openApi('CoinGecko', 'copied by github.com/api-evangelist/coingecko', '2026-05-04'),
  lemlist: {
    ...openApi('lemlist', 'copied by github.com/api-evangelist/lemlist', 'version 2'),
    except: [
      'activity.getAll',
      'campaign.getAll',
      'campaign.getStats',
      'lead.create',
      'lead.get',
      'lead.delete',
      'lead.unsubscribe',
      'unsubscribe.add',
      'unsubscribe.delete',
      'unsubscribe.getAll',
    ],
  },
  dropcontact: docs('Dropcontact', 'developer.dropcontact.com', 'version 1'),
  humanticAi: ownNode,
  clockify: {
    ...openApi('Clockify', 'version 1, copied by github.com/api-evangelist/clockify', '2026-07-23'),
    except: ['user.getAll'],
  },
  bubble: openApi('Bubble', 'copied by github.com/api-evangelist/bubble', 'version 1.1'),
  strapi: openApi('Strapi', 'copied by github.com/api-evangelist/strapi', 'version 5'),
  medium: docs('Medium', 'github.com/Medium/medium-api-docs', '2023-03-02'),
  urlScanIo: docs('urlscan.io', 'docs.urlscan.io', 'version 1'),
  uptimeRobot: docs('UptimeRobot', 'uptimerobot.com/api', 'version 2'),
  payPal: openApi('PayPal', 'version 1.6, copied by github.com/api-evangelist/paypal', '2026-08-22'),
  onfleet: openApi('Onfleet', 'version 2.7, copied by github.com/api-evangelist/onfleet', '2026-07-24'),
  bambooHr: {
    ...openApi('BambooHR', 'version 1, copied by github.com/api-evangelist/bamboohr', '2026-08-22'),
    except: ['employee.create'],
  },
  mailcheck: ownNode,
  travisCi: {
    ...docs('Travis CI', 'github.com/travis-ci/docs-travis-ci-com', '2025-11-18'),
    except: ['build.get', 'build.getAll', 'build.cancel', 'build.restart'],
  },
  cortex: client('TheHive Project', 'github.com/TheHive-Project/Cortex4py', '2021-06-23'),
  gong: {
    ...openApi('Gong', 'version 2, copied by github.com/api-evangelist/gong', '2026-08-22'),
    except: ['user.get', 'user.getAll'],
  },
  disqus: ownNode,
  copper: {
    ...openApi('Copper', 'version 1, copied by github.com/api-evangelist/copper', '2026-08-22'),
    except: ['lead.create', 'lead.update', 'person.create', 'task.getAll'],
  },
  sentryIo: {
    ...openApi('Sentry', 'github.com/getsentry/sentry-api-schema', '2026-08-16'),
    except: ['issue.get', 'issue.update', 'issue.delete', 'project.getAll'],
  },
  circleCi: ownNode,
  netlify: openApi('Netlify', 'github.com/netlify/open-api', '2026-05-19'),
  jenkins: ownNode,
  npm: { ...docs('npm', 'github.com/npm/registry', '2024-05-06'), except: ['distTag.getMany'] },
  grafana: ownNode,
  metabase: ownNode,
  contentful: {
    ...openApi('Contentful', 'copied by github.com/api-evangelist/contentful', '2026-08-22'),
    except: ['entry.getAll', 'asset.getAll'],
  },
  discourse: openApi('Discourse', 'github.com/discourse/discourse_api_docs', '2026-08-20'),
  beeminder: docs('Beeminder', 'github.com/beeminder/apidocs', '2026-04-22'),
  pushbullet: openApi(
    'Pushbullet',
    'version 2, copied by github.com/api-evangelist/pushbullet',
    '2026-08-22',
  ),
  pushcut: ownNode,
  messageBird: client('MessageBird', 'github.com/messagebird/messagebird-nodejs', '2023-01-25'),
  uplead: openApi('UpLead', 'version 2, copied by github.com/api-evangelist/uplead', '2026-08-22'),
  peekalink: ownNode,
  openThesaurus: ownNode,
  yourls: ownNode,
  demio: ownNode,
  tapfiliate: ownNode,
  getResponse: ownNode,
  iterable: ownNode,
  koBoToolbox: ownNode,
  wekan: ownNode,
  storyblok: ownNode,
  monicaCrm: ownNode,
  helpScout: ownNode,
  profitWell: ownNode,
  theHive: client('TheHive', 'github.com/TheHive-Project/TheHive4py', '2026-02-08'),
  twist: ownNode,
  drift: ownNode,
  rundeck: ownNode,
  theHiveProject: client('TheHive', 'github.com/TheHive-Project/TheHive4py', '2026-02-08'),
  bitwarden: {
    ...client('Bitwarden', 'github.com/bitwarden/server', '2026-08-20'),
    with: 'the source of its server',
  },
  'n8n-nodes-htmlcsstopdf.htmlcsstopdf': own('PDF Munk', 'n8n-nodes-htmlcsstopdf', 'version 3.2.9'),
  'n8n-nodes-htmlcsstoimage.htmlCssToImage': own(
    'HTML/CSS to Image',
    'n8n-nodes-htmlcsstoimage',
    'version 0.3.1',
  ),
  'n8n-nodes-verifiemail.verifiEmail': own(
    'VerifiEmail',
    'github.com/verifi-email/verifi-email-n8n-node',
    '2026-03-21',
  ),
  'n8n-nodes-klicktipp.klicktipp': klickTipp,
  'CUSTOM.klicktipp': klickTipp,
  'n8n-nodes-upload-post.uploadPost': own('Upload-Post', 'n8n-nodes-upload-post', 'version 0.1.32'),
  '@gotohuman/n8n-nodes-gotohuman.gotoHuman': own(
    'gotoHuman',
    'github.com/gotohuman/n8n-nodes-gotohuman',
    '2026-05-19',
  ),
  'n8n-nodes-postiz.postiz': own('Postiz', 'n8n-nodes-postiz', 'version 1 of its interface'),
  'n8n-nodes-aimlapi.aimlApi': own('AI/ML API', 'github.com/D1m7asis/n8n-nodes-aimlapi', '2026-01-12'),
  'n8n-nodes-browseract.browserAct': own(
    'BrowserAct',
    'github.com/browseract-ai/n8n-nodes-browseract',
    '2026-07-29',
  ),
  'n8n-nodes-browseract-workflows.browserAct': openApi('BrowserAct', 'docs.browseract.com', 'version 2'),
  'n8n-nodes-1shot.oneShot': oneShot,
  'n8n-nodes-1shot.oneShotSynch': oneShot,
  'n8n-nodes-scrapeless.scrapeless': own(
    'Scrapeless',
    'github.com/scrapeless-ai/n8n-nodes-scrapeless',
    '2026-08-05',
  ),
  '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode': own(
    'Explorium',
    'github.com/explorium-ai/n8n-nodes-explorium-api',
    '2026-01-15',
  ),
  '@brave/n8n-nodes-brave-search.braveSearch': own(
    'Brave Search',
    'github.com/brave/n8n-nodes-brave-search',
    '2026-08-05',
  ),
  '@scrapeops/n8n-nodes-scrapeops.ScrapeOps': own(
    'ScrapeOps',
    'github.com/ScrapeOps/n8n-community-node',
    '2025-12-05',
  ),
  '@vlm-run/n8n-nodes-vlmrun.vlmRun': own('VLM Run', 'github.com/vlm-run/n8n-nodes-vlmrun', '2026-01-22'),
  '@firefliesai/n8n-nodes-fireflies.fireflies': own(
    'Fireflies',
    'github.com/firefliesai/n8n-nodes-fireflies',
    '2026-03-25',
  ),
  '@custom-js/n8n-nodes-pdf-toolkit.html2Pdf': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.Html2Docx': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.CompressPDF': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.PdfToPng': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.PdfToText': customJs,
  '@custom-js/n8n-nodes-pdf-toolkit.websiteScreenshot': customJs,
  'n8n-nodes-brightdata.brightData': {
    ...own('Bright Data', 'github.com/n8nhackers/n8n-nodes-brightdata', '2025-05-23'),
    with: 'the node for Bright Data of n8nhackers',
  },
  '@easysoftware/n8n-nodes-easy-redmine.easyRedmine': own(
    'Easy Redmine',
    'github.com/easysoftware/n8n-nodes-easy-redmine',
    '2026-03-05',
  ),
  'n8n-nodes-dart.dart': own('Dart', 'n8n-nodes-dart', 'version 0.2.7'),
  'n8n-nodes-qdrant.qdrant': own('Qdrant', 'github.com/qdrant/n8n-nodes-qdrant', '2026-07-21'),
  '@bedrijfsdatanl/n8n-nodes-prospectpro.prospectpro': own(
    'ProspectPro',
    'github.com/ocjanssen/n8n-nodes-prospectpro',
    '2025-08-17',
  ),
  '@bedrijfsdatanl/n8n-nodes-bedrijfsdata.bedrijfsdata': own(
    'Bedrijfsdata.nl',
    'github.com/ocjanssen/n8n-nodes-bedrijfsdata',
    '2025-08-24',
  ),
  '@aldinokemal2104/n8n-nodes-gowa.gowa': own('GOWA', 'github.com/aldinokemal/n8n-node-gowa', '2026-04-02'),
  'n8n-nodes-supadata.supadata': own('Supadata', 'github.com/supadata-ai/n8n-nodes-supadata', '2026-02-24'),
  'n8n-nodes-templated.templated': own('Templated', 'n8n-nodes-templated', 'version 0.4.5'),
  'n8n-nodes-craftmypdf.craftMyPdf': own(
    'CraftMyPDF',
    'github.com/CraftMyPDF/n8n-nodes-craftmypdf',
    '2026-03-18',
  ),
  'n8n-nodes-dataforseo.dataForSeo': own(
    'DataForSEO',
    'github.com/dataforseo/n8n-nodes-dataforseo',
    '2026-04-21',
  ),
  'n8n-nodes-google-search-console.googleSearchConsole': {
    ...own('Google Search Console', 'github.com/mrazari/n8n-nodes-google-search-console', '2025-09-27'),
    with: 'the node for Google Search Console of mrazari',
  },
  'n8n-nodes-contextualai.contextualAi': own(
    'Contextual AI',
    'github.com/ContextualAI/n8n-nodes-contextualai',
    '2026-03-23',
  ),
  '@postpulse/n8n-nodes-postpulse.postPulse': own(
    'PostPulse',
    'github.com/PostPulse/n8n-postpulse-node',
    '2026-04-17',
  ),
  'n8n-nodes-octavehq.octave': own('Octave', 'github.com/octavehq/octave-n8n', 'commit 133c56c'),
  'n8n-nodes-sleeper.sleeper': {
    ...own('Sleeper', 'github.com/christopherjnelson/n8n-nodes-sleeper', '2026-10-03'),
    with: 'the node for Sleeper of C. J. Nelson',
  },
  '@zerobounce/n8n-nodes-zerobounce.zeroBounce': own(
    'ZeroBounce',
    'github.com/zerobounce/n8n-nodes-zerobounce',
    '2026-06-29',
  ),
  'n8n-nodes-sinergiacrm.sinergiaCrm': own(
    'SinergiaCRM',
    'github.com/Tecnologia-Solidaria/n8n-nodes-sinergiacrm',
    '2026-08-20',
  ),
  'n8n-nodes-pdfco.PDFco Api': own('PDF.co', 'github.com/pdfdotco/n8n-nodes-pdfco', '2026-07-24'),
  'n8n-nodes-connectsafely-ai.connectSafelyLinkedIn': own(
    'ConnectSafely',
    'github.com/ConnectSafelyAI/n8n-nodes-connectsafely-ai',
    '2025-12-11',
  ),
  airtop: client('Airtop', 'npmjs.com/package/@airtop/sdk', 'version 0.1.47'),
  microsoftSharePoint: docs(
    'Microsoft',
    'github.com/microsoftgraph/microsoft-graph-docs-contrib',
    'version 1.0',
  ),
  microsoftToDo: docs('Microsoft', 'github.com/microsoftgraph/microsoft-graph-docs-contrib', 'version 1.0'),
  googleContacts: client('Google', 'npmjs.com/package/@googleapis/people', 'version 8.0.0'),
  googleBusinessProfile: google(
    'mybusiness v4, copied by github.com/Consistently-co/google-apis-mybusiness_v4',
    '2023-10-04',
  ),
  googleCloudNaturalLanguage: client('Google', 'npmjs.com/package/@google-cloud/language', 'version 7.2.3'),
  googleChat: client('Google', 'npmjs.com/package/@googleapis/chat', 'version 45.0.0'),
  xero: client('Xero', 'npmjs.com/package/xero-node', 'version 20.0.0'),
  pagerDuty: openApi('PagerDuty', 'github.com/PagerDuty/api-schema', '2026-08-14'),
  zammad: docs('Zammad', 'github.com/zammad/zammad-documentation', '2026-05-04'),
  freshdesk: openApi('Freshdesk', 'copied by github.com/api-evangelist/freshdesk', '2026-08-22'),
  intercom: client('Intercom', 'npmjs.com/package/intercom-client', 'version 7.0.3'),
  googleBooks: client('Google', 'npmjs.com/package/@googleapis/books', 'version 8.0.1'),
  gSuiteAdmin: client('Google', 'npmjs.com/package/@googleapis/admin', 'version 32.1.0'),
  // It describes addresses without their fields.
  harvest: {
    ...openApi('Harvest', 'copied by github.com/api-evangelist/harvest', '2026-08-22'),
    except: [
      'client.create',
      'client.getAll',
      'task.create',
      'task.getAll',
      'project.create',
      'project.getAll',
      'timeEntry.getAll',
      'timeEntry.createByDuration',
      'timeEntry.createByStartEnd',
      'user.getAll',
    ],
  },
  box: openApi('Box', 'github.com/box/box-openapi', '2026-06-29'),
  coda: openApi('Coda', 'copied by github.com/api-evangelist/coda', '2026-08-22'),
  wise: openApi('Wise', 'copied by github.com/api-evangelist/wise', '2026-08-22'),
  elasticsearch: client('Elastic', 'npmjs.com/package/@elastic/elasticsearch', 'version 9.4.3'),
  taiga: docs('Taiga', 'github.com/taigaio/taiga-doc', '2024-04-03'),
  webflow: client('Webflow', 'npmjs.com/package/webflow-api', 'version 3.3.4'),
};

/** A sentence on what the requests of a service were compared with, followed by a space. */
export function comparisonOf(kind: string, others: readonly string[]): string {
  const { with: description, of, except = [] } = compared[kind] as Compared;
  const left = [...except, ...others].map((name) => name.replace('.', ' '));
  return `Its requests were compared with ${description} of ${of}${left.length > 0 ? `, except ${left.join(', ')}` : ''}. `;
}
