import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { settings as table } from './config.ts';
import { helpText } from './config-help.ts';
import { ConfigError, readConfig, packageFolder } from './read-config.ts';
import { tempFolder } from '../../testing/platform-bed.ts';

const settings = Object.values(table);
const nowhere = '/nonexistent';

function read(env: Record<string, string> = {}, cwd = nowhere, terminal = false) {
  return readConfig({ env, cwd, terminal });
}

function mistakes(env: Record<string, string>, cwd = nowhere): readonly string[] {
  try {
    read(env, cwd);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

test('a package is in the working folder, or else beside Weft', async () => {
  const [cwd, beside] = [await tempFolder(), join(await tempFolder(), 'node_modules')];
  const own = join(cwd, 'node_modules/weft-x');
  expect(packageFolder('weft-x', cwd, beside)).toBe(own);
  await mkdir(join(beside, 'weft-x'), { recursive: true });
  expect(packageFolder('weft-x', cwd, beside)).toBe(join(beside, 'weft-x'));
  await mkdir(own, { recursive: true });
  expect(packageFolder('weft-x', cwd, beside)).toBe(own);
  expect(read({ WEFT_PACKAGES: 'weft-x' }, cwd).config.packages).toEqual([own]);
});

test('without any setting the server serves this machine from the current folder', () => {
  const { config, warnings } = read();
  expect(warnings).toEqual([]);
  // docs/reference/settings.md, which is generated, lists the other defaults.
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 5670,
    flows: [resolve(nowhere, 'flows')],
    operators: resolve(nowhere, 'operators'),
    data: resolve(nowhere, 'data'),
    editor: 'on',
    trustProxy: false,
    logFormat: 'json',
    apiKeys: [],
    adminPassword: undefined,
    outboundAllow: [],
    secrets: {},
  });
});

test('the environment sets everything', () => {
  const { config } = read({
    WEFT_PORT: '0',
    WEFT_HOST: '0.0.0.0',
    WEFT_FLOWS: 'a, /b',
    WEFT_API_KEYS: 'first-key-of-sixteen,second-key-of-sixteen',
    WEFT_ADMIN_PASSWORD: 'correct horse',
    WEFT_TRUST_PROXY: 'on',
    WEFT_CORS_ORIGINS: 'https://a.example,http://localhost:3000',
    WEFT_BODY_LIMIT: '2MB',
    WEFT_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  });
  expect(config).toMatchObject({
    otlpEndpoint: 'http://localhost:4318',
    tracesSampler: 'traceidratio',
    tracesSamplerArg: 0.01,
    port: 0,
    host: '0.0.0.0',
    flows: [resolve(nowhere, 'a'), '/b'],
    apiKeys: ['first-key-of-sixteen', 'second-key-of-sixteen'],
    trustProxy: true,
    corsOrigins: ['https://a.example', 'http://localhost:3000'],
    bodyLimit: 2_097_152,
    logLevel: 'debug',
  });
});

test('weft.config.json sets what the environment does not, with JSON values', async () => {
  const cwd = await tempFolder();
  await writeFile(
    join(cwd, 'weft.config.json'),
    '{"port": 7000, "maxRuns": 5, "flows": ["x"], "trustProxy": true}',
  );
  const { config } = read({ WEFT_PORT: '7001', WEFT_MAX_RUNS: '' }, cwd);
  expect(config).toMatchObject({ port: 7001, maxRuns: 5, flows: [join(cwd, 'x')], trustProxy: true });
});

test('logs are for people on a terminal by default', () => {
  expect(read({}, nowhere, true).config.logFormat).toBe('pretty');
  expect(read({ WEFT_LOG_FORMAT: 'json' }, nowhere, true).config.logFormat).toBe('json');
});

