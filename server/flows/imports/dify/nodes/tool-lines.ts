/** Tools of Dify's plugins that send one request to a service: the request, and the expressions of their outputs. */

export interface ToolLine {
  /** The method and the address; `{name}` in it is a parameter of the tool. */
  readonly send: string;
  /** Fields of the query, or of the body of a POST: `name`, `name=parameter`, `name:list` of a text with commas, `name:flag`, `name:number`, or `name="text"`. */
  readonly fields: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How the key goes along. */
  readonly auth?: { readonly type: 'bearer' | 'header' | 'query'; readonly name?: string };
  /** The name of the secret with the key. */
  readonly secret?: string;
  /** The outputs `text` and `json`, as expressions over the answer `A`. */
  readonly text: string;
  readonly json?: string;
  /** Its description for an agent. */
  readonly does: string;
}

const RESULTS = (list: string, url: string, text: string): string =>
  `(${list} ?? []).map((one, at) => "# Result " + (at + 1) + ": [" + (one?.title ?? "") + "](" + (one?.${url} ?? "") + ")\\n\\n" + (one?.${text} ?? "")).join("\\n\\n")`;

/** One entry a tool, by the last part of its provider and its name. */
export const toolLines: Readonly<Record<string, ToolLine>> = {
  'tavily/tavily_search': {
    send: 'POST https://api.tavily.com/search',
    fields:
      'query search_depth topic days:number max_results:number time_range include_domains:list exclude_domains:list include_answer:flag include_raw_content:flag',
    auth: { type: 'bearer' },
    secret: 'tavily_api_key',
    text: RESULTS('A?.results', 'url', 'content'),
    json: '[A]',
    does: 'Searches the web.',
  },
  'tavily/tavily_extract': {
    send: 'POST https://api.tavily.com/extract',
    fields: 'urls:list extract_depth format query',
    auth: { type: 'bearer' },
    secret: 'tavily_api_key',
    text: RESULTS('A?.results', 'url', 'raw_content'),
    json: '[A]',
    does: 'Reads web pages.',
  },
  'searxng/searxng_search': {
    send: 'GET https://searxng.example.com/search',
    fields: 'q=query format="json" categories=search_type time_range',
    text: RESULTS('A?.results', 'url', 'content'),
    json: '(A?.results ?? [])',
    does: 'Searches the web.',
  },
  'firecrawl/scrape': {
    send: 'POST https://api.firecrawl.dev/v1/scrape',
    fields:
      'url formats:list onlyMainContent:flag includeTags:list excludeTags:list waitFor:number timeout:number',
    auth: { type: 'bearer' },
    secret: 'firecrawl_api_key',
    text: '(A?.data?.markdown ?? "")',
    json: '[A]',
    does: 'Reads a web page as Markdown.',
  },
  'jina/jina_search': {
    send: 'GET https://s.jina.ai/',
    fields: 'q=query',
    auth: { type: 'bearer' },
    secret: 'jina_api_key',
    headers: { accept: 'application/json' },
    text: 'toJson(A)',
    does: 'Searches the web, and reads what it finds.',
  },
  'serper/serper_search': {
    send: 'GET https://google.serper.dev/search',
    fields: 'q=query gl="us" hl="en"',
    auth: { type: 'header', name: 'X-API-KEY' },
    secret: 'serper_api_key',
    text: RESULTS('A?.organic', 'link', 'snippet'),
    json: '[A]',
    does: 'Searches the web with Google.',
  },
  'google/google_search': {
    send: 'GET https://serpapi.com/search',
    fields: 'q=query engine="google" google_domain="google.com" num="10" gl=country_code hl=language_code',
    auth: { type: 'query', name: 'api_key' },
    secret: 'serpapi_api_key',
    text: RESULTS('A?.organic_results', 'link', 'snippet'),
    json: '[A]',
    does: 'Searches the web with Google.',
  },
  'brave/brave_search': {
    send: 'GET https://api.search.brave.com/res/v1/web/search',
    fields: 'q=query count:number',
    auth: { type: 'header', name: 'X-Subscription-Token' },
    secret: 'brave_search_api_key',
    text: RESULTS('A?.web?.results', 'url', 'description'),
    json: '(A?.web?.results ?? [])',
    does: 'Searches the web.',
  },
  'wikipedia/wikipedia_search': {
    send: 'GET https://en.wikipedia.org/w/api.php',
    fields:
      'gsrsearch=query action="query" format="json" generator="search" gsrlimit="3" prop="extracts" exintro="1" explaintext="1"',
    text: 'values(A?.query?.pages ?? { }).map(one => "Page: " + (one?.title ?? "") + "\\nSummary: " + (one?.extract ?? "")).join("\\n\\n")',
    does: 'Finds articles of Wikipedia, and gives how they begin.',
  },
  'google_translate/translate': {
    send: 'GET https://translate.googleapis.com/translate_a/single',
    fields: 'q=content tl=dest client="gtx" sl="auto" dt="t"',
    text: '(A?.[0] ?? []).map(one => one?.[0] ?? "").join("")',
    does: 'Translates a text.',
  },
  'openweather/weather': {
    send: 'GET https://api.openweathermap.org/data/2.5/weather',
    fields: 'q=city units lang',
    auth: { type: 'query', name: 'appid' },
    secret: 'openweather_api_key',
    text: 'toJson(A)',
    json: '[A]',
    does: 'Tells the weather in a city.',
  },
  'slack/send_message': {
    send: 'POST https://slack.com/api/chat.postMessage',
    fields: 'channel text thread_ts',
    auth: { type: 'bearer' },
    secret: 'slack_token',
    text: 'toJson(A)',
    json: '[A]',
    does: 'Sends a message to a channel of Slack.',
  },
  'wecom/wecom_group_bot': {
    send: 'POST https://qyapi.weixin.qq.com/cgi-bin/webhook/send',
    fields: 'msgtype="text" text.content=content',
    auth: { type: 'query', name: 'key' },
    secret: 'hook_key',
    text: 'toJson(A)',
    does: 'Sends a message to a group.',
  },
};
