import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import {
  type Given,
  type Last,
  post,
  type Request,
  type Service,
  type Several,
  type Steps,
  some,
} from './service.ts';

/** Services that work on a task until it is done: BrowserAct, Scrapeless, 1Shot, Explorium. */

type Operations = Service['operations'];

const BROWSER = 'https://api.browseract.com/v2/workflow';
const ENDED = '["finished", "canceled", "failed", "paused"].includes(item?.body?.status)';

const browserTask = (id: string, until: Last['until']): Last => ({
  url: `${BROWSER}/get-task`,
  query: { task_id: `{{ ${id} }}` },
  ...(until && { until }),
});

/** What the form of the workflow asks for: `input-keyword` is the input `keyword`. */
function inputsOf(g: Given): unknown[] {
  const given = g.value('workflowConfig.value');
  if (!isRecord(given)) throw new NotHere('its inputs are not set');
  return Object.entries(given)
    .filter(([name, value]) => name.startsWith('input-') && value !== '' && value !== null)
    .map(([name, value]) => ({ name: name.slice('input-'.length), value }));
}

export const browserAct: Several = {
  'workflow.runWorkflow': (g, ask) => {
    const isTemplate = g.value('templateId') !== undefined;
    for (const path of ['type', 'workflowConfig', 'open_incognito_mode']) g.seen(path);
    const started = ask(
      'start',
      isTemplate
        ? post(
            `${BROWSER}/run-task-by-template`,
            some({
              workflow_template_id: g.value('templateId'),
              input_parameters: inputsOf(g),
              proxyRegion: g.text('proxyRegion'),
            }),
          )
        : post(`${BROWSER}/run-task`, { workflow_id: g.text('workflowId'), input_parameters: inputsOf(g) }),
    );
    const until = { holds: ENDED, everySeconds: 5, seconds: g.number('timeout', 3600) };
    return browserTask(`${started}.id`, until);
  },
};

export const browserActWorkflows: Several = {
  '.': (g, ask) => {
    const request = post(
      `${BROWSER}/run-task`,
      some({
        workflow_id: g.text('workflowId'),
        input_parameters: g.list('inputParameters.parameters').map((one) => g.made(one)),
        save_browser_data: g.value('additionalFields.saveBrowserData'),
        profile_id: g.text('additionalFields.profileId'),
      }),
    );
    // Later versions can wait for the task at once, and have these times then.
    const isAwaited = ['runMaxWaitTime', 'runPollingInterval'].some((path) => g.value(path) !== undefined);
    if (!isAwaited) return request;
    const started = ask('start', request);
    return browserTask(`${started}.id`, {
      holds: ENDED,
      everySeconds: g.number('runPollingInterval', 20),
      seconds: g.number('runMaxWaitTime', 600),
    });
  },
  '.getTask': (g) => {
    const every = g.number('pollingInterval', 10);
    const most = g.number('maxWaitTime', 600);
    const isAwaited = g.value('waitForFinish') === true;
    return browserTask(
      g.expr('taskId'),
      isAwaited ? { holds: ENDED, everySeconds: every, seconds: most } : undefined,
    );
  },
};

const SCRAPELESS = 'https://api.scrapeless.com';
const BROWSER_OPTIONS = {
  proxy_country: 'ANY',
  session_name: 'Crawl',
  session_recording: true,
  session_ttl: 900,
};

const crawled =
  (what: 'scrape' | 'crawl'): Steps =>
  (g, ask) => {
    const started = ask(
      'start',
      post(`${SCRAPELESS}/api/v1/crawler/${what}`, {
        url: g.text('url'),
        ...(what === 'crawl' && { limit: g.number('limitCrawlPages', 5) }),
        browserOptions: BROWSER_OPTIONS,
      }),
    );
    return {
      url: `${SCRAPELESS}/api/v1/crawler/${what}/{{ urlEncode(${started}.id) }}`,
      until: {
        holds:
          '!["active", "paused", "pending", "queued", "waiting", "scraping"].includes(item?.body?.status)',
        everySeconds: 2,
        seconds: 600,
      },
      items: 'one?.data ?? []',
    };
  };

