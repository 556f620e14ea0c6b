import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { ProviderBody, ProviderId } from '#shared/model-provider.ts';
import { SecretGrants } from '#shared/secret.ts';
import type { Config, ConfigSource } from './config.ts';
import {
  bytes,
  hostName,
  httpUrl,
  integer,
  json,
  type Kind,
  list,
  onOff,
  oneOf,
  origin,
  text,
} from './config-kinds.ts';
import { isAllowEntry } from './outbound/allow-list.ts';
import { readKey } from './secrets/master-key.ts';
import { SAMPLERS } from './telemetry/sampler.ts';

/** One row of the table of settings: everything that reading, `--help` and the docs need to know. */
export interface Setting<K extends keyof Config = keyof Config> {
  /** Its name in `weft.config.json`. */
  readonly name: K;
  readonly env: string;
  readonly doc: string;
  /** What a value must be, to follow the setting's name: "must be …". */
  readonly expects: string;
  /** The default as a reader sees it. */
  readonly shown: string;
  /** Reads a text from the environment or a JSON value from the file. */
  readonly schema: z.ZodType<Config[K]>;
  readonly fallback: (source: ConfigSource) => Config[K];
  /** Its value never appears in a message. */
  readonly secret?: boolean;
}

function setting<K extends keyof Config>(
  row: Omit<Setting<K>, 'schema' | 'expects' | 'fallback'> &
    Kind<Config[K]> & { fallback: Setting<K>['fallback'] | Config[K] },
): Setting {
  const { fallback } = row;
  const full = { ...row, fallback: typeof fallback === 'function' ? fallback : () => fallback };
  // Each row is checked against its own field here; the table only needs their common form.
  return full as unknown as Setting;
}

