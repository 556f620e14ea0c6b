/**
 * Words for settings whose schema has only names. A title or labels in the schema win. Settings of the same name mean the same
 * in all operators; a choice that means something else in one setting stands there as `setting:choice`.
 */
const TITLES: Readonly<Record<string, string>> = {
  accept: 'File types',
  attempts: 'Attempts',
  auth: 'Access',
  bodyType: 'Body type',
  catchUp: 'Missed runs',
  cpuMs: 'CPU time limit',
  cron: 'When',
  delayMs: 'Pause between rounds',
  every: 'Check every',
  existing: 'Items that exist already',
  expiresAfter: 'Deadline',
  failOn: 'Treat as error',
  fileBytes: 'Size of a file',
  filesBytes: 'Size of all files',
  idempotencyKey: 'Send an idempotency key',
  itemTimeoutMs: 'Time limit of an item',
  limits: 'Limits of a request',
  maxBytes: 'Size limit',
  maxItems: 'Maximum items',
  maxMs: 'Time limit',
  maxRows: 'Maximum rows',
  ms: 'Time',
  nothing: 'If nothing is found',
  onItemError: 'If an item fails',
  otherFields: 'Unknown fields',
  overlap: 'If still running',
  rate: 'Rate limit',
  request: 'Request fields',
  retryDelayMs: 'Pause before a retry',
  stop: 'Stop at',
  timeoutMs: 'Time limit',
  topP: 'Top P',
  ttlMs: 'Keep for',
};

const CHOICES: Readonly<Record<string, string>> = {
  '"': 'Double quote "',
  "'": "Single quote '",
  ',': 'Comma ,',
  '.': 'Point .',
  ';': 'Semicolon ;',
  '\t': 'Tab',
  '|': 'Bar |',
  'api-key': 'API key',
  'auth:none': 'Anyone',
  'auth:api-key': 'Holders of an API key',
  'by:address': 'Each address',
  'by:all': 'All calls together',
  'by:caller': 'Each caller',
  'bytes:base64': 'Text in base64',
  'bytes:object': 'Object with $bytes',
  'catchUp:all': 'Run all of them',
  'catchUp:latest': 'Run the last one',
  'catchUp:none': 'Skip them',
  'data-url': 'Data URL',
  'escape-html': 'Escape HTML',
  'existing:skip': 'Leave it out',
  'existing:start': 'Start with it',
  'from-base64': 'From base64',
  'from-hex': 'From hexadecimal',
  'from-iso-time': 'From ISO time',
  'from-url': 'Decode for URLs',
  'missing:error': 'Fail',
  'missing:fail': 'Fail',
  'missing:null': 'Set to null',
  'onItemError:collect': 'Go on and list the errors',
  'onItemError:fail': 'Stop',
  'onItemError:skip': 'Leave it out',
  'otherFields:drop': 'Drop',
  'otherFields:keep': 'Keep',
  'overlap:allow': 'Run beside it',
  'overlap:skip': 'Skip',
  'raw-sse': 'Events as written (SSE)',
  'response:auto': 'By its type',
  'result:first': 'First row',
  'result:pairs': 'Items with their results',
  'result:rows': 'All rows',
  'result:stream': 'Row by row',
  'result:values': 'Results',
  'scope:flow': 'This flow',
  'scope:node': 'This node',
  'scope:shared': 'All flows',
  'to-base64': 'To base64',
  'to-hex': 'To hexadecimal',
  'to-iso-time': 'To ISO time',
  'to-number': 'To a number',
  'to-text': 'To a text',
  'to-url': 'Encode for URLs',
  'unescape-html': 'Unescape HTML',
  'as:bytes': 'File',
  'as:request': 'As the caller asks',
  'as:sse': 'Events (SSE)',
  'as:ndjson': 'JSON lines',
  'as:text': 'Text',
  'stream:sse': 'Events (SSE)',
  'stream:ndjson': 'JSON lines',
  'documents:none': 'Only their names',
  'documents:file': 'As files',
  'documents:text': 'As text',
  'type:hmac': 'Signature',
  custom: 'Custom',
  github: 'GitHub',
  hmac: 'Signature',
  hours: 'Hours',
  javascript: 'JavaScript',
  jwt: 'Token (JWT)',
  longtext: 'Long text',
  ndjson: 'JSON lines',
  sse: 'Events (SSE)',
  typescript: 'TypeScript',
  'tools/call': 'Call a tool',
  'tools/list': 'List the tools',
  'resources/read': 'Read a resource',
  'resources/list': 'List the resources',
  'resources/templates/list': 'List the templates of resources',
  'prompts/get': 'Get a prompt',
  'prompts/list': 'List the prompts',
};

/** Written in capitals within names. */
const CAPITALS = /^(?:api|cpu|csv|html|http|id|ip|json|jwt|llm|mcp|pdf|sql|sse|uri|url|uuid|xml)$/;

/** `maxItems` as `Maximum items`, `baseUrl` as `Base URL`. */
export function settingTitle(name: string): string {
  if (Object.hasOwn(TITLES, name)) return TITLES[name] as string;
  const words = name
    .replace(/([a-z0-9])(Ms|Bytes)$/, '$1')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return capitalised(words);
}