const scraped =
  (actor: string, fields: Readonly<Record<string, unknown>>): Steps =>
  (g, ask) => {
    const input = Object.fromEntries(
      Object.entries(fields).map(([name, usual]) => [name, g.value(name) ?? usual]),
    );
    const started = ask(
      'start',
      post(`${SCRAPELESS}/api/v1/scraper/request`, { actor, input: some(input), async: true }),
    );
    return {
      url: `${SCRAPELESS}/api/v1/scraper/result/{{ urlEncode(${started}.taskId) }}`,
      until: { holds: 'item.status == 200', everySeconds: 1, seconds: 300 },
    };
  };

export const scrapeless: Several = {
  'crawler.scrape': crawled('scrape'),
  'crawler.crawl': crawled('crawl'),
  'scrapingApi.googleSearch': scraped('scraper.google.search', {
    ...{ q: 'coffee', hl: 'en', gl: 'us', google_domain: 'google.com', location: '', start: 0, num: 10 },
    ...{ ludocid: '', kgmid: '', ibp: '', cr: '', lr: '', tbs: '', safe: '', nfpr: '', filter: '', tbm: '' },
  }),
  'scrapingApi.googleTrends': scraped('scraper.google.trends', {
    ...{ q: 'Mercedes-Benz,BMW X5', data_type: 'interest_over_time', date: 'today 1-m', hl: 'en', tz: '420' },
    ...{ geo: '', cat: '', property: '' },
  }),
};

const ONE_SHOT = 'https://api.1shotapi.com/v0';

const submitted =
  (path: string, isDelegated: boolean): Steps =>
  (g, ask) => {
    const started = ask(
      'submit',
      post(
        `${ONE_SHOT}/methods/{{ urlEncode(${g.expr('contractMethodId')}) }}/${path}`,
        some({
          params: asObject(g, 'params'),
          ...(isDelegated && { delegatorAddress: g.text('delegatorWalletAddress') }),
          walletId: g.text('additionalFields.walletId'),
          memo: g.text('additionalFields.memo'),
          value: g.text('additionalFields.value'),
          gasLimit: g.text('additionalFields.gasLimit'),
        }),
      ),
    );
    return {
      url: `${ONE_SHOT}/transactions/{{ urlEncode(${started}.id) }}`,
      until: { holds: '["Completed", "Failed"].includes(item?.body?.status)', everySeconds: 2, seconds: 600 },
    };
  };

/** JSON as a text, or what an expression gives. */
function asObject(g: Given, path: string): string {
  const given = g.expr(path, '"{}"');
  return `{{ typeOf(${given}) == "string" ? json(${given}) : ${given} }}`;
}

export const oneShotSynch: Several = {
  '.execute': submitted('execute', false),
  '.executeAsDelegator': submitted('executeAsDelegator', true),
};

const EXPLORIUM = 'https://api.explorium.ai/v1';

/** The whole body as a text of JSON, or what the form has. */
function exploriumBody(g: Given, body: () => Record<string, unknown>): unknown {
  return g.value('useJsonInput') === true ? asObject(g, 'jsonInput') : body();
}

const kindOf = (g: Given): string => g.text('type', 'businesses');

/** The fields of each of a list, without those that are empty. */
const filled = (g: Given, path: string): unknown[] =>
  g.list(path).map((one) => some(g.made(one) as Record<string, unknown>));

const idsIn = (g: Given, path: string): unknown[] => g.list(path).map(({ id }) => g.made(id ?? ''));

const ids = (g: Given): Record<string, unknown> =>
  kindOf(g) === 'businesses'
    ? { business_ids: idsIn(g, 'business_ids.business_ids') }
    : { prospect_ids: idsIn(g, 'prospect_ids.prospect_ids') };

/** Operations of the first versions have the whole body. */
const whole =
  (operation: string, path: string): Operations[string] =>
  (g) =>
    post(`${EXPLORIUM}/${path}`, asObject(g, `parameters_${operation}.body`));