test('a proxy is an address without credentials, which are a setting of their own', () => {
  const { config } = read({
    WEFT_PROXY: 'socks5://proxy.example:1080',
    WEFT_PROXY_CREDENTIALS: 'ada:with:colons',
    WEFT_NO_PROXY: '.corp.example, 10.0.0.0/8,*.b.example:8443,*',
  });
  expect(config).toMatchObject({
    proxy: 'socks5://proxy.example:1080',
    proxyCredentials: 'ada:with:colons',
    noProxy: ['.corp.example', '10.0.0.0/8', '*.b.example:8443', '*'],
    proxyDns: 'local',
  });
  for (const proxy of [
    'proxy.example:3128',
    'ftp://proxy',
    'http://ada:canary@proxy:1',
    'http://proxy:1/x',
    'http://',
  ])
    expect(mistakes({ WEFT_PROXY: proxy }), proxy).toEqual([
      expect.stringMatching(/^WEFT_PROXY must be an address like(?!.*canary)/),
    ]);
  expect(mistakes({ WEFT_PROXY_CREDENTIALS: 'ada:x' })[0]).toContain('has no effect without WEFT_PROXY');
  expect(mistakes({ WEFT_NO_PROXY: 'a b' })[0]).toContain('WEFT_NO_PROXY must be');
});

test('all mistakes are reported at once, each with its name and the valid values', () => {
  const found = mistakes({
    WEFT_PORT: '70000',
    WEFT_EDITOR: 'maybe',
    WEFT_CORS_ORIGINS: 'https://a.example/path',
    WEFT_GRACE_MS: '-1',
    WEFT_MAX_RUNS: '1e3',
    WEFT_PUBLIC_URL: 'javascript:alert(1)',
  });
  expect(found).toEqual([
    'WEFT_PORT must be a whole number from 0 to 65535; it is "70000".',
    'WEFT_PUBLIC_URL must be an http or https URL; it is "javascript:alert(1)".',
    'WEFT_CORS_ORIGINS must be origins like https://example.com, separated by commas; it is "https://a.example/path".',
    'WEFT_EDITOR must be one of on, off; it is "maybe".',
    'WEFT_MAX_RUNS must be a whole number from 1 to 1000000; it is "1e3".',
    'WEFT_GRACE_MS must be a whole number from 0 to 3600000; it is "-1".',
  ]);
});

test('a secret that is not accepted is not repeated', () => {
  const found = mistakes({ WEFT_ADMIN_PASSWORD: 'secret!' });
  expect(found).toEqual(['WEFT_ADMIN_PASSWORD must be a text of at least 8 characters.']);
});

test('a file with a mistake in it is named', async () => {
  const cwd = await tempFolder();
  const file = join(cwd, 'weft.config.json');
  await writeFile(file, '{"prot": 1, "host": 5}');
  expect(mistakes({}, cwd)).toEqual([
    'weft.config.json: host must be a text; it is 5.',
    'weft.config.json: there is no setting prot; did you mean port?',
  ]);
  await writeFile(file, '[]');
  expect(mistakes({}, cwd)).toEqual(['weft.config.json cannot be read: it must contain one JSON object.']);
  await writeFile(file, '{');
  expect(mistakes({}, cwd)[0]).toMatch(/^weft\.config\.json cannot be read: /);
});

test('an address beyond this machine needs a password while there is an editor', () => {
  expect(mistakes({ WEFT_HOST: '0.0.0.0' })[0]).toContain('WEFT_ADMIN_PASSWORD');
  expect(mistakes({ WEFT_HOST: '0.0.0.0', WEFT_ADMIN_PASSWORD: 'correct horse' })).toEqual([]);
  expect(mistakes({ WEFT_HOST: '0.0.0.0', WEFT_EDITOR: 'off' })).toEqual([]);
  expect(mistakes({ WEFT_HOST: '::1' })).toEqual([]);
});

test('a database needs a key that all of its servers have, and its password is never shown', () => {
  const url = 'postgres://weft:hunter2@db/weft';
  const key = 'a'.repeat(64);
  expect(read({ WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: key }).config.databaseUrl).toBe(url);
  expect(mistakes({ WEFT_DATABASE_URL: url })).toMatchObject([
    expect.stringContaining('needs WEFT_SECRETS_KEY'),
  ]);
  expect(mistakes({ WEFT_DATABASE_DIRECT_URL: url })[0]).toContain('has no effect without');
  const wrong = mistakes({ WEFT_DATABASE_URL: 'mysql://weft:hunter2@db/weft', WEFT_SECRETS_KEY: key });
  expect(wrong[0]).toContain('WEFT_DATABASE_URL must be an address like postgres://');
  expect(wrong[0]).not.toContain('hunter2');
});

