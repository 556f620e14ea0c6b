import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { manyHelloFlows, writeFlows } from '../bench/flows.ts';
import { discard, product, startServer, tempFolder, type TestServer } from './support/server.ts';
import { eventually } from './support/eventually.ts';

/**
 * Files that a server has loaded which serves 100 flows and has answered one call: the number may only fall. What is
 * new at the start is better imported where it is first needed.
 */
const MODULES = 610;
/** Loaded half a second after the start, which on a busy machine is before the answer. */
const LATER = /^node_modules\/(?:chokidar|readdirp)\//;

/** What only some requests need. */
const HEAVY = [
  'node_modules/fastify/',
  'node_modules/ajv/',
  'node_modules/find-my-way/',
  'node_modules/ws/',
  'node_modules/re2js/',
  'node_modules/undici/',
  'node_modules/@modelcontextprotocol/',
  'node_modules/@opentelemetry/',
  'node_modules/@ai-sdk/',
  'node_modules/openworkflow/',
  'node_modules/isolated-vm/',
  'node_modules/croner/',
  'node_modules/quickjs-emscripten/',
  'node_modules/prom-client/',
  'node_modules/acorn/',
  'node_modules/zod/v4/locales/de.js',
  'engine/partial/',
  'engine/code-first/',
  'engine/replay/replaying.',
  'server/api/routes/',
  'server/app.',
  'server/flows/service/flow-writes.',
  'server/flows/service/go-live.',
  'server/integrations/sandbox/code-service.',
  'server/flows/awel/',
  'server/api/mcp/',
  'server/base/pages/',
  'server/api/forms/',
  'server/base/rates/',
  'server/execution/waits/wait-html.',
  'server/admin/control/protocol.',
  'server/base/authored/kinds.',
];

let server: TestServer;
const told = join(tempFolder('modules'), 'told.json');

afterEach(() => discard(server));

interface Modules {
  /** Below the project. */
  readonly files: readonly string[];
  readonly builtIn: readonly string[];
}

async function modules(): Promise<Modules> {
  rmSync(told, { force: true });
  server.process.kill('SIGUSR2');
  const { files, builtIn } = await eventually(
    () => JSON.parse(readFileSync(told, 'utf8')) as { files: string[]; builtIn: string[] },
  );
  const home = pathToFileURL(join(product, '/')).href;
  // What npm installs stands in a checkout, and beside a package.
  const packages = new URL('../', home).href;
  const own = files.filter((url) => url.startsWith(home)).map((url) => url.slice(home.length));
  const others = files.filter((url) => url.startsWith(packages) && !url.startsWith(home));
  return {
    files: [...own, ...others.map((url) => `node_modules/${url.slice(packages.length)}`)],
    builtIn,
  };
}

/** Nobody calls it, so it is not compiled, and the operators that only it has are not loaded. */
const uncalled: Flow = {
  format: 1,
  id: 'uncalled',
  nodes: {
    start: { operator: 'trigger.manual' },
    map: { operator: 'core.map', params: { value: '{{ 1 }}' } },
  },
  edges: [{ from: 'start.out', to: 'map.in' }],
};

test('a server that only serves flows has loaded little', async () => {
  const flows = tempFolder('flows');
  writeFlows(flows, [...manyHelloFlows(100), uncalled]);
  const preload = new URL('support/tell-modules.js', import.meta.url).href;
  server = await startServer({
    flows,
    env: { NODE_OPTIONS: `--import ${preload}`, TELL_MODULES_TO: told },
  });
  const answer = await fetch(`${server.url}/api/v1/awel/trigger/bench/hello-7?name=Ada`);
  expect(await answer.text()).toBe('"Hello, Ada, your age is 18"');

  const idle = await modules();
  expect(idle.files.filter((file) => HEAVY.some((heavy) => file.startsWith(heavy)))).toEqual([]);
  // Node's own HTTP client, which an import of `node:http` brings.
  expect(idle.builtIn).not.toContain('NativeModule internal/deps/undici/undici');
  const operators = idle.files.filter((file) => /^engine\/operators\/\w+\/[a-z]/.test(file));
  expect(operators.map((file) => file.replace(/\.[jt]s$/, '')).sort()).toEqual([
    'engine/operators/text/template',
    'engine/operators/trigger/http',
  ]);
  expect(idle.files.filter((file) => !LATER.test(file)).length).toBeLessThanOrEqual(MODULES);

  // All of it is there when it is asked for.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const refused = await fetch(`${server.url}/api/v1/awel/trigger/bench/hello-7?age=x`);
  expect([refused.status, ((await refused.json()) as { detail: unknown[] }).detail.length]).toEqual([400, 2]);
  const { files } = await modules();
  for (const heavy of ['node_modules/fastify/', 'node_modules/ajv/', 'server/api/routes/'])
    expect(
      files.some((file) => file.startsWith(heavy)),
      heavy,
    ).toBe(true);
});
