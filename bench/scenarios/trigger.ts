import { chainFlow, exampleFlow, helloFlow } from '../flows.ts';
import { type BenchContext, type Line, median, type Scenario } from '../harness.ts';
import { CONNECTIONS, FRESH, type LoadRequest, rawRequest, startLoader } from '../load.ts';
import { flowFolder, startBaseline, startWeft } from '../servers.ts';
import { against, cpuPerRequest, createMeasure } from '../throughput.ts';

const PREFIX = '/api/v1/awel/trigger';
const KEY = 'a-key-for-the-benchmark-only';

/** Requests a second through a trigger, against the same answers from a route written by hand. */
export const trigger: Scenario = {
  name: 'trigger',
  title: `Trigger over HTTP, ${CONNECTIONS} keep-alive connections, against a bare Fastify route`,
  async run(ctx: BenchContext): Promise<Line[]> {
    using folder = flowFolder(flows());
    await using weft = await startWeft(folder.path, { env: { WEFT_API_KEYS: KEY } });
    await using bare = await startBaseline('bare-fastify');
    await using raw = await startBaseline('raw-http');
    await using loader = startLoader();
    const measure = createMeasure(loader, ctx);

    const hello = await measure({
      weft: [weft, helloRequest('/examples/hello')],
      bare: [bare, bareHello],
      raw: [raw, bareHello],
    });
    const variants = await measure(
      {
        bare: [bare, bareHello],
        full: [weft, helloRequest('/bench/full')],
        summary: [weft, helloRequest('/bench/summary')],
        keyed: [weft, helloRequest('/bench/keyed', { authorization: `Bearer ${KEY}` })],
        off: [weft, helloRequest('/bench/off')],
      },
      0.6,
    );
    // Short, since a trigger keeps 100,000 keys.
    const once = await measure(
      { bare: [bare, bareHello], weft: [weft, helloRequest('/bench/once', { 'idempotency-key': FRESH })] },
      0.25,
    );
    const orders = await measure({ weft: [weft, orderRequest, 201], bare: [bare, orderRequest, 201] }, 0.6);
    const chains = await measure({ short: [weft, chainRequest(1)], long: [weft, chainRequest(101)] }, 0.4);

    return [
      ...against('GET, 2 nodes, shipped defaults', hello.weft, hello.bare, {
        kind: 'at least',
        value: 0.8,
        stretch: 0.95,
      }),
      ...against('the same, everything recorded (record: full)', variants.full, variants.bare, {
        kind: 'at least',
        value: 0.6,
      }),
      ...against('the same, a line of every run kept (record: summary)', variants.summary, variants.bare, {
        kind: 'at least',
        value: 0.7,
        stretch: 0.8,
      }),
      ...against('the same behind an API key', variants.keyed, variants.bare),
      ...against('the same with an Idempotency-Key, another each time', once.weft, once.bare),
      ...against('the same without a record', variants.off, variants.bare),
      ...against('POST, order triage (4 of 7 nodes run)', orders.weft, orders.bare),
      ...against('raw node:http, for orientation', hello.raw, hello.bare),
      {
        name: 'each further pure node, over HTTP',
        figure:
          ((median(chains.long.map(cpuPerRequest)) - median(chains.short.map(cpuPerRequest))) * 1000) / 100,
        unit: 'µs',
        note: 'CPU time of the server',
      },
    ];
  },
};

// ---------------------------------------------------------------------------------------------- flows and requests

function flows() {
  return [
    exampleFlow('simple_dag_example'),
    exampleFlow('order_triage'),
    helloFlow('full', '/bench/full', { settings: { record: 'full' } }),
    helloFlow('summary', '/bench/summary', { settings: { record: 'summary' } }),
    helloFlow('off', '/bench/off', { settings: { record: 'off' } }),
    helloFlow('once', '/bench/once'),
    helloFlow('keyed', '/bench/keyed', { trigger: { auth: 'api-key' } }),
    chainOverHttp(1),
    chainOverHttp(101),
  ];
}

function helloRequest(path: string, headers?: Record<string, string>): LoadRequest {
  return {
    raw: rawRequest('GET', `${PREFIX}${path}?name=Ada`, headers && { headers }),
    body: '"Hello, Ada, your age is 18"',
  };
}

const bareHello = helloRequest('/examples/hello');

const orderRequest: LoadRequest = {
  raw: rawRequest('POST', `${PREFIX}/examples/orders`, {
    body: { customer: 'Ada', amount: 120, items: ['pen'] },
  }),
  body: '{"customer":"Ada","amount":120,"items":["pen"],"decision":"approved","note":"Thank you, Ada: 1 item(s) on their way."}',
};

function chainOverHttp(length: number) {
  const { nodes } = helloFlow('any', `/bench/chain-${length}`);
  return chainFlow(`chain_${length}`, length, nodes['trigger']);
}

function chainRequest(length: number): LoadRequest {
  return { ...helloRequest(`/bench/chain-${length}`), body: '{"name":"Ada","age":18}' };
}
