import { shellWords } from './shell-words.ts';

/** A parsed curl command; parts without a counterpart in a request are listed in `notes`. */
export interface CurlCommand {
  method: string | undefined;
  url: string | undefined;
  /** In the given order; names as they were written. */
  readonly headers: [name: string, value: string][];
  /** Texts of `-d` and similar options; joined by `&` they are the body. */
  readonly data: string[];
  /** Fields of `-F`. */
  readonly form: string[];
  json: boolean;
  user: string | undefined;
  /** How requests are signed with the password of the user: `digest`, or `aws` with `provider:service:region:…` as in the command. */
  signs: readonly ['digest' | 'aws', string] | undefined;
  /** `-G`: the data go into the address. */
  get: boolean;
  maxTimeMs: number | undefined;
  maxRedirects: number | undefined;
  readonly notes: string[];
}

/** Parses a command line that starts with `curl`; a text says why it is invalid. */
export function readCurlCommand(text: string): CurlCommand | string {
  const words = shellWords(text.trim().replace(/^\$ /, ''));
  if (words === undefined) return 'A quote is not closed.';
  if (!/(?:^|\/)curl(?:\.exe)?$/.test(words[0] ?? ''))
    return 'This is not a curl command: it must start with curl.';
  const command: CurlCommand = {
    method: undefined,
    url: undefined,
    headers: [],
    data: [],
    form: [],
    json: false,
    user: undefined,
    signs: undefined,
    get: false,
    maxTimeMs: undefined,
    maxRedirects: undefined,
    notes: [],
  };
  // From the end, since taking the first of many words moves all others.
  const rest = words.slice(1).reverse();
  while (rest.length > 0) readWord(command, rest);
  return command.url === undefined ? 'The command has no address.' : command;
}

type Take = (command: CurlCommand, value: string) => void;

const addData: Take = (command, value) => {
  if (value.startsWith('@'))
    note(
      command,
      `The body comes from the file ${value.slice(1)}, which cannot be read here; put it in by hand.`,
    );
  else command.data.push(value);
};

const takers: Readonly<Record<string, Take>> = {
  request: (command, value) => void (command.method = value.toUpperCase()),
  url: (command, value) => void (command.url = value),
  header: addHeader,
  data: addData,
  'data-ascii': addData,
  'data-binary': addData,
  'data-raw': (command, value) => void command.data.push(value),
  'data-urlencode': (command, value) => void command.data.push(urlEncoded(command, value)),
  json(command, value) {
    command.json = true;
    addData(command, value);
  },
  form: (command, value) => void command.form.push(value),
  'form-string': (command, value) => void command.form.push(value),
  user: (command, value) => void (command.user = value),
  'user-agent': (command, value) => void command.headers.push(['user-agent', value]),
  referer: (command, value) => void command.headers.push(['referer', value]),
  'oauth2-bearer': (command, value) => void command.headers.push(['authorization', `Bearer ${value}`]),
  cookie: (command, value) =>
    value.includes('=')
      ? void command.headers.push(['cookie', value])
      : note(command, 'Cookies from a file are left out.'),
  'max-time': (command, value) => void (command.maxTimeMs = Math.round(Number(value) * 1000) || undefined),
  'max-redirs': (command, value) =>
    void (command.maxRedirects = Math.max(0, Number.parseInt(value, 10)) || 0),
  proxy: (command) =>
    note(
      command,
      'The proxy is that of the server (WEFT_PROXY) or of the connection; `--proxy` is left out.',
    ),
  'aws-sigv4': (command, value) => void (command.signs = ['aws', value]),
  ...Object.fromEntries(
    ['cert', 'key', 'cacert'].map((name): [string, Take] => [
      name,
      (command) =>
        note(command, `Certificates are settings of an HTTP connection; \`--${name}\` is left out.`),
    ]),
  ),
  'upload-file': (command) =>
    note(command, 'A file to upload cannot be read here; `--upload-file` is left out.'),
  retry: (command) => note(command, '`--retry` is left out: set “Retry” of the node instead.'),
};

/** Options with a value that affect the terminal or the connection, not the request. */
const ignoredWithValue = new Set(
  'output,write-out,connect-timeout,cookie-jar,config,interface,limit-rate,max-filesize,retry-delay,retry-max-time,stderr,trace,trace-ascii,dump-header,speed-limit,speed-time,keepalive-time'.split(
    ',',
  ),
);

