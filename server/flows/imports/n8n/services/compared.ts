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
  theHive: client('TheHive', 'github.com/TheHive-Project/TheHive4py', '2026-02-08'),
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