export const explorium: Operations = {
  '.match-prospects': whole('match-prospects', 'prospects/match'),
  '.match-businesses': whole('match-businesses', 'businesses/match'),
  '.enrich-prospects-contacts': whole(
    'enrich-prospects-contacts',
    'prospects/contacts_information/bulk_enrich',
  ),
  '.enrich-prospects-profiles': whole('enrich-prospects-profiles', 'prospects/profiles/bulk_enrich'),
  '.fetch': (g) => {
    if (g.value('useJsonInput') !== true) throw new NotHere('it searches by the filters of a form');
    return post(
      `${EXPLORIUM}/${kindOf(g)}`,
      asObject(g, 'jsonInput'),
      g.value('extractData') === true ? { items: 'one?.data ?? []' } : {},
    );
  },
  '.match': (g) => {
    const list = kindOf(g) === 'businesses' ? 'businesses_to_match' : 'prospects_to_match';
    return post(
      `${EXPLORIUM}/${kindOf(g)}/match`,
      exploriumBody(g, () => ({ [list]: filled(g, `${list}.${list}`) })),
    );
  },
  '.events': (g): Request =>
    post(
      `${EXPLORIUM}/${kindOf(g)}/events`,
      exploriumBody(g, () =>
        some({
          ...ids(g),
          event_types:
            g.value('event_types') ??
            (kindOf(g) === 'businesses' ? ['ipo_announcement'] : ['prospect_changed_role']),
          timestamp_from: g.text('timestamp_from'),
          timestamp_to: g.text('timestamp_to'),
        }),
      ),
      g.value('extractData') === true ? { items: 'one?.output_events ?? []' } : {},
    ),
};

const ENRICHED: Readonly<Record<string, string>> = {
  'businesses firmographics': 'firmographics',
  'businesses technographics': 'technographics',
  'businesses company_ratings': 'company_ratings_by_employees',
  'businesses financial_metrics': 'financial_indicators',
  'businesses funding_and_acquisitions': 'funding_and_acquisition',
  'businesses challenges': 'pc_business_challenges_10k',
  'businesses competitive_landscape': 'pc_competitive_landscape_10k',
  'businesses strategic_insights': 'pc_strategy_10k',
  'businesses workforce_trends': 'workforce_trends',
  'businesses linkedin_posts': 'linkedin_posts',
  'businesses website_changes': 'website_changes',
  'businesses company_webstack': 'webstack',
  'businesses company_hierarchy': 'company_hierarchies',
  'prospects contacts': 'contacts_information',
  'prospects linkedin_posts': 'linkedin_posts',
  'prospects profiles': 'profiles',
};

export const exploriumSeveral: Several = {
  '.enrich': (g, ask) => {
    const kind = kindOf(g);
    const given = g.value('enrichment') ?? [kind === 'businesses' ? 'firmographics' : 'contacts'];
    if (!Array.isArray(given) || given.length === 0) throw new NotHere('its enrichments are not written out');
    const body = exploriumBody(g, () => ids(g));
    const requests = given.map((one) => {
      const path = ENRICHED[`${kind} ${String(one)}`];
      if (path === undefined) throw new NotHere(`it enriches by “${String(one)}”`);
      return post(`${EXPLORIUM}/${kind}/${path}/bulk_enrich`, body);
    });
    const before = requests.slice(0, -1).map((request, at) => ask(String(given[at]), request));
    const id = kind === 'businesses' ? 'business_id' : 'prospect_id';
    const all = [...before, 'one'].map((answer) => `...(${answer}?.data ?? [])`).join(', ');
    // What is known of one, by its id.
    const items = `{ enriched_data: entries(groupBy([${all}], "${id}")).map(pair => ({ ...pair[1][0], data: pair[1].reduce((known, found) => ({ ...known, ...found.data }), { }) })) }`;
    return { ...(requests.at(-1) as Request), items };
  },
};

/** Requests of DataForSEO: the address, the fields with their params and usual values, and a list of keywords or targets. */
interface Seo {
  readonly path: string;
  readonly fields: readonly (readonly [field: string, param: string, usual?: unknown])[];
  readonly list?: readonly [field: string, param: string];
}

