import { allLines } from './all-lines.ts';

/** How the requests of services are authenticated, for the connections that stand for credentials of n8n. */

/** Types of credentials whose key is a bearer token. */
const BEARER: ReadonlySet<string> = new Set([
  ...['aimlApi', 'airtopApi', 'apifyApi', 'asanaApi', 'bannerbearApi', 'bitlyApi', 'brightdataApi'],
  ...['browserActApi', 'bubbleApi', 'clearbitApi', 'codaApi', 'connectSafelyApi', 'contentfulApi'],
  ...[
    'contextualAiApi',
    'cortexApi',
    'dartApi',
    'driftApi',
    'facebookGraphApi',
    'firecrawlApi',
    'firefliesApi',
    'grafanaApi',
    'harvestApi',
  ],
  ...['homeAssistantApi', 'intercomApi', 'jinaAiApi', 'lingvaNexApi', 'mailcheckApi', 'matrixApi'],
  ...[
    'mattermostApi',
    'mediumApi',
    'mistralCloudApi',
    'mondayComApi',
    'monicaCrmApi',
    'netlifyApi',
    'npmApi',
    'odooApi',
  ],
  ...['peekalinkApi', 'perplexityApi', 'sendGridApi', 'sentryIoApi', 'snowflake', 'strapiTokenApi'],
  ...[
    'stripeApi',
    'taigaApi',
    'tavilyApi',
    'templatedApi',
    'theHiveApi',
    'theHiveProjectApi',
    'todoistApi',
    'vlmRunApi',
    'wekanApi',
  ],
  ...['whatsAppApi', 'wiseApi', 'zoomApi'],
]);

/** Those whose key is in a header, behind a word, if there is one; `…` is the key. */
const HEADERS: Readonly<Record<string, string>> = {
  apiTemplateIoApi: 'X-API-KEY',
  baserowTokenApi: 'Authorization: Token …',
  blotatoApi: 'blotato-api-key',
  baserowApi: 'Authorization: Token …',
  braveSearchApi: 'X-Subscription-Token',
  circleCiApi: 'Circle-Token',
  clickUpApi: 'Authorization',
  clockifyApi: 'X-Api-Key',
  copperApi: 'X-PW-AccessToken',
  craftMyPdfApi: 'X-API-KEY',
  decodoApi: 'Authorization: Basic …',
  deepLApi: 'Authorization: DeepL-Auth-Key …',
  discordBotApi: 'Authorization: Bot …',
  discourseApi: 'Api-Key',
  dropcontactApi: 'X-Access-Token',
  easyRedmineApi: 'X-Redmine-API-Key',
  elevenLabsApi: 'xi-api-key',
  evolutionApi: 'apikey',
  exploriumApi: 'API_KEY',
  getResponseApi: 'X-Auth-Token: api-key …',
  gotifyApi: 'X-Gotify-Key',
  gotoHumanApi: 'x-api-key',
  htmlcsstoimgApi: 'CLIENT-API-KEY',
  htmlcsstopdfApi: 'CLIENT-API-KEY',
  iterableApi: 'Api-Key',
  koBoToolboxApi: 'Authorization: Token …',
  linearApi: 'Authorization',
  mailchimpApi: 'Authorization: apikey …',
  messageBirdApi: 'Authorization: AccessKey …',
  metabaseApi: 'X-Metabase-Session',
  mindeeReceiptApi: 'Authorization: Token …',
  n8nApi: 'X-N8N-API-KEY',
  nocoDbApiToken: 'xc-token',
  octaveApi: 'api_key',
  pagerDutyApi: 'Authorization: Token token=…',
  pdfcoApi: 'x-api-key',
  phantombusterApi: 'X-Phantombuster-Key',
  pipedriveApi: 'x-api-token',
  postizApi: 'Authorization',
  profitWellApi: 'Authorization',
  pushcutApi: 'API-Key',
  qdrantRestApi: 'api-key',
  rocketchatApi: 'X-Auth-Token',
  rundeckApi: 'X-Rundeck-Auth-Token',
  scrapelessApi: 'X-API-Key',
  scrapegraphAIApi: 'SGAI-APIKEY',
  sendInBlueApi: 'api-key',
  shopifyAccessTokenApi: 'X-Shopify-Access-Token',
  sms77Api: 'X-Api-Key',
  supadataApi: 'x-api-key',
  tapfiliateApi: 'Api-Key',
  travisCiApi: 'Authorization: token …',
  upleadApi: 'Authorization',
  uploadPostApi: 'Authorization: Apikey …',
  urlScanIoApi: 'API-KEY',
  zammadTokenAuthApi: 'Authorization: Token token=…',
};