/** Every setting of the server. */
export const settings: readonly Setting[] = [
  setting({
    name: 'port',
    env: 'WEFT_PORT',
    doc: 'Port to listen on; 0 picks a free one.',
    shown: '5670',
    fallback: 5670,
    ...integer(0, 65_535),
  }),
  setting({
    name: 'host',
    env: 'WEFT_HOST',
    doc: 'Address to listen on. Beyond loopback WEFT_ADMIN_PASSWORD is needed.',
    shown: '127.0.0.1',
    fallback: '127.0.0.1',
    ...text(),
  }),
  setting({
    name: 'flows',
    env: 'WEFT_FLOWS',
    doc: 'Folders with flow files, searched with their sub-folders; new flows go to the first.',
    shown: 'flows',
    fallback: ['flows'],
    schema: list('').schema.refine((folders) => folders.length > 0),
    expects: list('at least one folder').expects,
  }),
  setting({
    name: 'operators',
    env: 'WEFT_OPERATORS',
    doc: 'Folder with operators of your own.',
    shown: 'operators',
    fallback: 'operators',
    ...text(),
  }),
  setting({
    name: 'codeFlows',
    env: 'WEFT_CODE_FLOWS',
    doc: 'off: flows written in code (.ts files in the folders with flows) are not loaded.',
    shown: 'on',
    fallback: true,
    ...onOff(),
  }),
  setting({
    name: 'data',
    env: 'WEFT_DATA',
    doc: 'Folder for what the server keeps: keys, history, versions.',
    shown: 'data',
    fallback: 'data',
    ...text(),
  }),
  setting({
    name: 'apiKeys',
    env: 'WEFT_API_KEYS',
    doc: 'API keys that may call triggers and apps and read flows and runs. Without any, the first start makes one.',
    shown: 'none',
    fallback: [],
    secret: true,
    ...list('API keys'),
  }),
  setting({
    name: 'adminPassword',
    env: 'WEFT_ADMIN_PASSWORD',
    doc: 'Password for the editor; without one, the address printed at the start signs in.',
    shown: 'none',
    fallback: undefined,
    secret: true,
    schema: z.string().min(8),
    expects: 'must have at least 8 characters',
  }),
  setting({
    name: 'editor',
    env: 'WEFT_EDITOR',
    doc: 'off serves triggers, health and metrics only; flows are then read-only.',
    shown: 'on',
    fallback: 'on',
    ...oneOf('on', 'off'),
  }),
  setting({
    name: 'deploy',
    env: 'WEFT_DEPLOY',
    doc: 'on-save: saving a flow without errors makes it live. manual: publishing does.',
    shown: 'on-save',
    fallback: 'on-save',
    ...oneOf('on-save', 'manual'),
  }),
  setting({
    name: 'publicUrl',
    env: 'WEFT_PUBLIC_URL',
    doc: 'Address under which others reach the server, for links and for the Host check.',
    shown: 'none',
    fallback: undefined,
    schema: httpUrl,
    expects: 'must be an http or https URL',
  }),
  setting({
    name: 'allowedHosts',
    env: 'WEFT_ALLOWED_HOSTS',
    doc: 'Further names (name or name:port) that the Host header may carry.',
    shown: 'none',
    fallback: [],
    ...list('host names', hostName),
  }),
  setting({
    name: 'trustProxy',
    env: 'WEFT_TRUST_PROXY',
    doc: 'on: a proxy of yours is in front, and its Forwarded headers are true.',
    shown: 'off',
    fallback: false,
    ...onOff(),
  }),
  setting({
    name: 'corsOrigins',
    env: 'WEFT_CORS_ORIGINS',
    doc: 'Origins whose pages may call the API with a key.',
    shown: 'none',
    fallback: [],
    ...list('origins like https://example.com', origin),
  }),
  setting({
    name: 'logLevel',
    env: 'WEFT_LOG_LEVEL',
    doc: 'Least severity that is logged.',
    shown: 'info',
    fallback: 'info',
    ...oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
  }),
  setting({
    name: 'logFormat',
    env: 'WEFT_LOG_FORMAT',
    doc: 'json: one JSON object a line. pretty: for people.',
    shown: 'pretty on a terminal, else json',
    fallback: (source) => (source.terminal ? 'pretty' : 'json'),
    ...oneOf('json', 'pretty'),
  }),
  setting({
    name: 'bodyLimit',
    env: 'WEFT_BODY_LIMIT',
    doc: 'Largest body of a request.',
    shown: '10MB',
    fallback: 10 * 1024 ** 2,
    ...bytes(1024 ** 3),
  }),
  setting({
    name: 'maxRuns',
    env: 'WEFT_MAX_RUNS',
    doc: 'Runs at once; further ones are refused with 503 until some have ended.',
    shown: '1000',
    fallback: 1000,
    ...integer(1, 1_000_000),
  }),
  setting({
    name: 'runsDays',
    env: 'WEFT_RUNS_DAYS',
    doc: 'Days that ended runs are kept.',
    shown: '30',
    fallback: 30,
    ...integer(1, 36_500),
  }),
  setting({
    name: 'runsSize',
    env: 'WEFT_RUNS_SIZE',
    doc: 'Room on disk for ended runs, such as 500MB; beyond it the oldest go.',
    shown: '2GB',
    fallback: 2 * 1024 ** 3,
    ...bytes(1024 ** 4),
  }),
  setting({
    name: 'durableSync',
    env: 'WEFT_DURABLE_SYNC',
    doc: 'When a step of a durable run counts as kept: `normal` survives a killed process, `full` a power cut too (slower).',
    shown: 'normal',
    fallback: 'normal',
    ...oneOf('normal', 'full'),
  }),
  setting({
    name: 'graceMs',
    env: 'WEFT_GRACE_MS',
    doc: 'Milliseconds that a stop waits for runs in progress.',
    shown: '10000',
    fallback: 10_000,
    ...integer(0, 3_600_000),
  }),
  setting({
    name: 'outboundAllow',
    env: 'WEFT_OUTBOUND_ALLOW',
    doc: 'Where flows may send requests beyond public addresses: host, host:port, 10.0.0.0/8.',
    shown: 'none',
    fallback: [],
    ...list('hosts, host:port or blocks like 10.0.0.0/8', z.string().refine(isAllowEntry)),
  }),
  setting({
    name: 'code',
    env: 'WEFT_CODE',
    doc: 'on: code nodes run in V8 isolates, in QuickJS where there is no binary. quickjs: always there, slower. off: not at all.',
    shown: 'on',
    fallback: 'on',
    ...oneOf('on', 'quickjs', 'off'),
  }),
  setting({
    name: 'secretsKey',
    env: 'WEFT_SECRETS_KEY',
    doc: 'Key of the stored secrets, 32 bytes in base64 or hexadecimal (openssl rand -base64 32).',
    shown: 'secrets.key in the data folder, made when needed',
    fallback: undefined,
    secret: true,
    schema: z.string().refine((key) => readKey(key) !== undefined),
    expects: 'must be 32 bytes in base64 or hexadecimal, as `openssl rand -base64 32` makes them',
  }),
  setting({
    name: 'grants',
    env: 'WEFT_GRANTS',
    doc: 'Who may use secrets of the environment: {"name": {"hosts": ["api.example.com"]}}; also operators, flows.',
    shown: 'none',
    fallback: {},
    ...json(
      z.record(z.string().regex(ID_PATTERN), SecretGrants),
      'grants by name, like {"openai": {"hosts": ["api.openai.com"]}}',
    ),
  }),
  setting({
    name: 'providers',
    env: 'WEFT_PROVIDERS',
    doc: 'Providers of models by id, as PUT /api/v1/providers/{id} takes them; docs/models.md shows some.',
    shown: 'none',
    fallback: {},
    // A key that somebody wrote in here by mistake is not repeated.
    secret: true,
    ...json(
      z.record(ProviderId, ProviderBody),
      'providers by id, like {"local": {"type": "ollama", "models": [{"name": "llama3"}]}}',
    ),
  }),
  setting({
    name: 'model',
    env: 'WEFT_MODEL',
    doc: 'The model that is asked where none is named: <provider>/<model>.',
    shown: 'the first one of the first provider, demo/chat without any',
    fallback: undefined,
    ...text(),
  }),
  setting({
    name: 'otlpEndpoint',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    doc: 'Where traces of runs are sent to over OTLP/HTTP, such as http://localhost:4318; docs/observability.md.',
    shown: 'none: no traces',
    fallback: undefined,
    schema: httpUrl,
    expects: 'must be an http or https URL',
  }),
  setting({
    name: 'otelServiceName',
    env: 'OTEL_SERVICE_NAME',
    doc: 'What this server is called in traces.',
    shown: 'weft',
    fallback: 'weft',
    ...text(),
  }),
  setting({
    name: 'tracesSampler',
    env: 'OTEL_TRACES_SAMPLER',
    doc: 'Which runs are traced: always_on, always_off, traceidratio, or parentbased_ and one of them.',
    shown: 'parentbased_always_on',
    fallback: 'parentbased_always_on',
    ...oneOf(...SAMPLERS),
  }),
  setting({
    name: 'tracesSamplerArg',
    env: 'OTEL_TRACES_SAMPLER_ARG',
    doc: 'Share of the runs that traceidratio traces, 0 to 1.',
    shown: '1',
    fallback: 1,
    schema: z.coerce.number().min(0).max(1),
    expects: 'must be a number from 0 to 1',
  }),
];
