/**
 * Words for settings whose schema has only names. A title or labels in the schema win. Settings of the same name mean the same
 * in all operators; a choice that means something else in one setting stands there as `setting:choice`.
 */
const TITLES: Readonly<Record<string, string>> = {
  accept: 'Reads',
  attempts: 'Attempts',
  auth: 'Access',
  bodyType: 'Body is',
  catchUp: 'Missed runs',
  cpuMs: 'CPU time limit',
  cron: 'When',
  delayMs: 'Pause between rounds',
  every: 'Look every',
  existing: 'What is there already',
  expiresAfter: 'Deadline',
  failOn: 'Treat as error',
  fileBytes: 'Size of a file',
  filesBytes: 'Size of all files',
  idempotencyKey: 'Send an idempotency key',
  itemTimeoutMs: 'Time limit of an item',
  limits: 'Limits of a request',
  maxBytes: 'Size limit',
  maxItems: 'Most items',
  maxMs: 'Time limit',
  maxRows: 'Most rows',
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
  'as:request': 'As the request asks',
  'as:sse': 'Events (SSE)',
  'as:ndjson': 'JSON lines',
  'as:text': 'Text',
  'stream:sse': 'Events (SSE)',
  'stream:ndjson': 'JSON lines',
  'documents:none': 'Only their names',
  'documents:file': 'As they are',
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
};

/** Written in capitals within names. */
const CAPITALS = /^(?:api|cpu|csv|html|http|id|ip|json|jwt|llm|mcp|pdf|sql|sse|uri|url|uuid|xml)$/;

/** `maxItems` as `Most items`, `baseUrl` as `Base URL`. */
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