/** What a choice of a setting is called. */
export function choiceText(setting: string, value: unknown, labels: unknown): string {
  const text = String(value);
  const own =
    typeof labels === 'object' && labels !== null && Object.hasOwn(labels, text)
      ? (labels as Record<string, unknown>)[text]
      : undefined;
  if (typeof own === 'string' && own !== '') return own;
  const known = [`${setting}:${text}`, text].find((key) => Object.hasOwn(CHOICES, key));
  if (known !== undefined) return CHOICES[known] as string;
  // Names of encodings and whatever is in capitals already are words of their own.
  if (typeof value !== 'string' || !/^[a-z]+(?:[-_ ][a-z]+)*$/.test(text)) return text;
  return capitalised(text.replaceAll(/[-_]/g, ' '));
}

function capitalised(text: string): string {
  const words = text.split(' ').map((word) => (CAPITALS.test(word) ? word.toUpperCase() : word));
  const joined = words.join(' ');
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}

/** `cases` as `case`, `branches` as `branch`. */
export function singular(word: string): string {
  if (/(?:ch|sh|ss|x)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '');
}

/** Numbers that people write with a unit: durations and sizes. The file has the plain number. */
export type Measure = 'ms' | 's' | 'bytes';

type Units = Readonly<Record<string, number>>;

const SECONDS: Units = { s: 1, min: 60, h: 3600, d: 86_400, w: 604_800 };
const SIZES: Units = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const UNITS: Readonly<Record<Measure, Units>> = {
  ms: { ms: 1, ...Object.fromEntries(Object.entries(SECONDS).map(([unit, s]) => [unit, s * 1000])) },
  s: SECONDS,
  bytes: SIZES,
};
/** Other words for a unit that people type. */
const ALSO: Readonly<Record<string, string>> = {
  m: 'min',
  mins: 'min',
  minute: 'min',
  minutes: 'min',
  sec: 's',
  second: 's',
  seconds: 's',
  hr: 'h',
  hour: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
  week: 'w',
  weeks: 'w',
  kb: 'kB',
  k: 'kB',
  mb: 'MB',
  m_: 'MB',
  gb: 'GB',
  g: 'GB',
  b: 'B',
  byte: 'B',
  bytes: 'B',
  kib: 'KiB',
  mib: 'MiB',
  gib: 'GiB',
};

/** What a number measures, as its schema or the end of its name says. */
export function measureOf(name: string, unit: unknown): Measure | undefined {
  if (unit === 'ms' || unit === 's' || unit === 'bytes') return unit;
  if (/(?:^m|M)s$/.test(name)) return 'ms';
  return /(?:^b|B)ytes$/.test(name) ? 'bytes' : undefined;
}

/** `30 s`, `90 min`, `10 MB`, `1.5 MB`, `1 MiB`: in the largest unit in which it is short, never rounded. */
export function measureText(value: number, measure: Measure): string {
  const units = Object.entries(UNITS[measure]);
  const isShort = measure === 'bytes' ? hasOneDecimal : Number.isInteger;
  const fitting = units.filter(([, size]) => Math.abs(value) >= size && isShort(value / size));
  const [unit, size] = largest(fitting) ?? units.find(([, one]) => one === 1) ?? ['', 1];
  return `${value / size} ${unit}`;
}

function hasOneDecimal(n: number): boolean {
  return Number.isInteger(n * 10);
}

function largest(units: readonly (readonly [string, number])[]): readonly [string, number] | undefined {
  return units.reduce<readonly [string, number] | undefined>(
    (found, unit) => (found === undefined || unit[1] > found[1] ? unit : found),
    undefined,
  );
}

/** The number that a text such as `30 s`, `1h 30m`, `2.5 MB` or `500` means; undefined if it means none. */
export function measureIn(text: string, measure: Measure): number | undefined {
  const compact = text.trim();
  if (/^-?[\d\s_]+$/.test(compact)) return Number(compact.replaceAll(/[\s_]/g, ''));
  const parts = [...compact.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gi)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== compact) return undefined;
  let sum = 0;
  for (const [, digits = '', word = ''] of parts) {
    const size = unitOf(word, measure);
    if (size === undefined) return undefined;
    sum += Number(digits) * size;
  }
  return Math.abs(sum - Math.round(sum)) < 1e-6 ? Math.round(sum) : sum;
}

function unitOf(word: string, measure: Measure): number | undefined {
  const units = UNITS[measure];
  if (Object.hasOwn(units, word)) return units[word];
  const lower = word.toLowerCase();
  const same = Object.keys(units).find((unit) => unit.toLowerCase() === lower);
  return units[same ?? ALSO[measure === 'bytes' && lower === 'm' ? 'm_' : lower] ?? ''];
}

/** What to write in a field of the measure. */
export const MEASURE_HINT: Readonly<Record<Measure, string>> = {
  ms: 'Write a time such as 30 s, 5 min or 2 h.',
  s: 'Write a time such as 30 s, 5 min or 2 h.',
  bytes: 'Write a size such as 500 kB or 10 MB.',
};