const PLACE = [
  ['location_name', 'location_name'],
  ['language_name', 'language_name'],
] as const;
const PLACE_NEEDED = [
  ['location_name', 'location_name_required'],
  ['language_name', 'language_name_required'],
] as const;
const PAGE = [
  ['limit', 'limit'],
  ['offset', 'offset'],
] as const;

const SEO: Readonly<Record<string, Seo>> = {
  'labs.get-domain-rank-overview': {
    path: 'dataforseo_labs/google/domain_rank_overview/live',
    fields: [['target', 'target'], ...PLACE, ['ignore_synonyms', 'ignore_synonyms', false], ...PAGE],
  },
  'labs.get-keyword-suggestions': {
    path: 'dataforseo_labs/google/keyword_suggestions/live',
    fields: [['keyword', 'keyword'], ...PLACE_NEEDED, ['ignore_synonyms', 'ignore_synonyms', false], ...PAGE],
  },
  'labs.get-ranked-keywords': {
    path: 'dataforseo_labs/google/ranked_keywords/live',
    fields: [
      ['target', 'target'],
      // Files of earlier versions have the other names.
      ...PLACE_NEEDED,
      ...PLACE,
      ['ignore_synonyms', 'ignore_synonyms', false],
      ['item_types', 'item_types'],
      ...PAGE,
    ],
  },
  'labs.get-keyword-difficulty': {
    path: 'dataforseo_labs/google/bulk_keyword_difficulty/live',
    fields: PLACE_NEEDED,
    list: ['keywords', 'keywords'],
  },
  'labs.get-organic-traffic-stats': {
    path: 'dataforseo_labs/google/bulk_traffic_estimation/live',
    fields: [...PLACE_NEEDED, ['item_types', 'item_types']],
    list: ['targets', 'targets'],
  },
  'keywords_data.get-google-search-volume': {
    path: 'keywords_data/google_ads/search_volume/live',
    fields: [
      ...PLACE,
      ['search_partners', 'search_partners', false],
      ['include_adult_keywords', 'include_adult_keywords', false],
      ['date_from', 'date_from'],
      ['date_to', 'date_to'],
      ['sort_by', 'sort_by'],
    ],
    list: ['keywords', 'keywords'],
  },
  'serp.get-parsed-serp': {
    path: 'serp/google/organic/live/regular',
    fields: [
      ['keyword', 'keyword'],
      ...PLACE,
      ['device', 'device', 'desktop'],
      ['os', 'os'],
      ['se_domain', 'se_domain'],
      ['depth', 'depth'],
      ['target', 'target'],
    ],
  },
  'serp.get-google-ai-mode-serp': {
    path: 'serp/google/ai_mode/live/advanced',
    fields: [
      ['keyword', 'keyword'],
      ...PLACE,
      ['device', 'device'],
      ['os', 'os'],
      ['browser_screen_width', 'browser_screen_width'],
      ['browser_screen_height', 'browser_screen_height'],
      ['browser_screen_resolution_ratio', 'browser_screen_resolution_ratio'],
    ],
  },
};

export const dataForSeo: Operations = Object.fromEntries(
  Object.entries(SEO).map(([name, { path, fields, list }]) => [
    name,
    (g: Given) => {
      const known = fields.map(([field, param, usual]) => [field, filledIn(g, param) ?? usual] as const);
      const set = known.filter(([, value]) => value !== undefined && value !== '');
      const values = list && g.list(`${list[1]}.values`).map(({ value }) => g.made(value ?? ''));
      return post(`https://api.dataforseo.com/v3/${path}`, [
        { ...Object.fromEntries(set), ...(list && { [list[0]]: values }) },
      ]);
    },
  ]),
);

/** A number that was never set is an empty object in a file. */
function filledIn(g: Given, param: string): unknown {
  const value = g.value(param);
  return isRecord(value) && Object.keys(value).length === 0 ? undefined : value;
}