test('Restate needs a database, both of its addresses, and its key where other machines reach the port', () => {
  const database = { WEFT_DATABASE_URL: 'postgres://db/weft', WEFT_SECRETS_KEY: 'a'.repeat(64) };
  const [url, admin] = ['http://restate:8080', 'http://restate:9070'];
  const whole = { ...database, WEFT_RESTATE_URL: url, WEFT_RESTATE_ADMIN_URL: admin };
  expect(mistakes(whole)).toEqual([]);
  expect(mistakes({ WEFT_RESTATE_URL: url })[0]).toContain('has no effect without WEFT_DATABASE_URL');
  expect(mistakes({ WEFT_RESTATE_ADMIN_URL: admin })[0]).toContain('has no effect without WEFT_RESTATE_URL');
  expect(mistakes({ ...database, WEFT_RESTATE_URL: url })[0]).toContain('needs WEFT_RESTATE_ADMIN_URL');
  expect(mistakes({ ...whole, WEFT_RESTATE_SERVICE_URL: 'http://127.0.0.1:9080' })).toEqual([]);
  const outside = { ...whole, WEFT_RESTATE_SERVICE_URL: 'http://weft:9080' };
  expect(mistakes(outside)[0]).toContain('needs WEFT_RESTATE_IDENTITY_KEY');
  expect(mistakes({ ...outside, WEFT_RESTATE_IDENTITY_KEY: 'publickeyv1_abc' })).toEqual([]);
  expect(mistakes({ ...outside, WEFT_RESTATE_IDENTITY_KEY: 'abc' })[0]).toContain('publickeyv1_');
});

test('a shown default is a valid value', () => {
  const words = settings.filter(({ shown }) => /^[\w.-]+$/.test(shown) && !['none', 'unset'].includes(shown));
  const refused = words.filter(({ env, shown }) => mistakes({ [env]: shown }).length > 0);
  expect(refused.map(({ env, shown }) => `${env}=${shown}`)).toEqual([]);
  expect(read({ WEFT_CODE_FLOWS: 'on' }).config.codeFlows).toBe(true);
  expect(read({ WEFT_CODE_FLOWS: 'off' }).config.codeFlows).toBe(false);
});

test('an unknown name in the environment is a warning with the nearest one', () => {
  const { warnings } = read({
    WEFT_PROT: '1',
    WEFT_SECRET_TOKEN: 'x',
    // For commands, which are typed in the same terminal.
    WEFT_API_KEY: 'x',
    WEFT_SOMETHING_ELSE_ENTIRELY: 'x',
    PATH: '/',
  });
  expect(warnings).toEqual([
    'There is no setting WEFT_PROT; did you mean WEFT_PORT?',
    'There is no setting WEFT_SOMETHING_ELSE_ENTIRELY.',
  ]);
});

test('the help names every setting with its default', () => {
  const text = helpText();
  for (const { env, doc, shown } of settings) {
    expect(text).toContain(env);
    expect(text).toContain(doc);
    expect(text).toContain(`Default: ${shown}.`);
  }
});

test('a key that can be guessed is a warning that does not repeat it', () => {
  const { warnings } = read({ WEFT_API_KEYS: 'short-key,another-key-of-sufficient-length' });
  expect(warnings).toEqual([
    expect.stringMatching(/^WEFT_API_KEYS has a key of less than 16 characters, .*openssl rand/),
  ]);
});

test.each([
  { WEFT_HOST: '0.0.0.0', WEFT_ADMIN_PASSWORD: 'correct horse' },
  { WEFT_PUBLIC_URL: 'https://flows.example.com' },
  { WEFT_TRUST_PROXY: 'on' },
])('where other machines can reach the server such a key is a mistake (%o)', (env) => {
  const found = mistakes({ ...env, WEFT_API_KEYS: 'barkey' });
  expect(found).toEqual([expect.stringContaining('WEFT_API_KEYS has a key of less than 16 characters')]);
  expect(found.join()).not.toContain('barkey');
});

