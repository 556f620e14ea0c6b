import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { ModelAliases, ProviderBody, ProviderId } from '#shared/model-provider.ts';
import { SecretGrants } from '#shared/secret.ts';
import { cluster } from './cluster-settings.ts';
import { isFlowSource } from './git-address.ts';
import { outside } from './outside-settings.ts';
import { readKey } from '../secrets/master-key.ts';
import {
  bytes,
  httpUrl,
  integer,
  json,
  list,
  namedFolders,
  number,
  onOff,
  oneOf,
  optional,
  type Setting,
  setting,
  text,
} from './setting.ts';

const origin = z.url({ protocol: /^https?$/ }).refine((value) => new URL(value).origin === value);
function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const hostName = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/);

const secretsKeyText = text(
  z.string().refine((key) => readKey(key) !== undefined),
  '32 bytes in base64 or hexadecimal, such as from `openssl rand -base64 32`',
);

const flowSource = text(
  z.string().refine(isFlowSource),
  'database, folders, or an address like git+https://host/flows.git#branch without user and password (git+ssh and git+file too)',
);

const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/*
 * Every setting of the server, by its name in `weft.config.json`: variable, kind, default, help. The type `Config`,
 * `--help` and docs/reference/settings.md are derived from these lines.
 */

const access = {
  port: setting('WEFT_PORT', integer(0, 65_535), 5670, 'Port to listen on; 0 picks a free one.'),
  host: setting(
    'WEFT_HOST',
    text(),
    '127.0.0.1',
    'Address to listen on. An address other than loopback requires WEFT_ADMIN_PASSWORD.',
  ),
  publicUrl: optional(
    'WEFT_PUBLIC_URL',
    httpUrl,
    'Public address of the server, for links and for the Host check.',
  ),
  triggerOrigin: optional(
    'WEFT_TRIGGER_ORIGIN',
    {
      ...text(origin, 'an origin like https://flows.example.com, without a path'),
      shown: 'the origin of the editor',
    },
    'Separate origin for triggers and wait pages, like https://flows.example.com or http://127.0.0.1:5671; the editor and the API are not served there.',
  ),
  allowedHosts: setting(
    'WEFT_ALLOWED_HOSTS',
    list('host names', hostName),
    [],
    'More names (name or name:port) that the Host header may contain.',
  ),
  trustProxy: setting(
    'WEFT_TRUST_PROXY',
    onOff(),
    false,
    'on: the server is behind your own proxy and trusts its Forwarded headers.',
  ),
  corsOrigins: setting(
    'WEFT_CORS_ORIGINS',
    list('origins like https://example.com', origin),
    [],
    'Origins whose pages may call the API with a key.',
  ),
  apiKeys: setting(
    'WEFT_API_KEYS',
    { ...list('API keys'), secret: true },
    [],
    'API keys that may call triggers and apps and read flows and runs. If there are none, the first start creates one.',
  ),
  adminPassword: optional(
    'WEFT_ADMIN_PASSWORD',
    { ...text(z.string().min(8), 'a text of at least 8 characters'), secret: true },
    'Password for the editor; without one, people sign in with the address printed at the start.',
  ),
  editor: setting(
    'WEFT_EDITOR',
    oneOf('on', 'off'),
    'on',
    'off: serves only what programs call (triggers, chat, MCP, questions to people), health and metrics; flows are read-only.',
  ),
};

const folders = {
  flows: setting(
    'WEFT_FLOWS',
    list('at least one folder', undefined, 1),
    ['flows'],
    'Folders with flow files, including their sub-folders; new flows are stored in the first one.',
  ),
  flowsFrom: optional(
    'WEFT_FLOWS_FROM',
    { ...flowSource, shown: 'database with WEFT_DATABASE_URL, else the folders of WEFT_FLOWS', secret: true },
    'Where flows come from. folders: those of WEFT_FLOWS, which nothing then writes to, such as those of an image. git+https://host/flows.git#branch, or #branch:folder: a git repository, which needs a database. See docs/cluster.md.',
  ),
  flowsCredentials: optional(
    'WEFT_FLOWS_CREDENTIALS',
    {
      ...text(z.string().regex(/^[^:\s]+:\S+$/), 'a user and a password or token, like user:token'),
      secret: true,
    },
    'User and password or token for the git repository of WEFT_FLOWS_FROM, by https: `user:token`.',
  ),
  flowsPullMs: setting(
    'WEFT_FLOWS_PULL_MS',
    integer(1000, 86_400_000),
    60_000,
    'Milliseconds between two looks at the git repository of WEFT_FLOWS_FROM; `POST /api/v1/flows/pull` looks at once.',
  ),
  operators: setting('WEFT_OPERATORS', text(), 'operators', 'Folder with your own operators.'),
  packages: setting(
    'WEFT_PACKAGES',
    list('names of npm packages', z.string().regex(PACKAGE_NAME)),
    [],
    'Npm packages with operators, installed in the folder where the server runs, or beside Weft itself; `weft add` installs them (docs/packages.md).',
  ),
  codeFlows: setting(
    'WEFT_CODE_FLOWS',
    onOff(),
    true,
    'off: flows written in code (.ts files in the flows folders) are not loaded.',
  ),
  data: setting(
    'WEFT_DATA',
    text(),
    'data',
    'Folder where the server stores its data: keys, history, versions.',
  ),
  folders: setting(
    'WEFT_FOLDERS',
    namedFolders(),
    {},
    'Folders whose files flows may read, write, list and delete, by name: `reports=/srv/reports,inbox=in`. Not the folders of data, flows or operators.',
  ),
  schedules: setting(
    'WEFT_SCHEDULES',
    oneOf('auto', 'on', 'off'),
    'auto',
    'auto: schedules and sources start runs unless another server starts those of the same flows folder. on: they do in any case. off: they never do.',
  ),
  deploy: setting(
    'WEFT_DEPLOY',
    oneOf('on-save', 'manual'),
    'on-save',
    'Decides for saves that do not say whether they publish, such as those of scripts; the editor always saves drafts. on-save: a flow without errors goes live when it is saved. manual: it goes live when it is published.',
  ),
};