const flags: Readonly<Record<string, (command: CurlCommand) => void>> = {
  get: (command) => void (command.get = true),
  digest: (command) => void (command.signs = ['digest', '']),
  head: (command) => void (command.method ??= 'HEAD'),
  insecure: (command) => note(command, 'Certificates are always checked; `--insecure` is left out.'),
};

const ignoredFlags = new Set(
  'location,compressed,silent,show-error,verbose,include,fail,fail-with-body,globoff,remote-name,no-buffer,http1.0,http1.1,http2,http3,ipv4,ipv6,tlsv1.2,tlsv1.3,progress-bar,no-progress-meter,path-as-is,tcp-nodelay,location-trusted'.split(
    ',',
  ),
);

const letters: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  F: 'form',
  u: 'user',
  A: 'user-agent',
  e: 'referer',
  b: 'cookie',
  m: 'max-time',
  x: 'proxy',
  E: 'cert',
  T: 'upload-file',
  o: 'output',
  w: 'write-out',
  c: 'cookie-jar',
  K: 'config',
  D: 'dump-header',
  G: 'get',
  I: 'head',
  k: 'insecure',
  L: 'location',
  s: 'silent',
  S: 'show-error',
  v: 'verbose',
  i: 'include',
  f: 'fail',
  g: 'globoff',
  O: 'remote-name',
  N: 'no-buffer',
  4: 'ipv4',
  6: 'ipv6',
  0: 'http1.0',
  '#': 'progress-bar',
};

function readWord(command: CurlCommand, rest: string[]): void {
  const word = rest.pop() ?? '';
  if (word.startsWith('--')) {
    const [name = '', ...value] = word.slice(2).split('=');
    readOption(command, name, rest, value.length > 0 ? value.join('=') : undefined);
  } else if (word.startsWith('-') && word.length > 1) readLetters(command, word.slice(1), rest);
  else if (command.url === undefined) command.url = word;
  else note(command, `Only the first address is used, not ${word}.`);
}

/** `-sSL`, `-XPOST`, `-d@file`: after a letter that takes a value, the rest of the word is the value. */
function readLetters(command: CurlCommand, word: string, rest: string[]): void {
  for (let at = 0; at < word.length; at++) {
    const name = letters[word.charAt(at)];
    if (name === undefined)
      return note(command, `The option -${word.charAt(at)} is unknown and was left out.`);
    const tail = word.slice(at + 1);
    if (takesValue(name)) return readOption(command, name, rest, tail === '' ? undefined : tail);
    readOption(command, name, rest, undefined);
  }
}

function takesValue(name: string): boolean {
  return Object.hasOwn(takers, name) || ignoredWithValue.has(name);
}

function readOption(command: CurlCommand, name: string, rest: string[], attached: string | undefined): void {
  if (takesValue(name)) {
    const value = attached ?? rest.pop() ?? '';
    if (Object.hasOwn(takers, name)) takers[name]?.(command, value);
  } else if (Object.hasOwn(flags, name)) flags[name]?.(command);
  else if (!ignoredFlags.has(name)) note(command, `The option --${name} is unknown and was left out.`);
}

function addHeader(command: CurlCommand, text: string): void {
  const [, name, value = ''] = /^([^:;]+)[:;]\s*([^]*)$/.exec(text) ?? [];
  if (name === undefined) note(command, `\`${text}\` is not a header and was left out.`);
  else command.headers.push([name.trim(), value.trim()]);
}

/** `content`, `=content`, `name=content`; with `@` the content is that of a file. */
function urlEncoded(command: CurlCommand, text: string): string {
  const [, name = '', sign, content = ''] = /^([^=@]*)([=@])([^]*)$/.exec(text) ?? [];
  if (sign === undefined) return encodeURIComponent(text);
  if (sign === '@') note(command, `The file ${content} cannot be read here; put its content in by hand.`);
  const value = sign === '@' ? '' : encodeURIComponent(content);
  return name === '' ? value : `${name}=${value}`;
}

function note(command: CurlCommand, text: string): void {
  command.notes.push(text);
}