/** Those with a user and a password. */
const BASIC: Readonly<Record<string, string>> = {
  bambooHrApi: 'the user is the key, and the secret any text',
  dataForSeoApi: 'the user and the secret are the login and the password of the API',
  elasticsearchApi: 'with the user and the password',
  freshdeskApi: 'the user is the key, and the secret any text',
  goWhatsappApi: 'with the user and the password of the server',
  gongApi: 'the user is the access key, and the secret its secret',
  jenkinsApi: 'the secret is the token of the user',
  jiraSoftwareCloudApi: 'the user is the email address, and the secret the token',
  lemlistApi: 'the user is left empty, and the secret is the key',
  mailgunApi: 'the user is `api`, and the secret the key',
  mailjetEmailApi: 'the user is the API key, and the secret the secret key',
  mauticApi: 'with the user and the password',
  nextCloudApi: 'with the user and the password',
  onfleetApi: 'the user is the key, and the secret is left empty',
  plivoApi: 'the user is the auth ID, and the secret the auth token',
  segmentApi: 'the user is the write key, and the secret is left empty',
  shopifyApi: 'the user is the API key, and the secret the password',
  twilioApi: 'the user is the account SID, and the secret the auth token',
  uprocApi: 'the user is the email address, and the secret the key',
  vonageApi: 'the user is the API key, and the secret its secret',
  wooCommerceApi: 'the user is the consumer key, and the secret the consumer secret',
  wordpressApi: 'the secret is an application password of the user',
  zendeskApi: 'the user is the email address with `/token` behind it, and the secret the token',
  zulipApi: 'the user is the email address of the bot, and the secret its key',
};

/** Headers that the connection has besides. */
const BESIDES: Readonly<Record<string, string>> = {
  copperApi: 'X-PW-Application: developer_api` and `X-PW-UserEmail',
  discourseApi: 'Api-Username',
  rocketchatApi: 'X-User-Id',
};

const IN_ADDRESS: ReadonlySet<string> = new Set([
  ...['customJsApi', 'marketstackApi', 'openWeatherMapApi', 'scrapeOpsApi', 'signl4Api', 'telegramApi'],
  ...['verifiEmailApi'],
  ...Object.values(allLines).flatMap(({ credential, secret }) => (secret === undefined ? [] : [credential])),
]);

function way(type: string): string | undefined {
  if (BEARER.has(type)) return '`bearer`';
  if (IN_ADDRESS.has(type)) return '`address`';
  const basic = BASIC[type];
  if (basic !== undefined) return `\`basic\`: ${basic}`;
  const [header, value] = HEADERS[type]?.split(': ') ?? [];
  if (header === undefined) return undefined;
  const what = value === undefined ? '' : `, and its secret is \`${value}\`, with the key in place of \`…\``;
  return `\`header\`, with the header \`${header}\`${what}`;
}

/** The addresses of services that are the same for all. */
function addressOf(type: string): string | undefined {
  const all = Object.values(allLines).filter(({ credential }) => credential === type);
  const [address, ...others] = new Set(all.map((one) => one.address));
  return others.length === 0 && address?.startsWith('https://') === true ? address : undefined;
}

/** How a connection of the kind `http` has to be made, in sentences with a space before each; empty if it is not known. */
export function authenticationOf(type: string): string {
  const [auth, address, besides] = [way(type), addressOf(type), BESIDES[type]];
  return [
    address === undefined ? '' : ` Its address is \`${address}\`.`,
    auth === undefined ? '' : ` Its \`auth\` is ${auth}.`,
    besides === undefined
      ? ''
      : ` It also has the headers \`${besides}\`.`.replace(/headers (`[^`]*`)\.$/, 'header $1.'),
  ].join('');
}