test('secrets come by name from the environment, with who may use them', () => {
  const { config, warnings } = read({
    WEFT_SECRET_OPENAI: 'sk-1',
    WEFT_SECRET_OTHER_ONE: 'x',
    WEFT_SECRET_EMPTY: '',
    WEFT_GRANTS: '{"openai": {"hosts": ["api.openai.com"]}}',
    WEFT_SECRETS_KEY: 'ab'.repeat(32),
    WEFT_OUTBOUND_ALLOW: 'db.internal:5432, 10.0.0.0/8',
    WEFT_OUTBOUND_LIMITS: '{"API.example.com:8443": {"calls": 20}, "*": {"queue": 0}}',
    WEFT_PROVIDERS: '{"local": {"type": "ollama", "models": [{"name": "llama"}]}}',
    WEFT_MODEL: 'local/llama',
  });
  expect(warnings).toEqual([]);
  expect(config).toMatchObject({
    providers: { local: { type: 'ollama', models: [{ name: 'llama', use: 'chat' }], timeoutMs: 120_000 } },
    model: 'local/llama',
    secrets: { openai: 'sk-1', other_one: 'x' },
    grants: { openai: { hosts: ['api.openai.com'] } },
    secretsKey: 'ab'.repeat(32),
    outboundAllow: ['db.internal:5432', '10.0.0.0/8'],
    outboundLimits: { 'api.example.com:8443': { calls: 20 }, '*': { queue: 0 } },
  });
});

test.each([
  ['WEFT_SECRETS_KEY', 'too-short', 'openssl rand -base64 32'],
  ['WEFT_GRANTS', '{', 'must be grants by name'],
  ['WEFT_GRANTS', '{"a": {"users": []}}', 'must be grants by name'],
  ['WEFT_GRANTS', '{"Not a name": {}}', 'must be grants by name'],
  ['WEFT_PROVIDERS', '{"a": {"type": "skynet"}}', 'must be providers by id'],
  ['WEFT_PROVIDERS', '{"demo": {"type": "ollama", "models": [{"name": "m"}]}}', 'must be providers by id'],
  ['WEFT_OUTBOUND_ALLOW', 'http://a', 'must be hosts'],
  ['WEFT_OUTBOUND_LIMITS', '{"a": {"calls": 0}}', 'must be limits by host'],
  ['WEFT_OUTBOUND_LIMITS', '{"a": {"conections": 5}}', 'must be limits by host'],
  ['WEFT_OUTBOUND_LIMITS', '{"http://a": {"calls": 5}}', 'must be limits by host'],
  ['WEFT_SECRET_1', 'the-value', 'the name of a secret'],
])('%s=%s is a mistake whose message names the fix', (name, value, part) => {
  const [mistake = ''] = mistakes({ [name]: value });
  expect(mistake).toContain(name);
  expect(mistake).toContain(part);
});

test('values of secrets and keys are never repeated', () => {
  const found = mistakes({
    WEFT_SECRET_1: 'the-value-itself',
    WEFT_SECRETS_KEY: 'the-key-itself',
    WEFT_PROVIDERS: '{"a": {"type": "ollama", "key": "the-key-itself"}}',
  });
  expect(found.join(' ')).not.toMatch(/the-value|the-key-itself/);
});

test('triggers may have an origin of their own, which is not the editor’s', () => {
  expect(read({ WEFT_TRIGGER_ORIGIN: 'http://localhost:5670' }).config.triggerOrigin).toBe(
    'http://localhost:5670',
  );
  expect(mistakes({ WEFT_TRIGGER_ORIGIN: 'https://flows.example/x' })).toEqual([
    expect.stringContaining('must be an origin'),
  ]);
  expect(mistakes({ WEFT_TRIGGER_ORIGIN: 'http://127.0.0.1:5670' })[0]).toMatch('which is also the editor');
  const both = { WEFT_PUBLIC_URL: 'https://flows.example/', WEFT_TRIGGER_ORIGIN: 'https://flows.example' };
  expect(mistakes(both)[0]).toMatch('which is also the editor');
});