const runs = {
  bodyLimit: setting(
    'WEFT_BODY_LIMIT',
    bytes(1024 ** 3),
    10 * 1024 ** 2,
    'Largest body of a request with a key. Chat accepts twice as much; requests without a key are limited to 1 MB.',
  ),
  bodyBudget: setting(
    'WEFT_BODY_BUDGET',
    bytes(1024 ** 4),
    48 * 1024 ** 2,
    'Bytes of request bodies in memory at once; above this the slowest large ones are refused with 503.',
  ),
  maxConnections: setting(
    'WEFT_MAX_CONNECTIONS',
    integer(1, 1_000_000),
    256,
    'Most connections at once from one address, and most websockets; connections from this machine are not limited.',
  ),
  timezone: setting(
    'WEFT_TIMEZONE',
    text(z.string().refine(isTimezone), 'a time zone like Europe/Oslo or UTC'),
    'UTC',
    'Time zone in which expressions read and write times in flows that do not set `settings.timezone`.',
  ),
  maxRuns: setting(
    'WEFT_MAX_RUNS',
    integer(1, 1_000_000),
    1000,
    'Maximum runs at once; further ones are refused with 503 until some have ended. One flow gets at most 80 % of them while others need some.',
  ),
  runsDays: setting('WEFT_RUNS_DAYS', integer(1, 36_500), 30, 'Days for which ended runs are stored.'),
  runsSize: setting(
    'WEFT_RUNS_SIZE',
    bytes(1024 ** 4),
    2 * 1024 ** 3,
    'Disk space for ended runs and their files, such as 500MB; above this the oldest are deleted.',
  ),
  guestFiles: setting(
    'WEFT_GUEST_FILES',
    bytes(1024 ** 4),
    5_000_000_000,
    'Disk space for files that people without a login sent in the last day or two, with forms and public chat pages; one address gets a tenth of it. Above this they get 503 `uploads_full`.',
  ),
  diskReserve: setting(
    'WEFT_DISK_RESERVE',
    bytes(1024 ** 4),
    1024 ** 3,
    'Space on the disk of the data folder that files do not take, so that flows and runs can still be stored: with less, or with less than 5 % of the disk if that is smaller, files are refused with 503 `disk_low`.',
  ),
  cacheSize: setting(
    'WEFT_CACHE_SIZE',
    bytes(1024 ** 4),
    256 * 1024 ** 2,
    'Disk space for outputs of nodes with `"cache": { "keep": "disk" }`; above this the oldest are deleted.',
  ),
  durableSync: setting(
    'WEFT_DURABLE_SYNC',
    oneOf('normal', 'full'),
    'normal',
    'How safely each step of a durable run is stored: `normal` survives a killed process, `full` also a power cut (slower).',
  ),
  streamIdleMs: setting(
    'WEFT_STREAM_IDLE_MS',
    integer(1000, 86_400_000),
    60_000,
    'Milliseconds without an item after which a streamed answer ends, unless its flow has a `settings.timeoutMs`; and in which a client that takes nothing of one loses its connection.',
  ),
  streamMs: setting(
    'WEFT_STREAM_MS',
    integer(1000, 86_400_000),
    900_000,
    'Milliseconds that a streamed answer may take in all, unless its flow has a `settings.timeoutMs`, which then holds instead.',
  ),
  drainMs: setting(
    'WEFT_DRAIN_MS',
    integer(0, 600_000),
    0,
    'Milliseconds for which the server, told to stop, still serves everything while `/readyz` answers 503, so that load balancers send requests elsewhere first. WEFT_GRACE_MS begins after it.',
  ),
  graceMs: setting(
    'WEFT_GRACE_MS',
    integer(0, 3_600_000),
    10_000,
    'Milliseconds that the server waits for runs in progress when it stops.',
  ),
};

const reach = {
  ...outside,
  code: setting(
    'WEFT_CODE',
    oneOf('on', 'quickjs', 'off'),
    'on',
    'on: code nodes run in V8 isolates, or in QuickJS if V8 isolates are not available. quickjs: always in QuickJS, slower. off: code nodes do not run.',
  ),
  codeHost: optional(
    'WEFT_CODE_HOST',
    {
      schema: z
        .string()
        .regex(/^unix:\/.+$/)
        .transform((address) => address.slice('unix:'.length)),
      expects: 'an address like unix:/run/weft/code.sock',
      shown: 'none: the server starts the sandbox itself',
    },
    'Socket of a sandbox that runs apart from the server, as another user or in another container: `node server/code-host.js` (docs/deploy/README.md).',
  ),
  secretsKey: optional(
    'WEFT_SECRETS_KEY',
    {
      ...secretsKeyText,
      shown: 'secrets.key in the data folder, created when needed',
      secret: true,
    },
    'Key that encrypts the stored secrets.',
  ),
  secretsKeyNext: optional(
    'WEFT_SECRETS_KEY_NEXT',
    { ...secretsKeyText, shown: 'none', secret: true },
    'The key that is to replace WEFT_SECRETS_KEY, for all servers of a database: `weft secrets rotate` replaces it without a stop. See docs/cluster.md.',
  ),
  grants: setting(
    'WEFT_GRANTS',
    json(
      z.record(z.string().regex(ID_PATTERN), SecretGrants),
      'grants by name, like {"openai": {"hosts": ["api.openai.com"]}}',
    ),
    {},
    'Grants of the secrets from the environment: which hosts, operators and flows may use each.',
  ),
};

const models = {
  providers: setting(
    'WEFT_PROVIDERS',
    {
      ...json(
        z.record(ProviderId, ProviderBody),
        'providers by id, like {"local": {"type": "ollama", "models": [{"name": "llama3"}]}}',
      ),
      // The value may contain a key by mistake, so it is not repeated.
      secret: true,
    },
    {},
    'Providers of models, in the format of PUT /api/v1/providers/{id}; docs/models.md has examples. Providers from the editor are stored in the data folder.',
  ),
  model: optional(
    'WEFT_MODEL',
    { ...text(), shown: 'the first model of the first provider; demo/chat without providers' },
    'Model for requests that name none: `<provider>/<model>`.',
  ),
  modelAliases: setting(
    'WEFT_MODEL_ALIASES',
    json(ModelAliases, 'models by alias, like {"chatgpt_proxyllm": "openai/gpt-4o-mini"}'),
    {},
    'Aliases that clients may use for models, in addition to those set in the editor.',
  ),
  followUps: setting(
    'WEFT_KNOWLEDGE_FOLLOW_UPS',
    oneOf('model', 'words', 'off'),
    'model',
    'How chats with a knowledge space make a question searchable that depends on the conversation. `model`: the answering model rewrites it, in one short call; `words`: names and words of the last messages are added; `off`: it is searched for as it is.',
  ),
};

/** Settings of traces have their standard names. */
const logs = {
  logLevel: setting(
    'WEFT_LOG_LEVEL',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
    'info',
    'Lowest severity that is logged.',
  ),
  logFormat: setting(
    'WEFT_LOG_FORMAT',
    { ...oneOf('json', 'pretty'), shown: 'pretty on a terminal, otherwise json' },
    ({ terminal }) => (terminal ? 'pretty' : 'json'),
    'json: one JSON object per line. pretty: for people.',
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    { ...httpUrl, shown: 'none: no traces' },
    'Address that receives traces of runs over OTLP/HTTP, such as http://localhost:4318; see docs/observability.md.',
  ),
  otelServiceName: setting('OTEL_SERVICE_NAME', text(), 'weft', 'Name of this server in traces.'),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    'parentbased_always_on',
    'Which runs are traced.',
  ),
  tracesSamplerArg: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    number(0, 1),
    1,
    'Fraction of the runs that traceidratio traces.',
  ),
};

/** The settings by the headings of their page. */
export const settingGroups: Readonly<Record<string, Readonly<Record<string, Setting>>>> = {
  'Addresses and access': access,
  'Folders and flows': folders,
  'Database, processes and servers': cluster,
  'Requests and runs': runs,
  'Outbound requests, code and secrets': reach,
  Models: models,
  'Logs and traces': logs,
};

export const settings = { ...access, ...folders, ...cluster, ...runs, ...reach, ...models, ...logs };

type Values<S> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

/** Settings of the server, read once (see `readConfig`). Paths are absolute, sizes in bytes. */
export interface Config extends Values<typeof settings> {
  /** Values of WEFT_SECRET_<NAME>, by name in lower case. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Where each setting that does not have its default comes from. */
  readonly sources?: Readonly<Record<string, 'environment' | 'file'>>;
  /** Set if this process is one of several started by a supervisor. */
  readonly process?: OneOfProcesses;
}

/**
 * One of the processes of `WEFT_PROCESSES`. Its `data` is a folder of its own inside the configured data folder, except for the
 * first one without a database, which uses the configured folder.
 */
export interface OneOfProcesses {
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** The configured data folder, which all of them share. */
  readonly shared: string;
  /** A folder of its own inside that one, which it locks. */
  readonly own: string;
}
