import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startStandInProxy } from '../server/base/outbound/testing/stand-in-proxy.ts';
import { PASSWORD, startDigestServer, USER } from '../server/base/outbound/testing/digest-server.ts';
import {
  ACCESS_KEY,
  BUCKET,
  REGION,
  SECRET_KEY,
  startS3,
} from '../server/integrations/connections/testing/s3-server.ts';
import { type Answer, call, signIn } from './support/client.ts';
import { type FlowJson, httpTrigger } from './support/flows.ts';
import { discard, startServer, type TestServer } from './support/server.ts';
import { startSite } from './support/site.ts';

/** Ways out of a real server: its proxy, signed requests, cookies of a run. */

async function start(env: Record<string, string> = {}) {
  const server = await startServer({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', ...env } });
  onTestFinished(() => discard(server));
  const owner = await signIn(server);
  const run = async (flow: FlowJson): Promise<Answer> => {
    await owner.data('POST', '/flows', { flow });
    return call(server, `/${flow.id}`, { method: 'POST' });
  };
  return { server, owner, run };
}

/** One request after the other; the answer is that of the last one. */
function requests(id: string, params: readonly object[], settings: object = {}): FlowJson {
  const names = params.map((_, at) => `step${at}`);
  return {
    format: 1,
    id,
    settings,
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'] }),
      ...Object.fromEntries(
        names.map((name, at) => [name, { operator: 'http.request', params: params[at] }]),
      ),
    },
    edges: names.map((name, at) => ({
      from: at === 0 ? 'start.out' : `${names[at - 1]}.body`,
      to: `${name}.in`,
    })),
  } as FlowJson;
}

/** Whether one of the texts is in a file of the data folder or in what the server printed. */
function traces({ data, output }: TestServer, texts: readonly string[]): string[] {
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const all = [
    output(),
    ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')),
  ];
  return texts.filter((text) => all.some((one) => one.includes(text)));
}

test('requests of flows go out through the proxy of the server, whose password is nowhere', async () => {
  const [site, proxy] = [
    await startSite((_, response) => void response.end('"outside"')),
    await startStandInProxy(),
  ];
  const password = 'canary-of-the-proxy';
  proxy.wants = `ada:${password}`;
  proxy.leads.set('shop.example.com:80', Number(new URL(site.url).port));
  const env = {
    WEFT_PROXY: proxy.address,
    WEFT_PROXY_CREDENTIALS: proxy.wants,
    WEFT_PROXY_DNS: 'proxy',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  };
  const { server, owner, run } = await start(env);
  const answer = await run(requests('out', [{ url: 'http://shop.example.com/' }]));
  expect(answer.body).toMatchObject({ status: 200, body: '"outside"' });
  expect(proxy.asked).toEqual(['shop.example.com:80']);
  proxy.wants = 'ada:another';
  // The way that is open would be used again.
  const failed = await run(requests('refused', [{ url: 'http://other.example.com/' }]));
  expect(failed).toMatchObject({ status: 502, body: { err_code: 'proxy_auth' } });
  const inside = await run(requests('inside', [{ url: 'http://vault.internal/' }]));
  expect(inside.body).toMatchObject({ err_code: 'outbound_refused' });
  const runs = await owner.data('GET', '/runs');
  const secret = [password, Buffer.from(`ada:${password}`).toString('base64')];
  expect(JSON.stringify([runs, failed.body])).not.toContain(password);
  await server.stop();
  expect(traces(server, secret)).toEqual([]);
});

test('flows sign requests by a digest and for AWS, and the secrets are nowhere', async () => {
  const [camera, s3] = [await startDigestServer(), await startS3()];
  onTestFinished(() => s3.close());
  const { server, run } = await start({
    WEFT_SECRET_CAMERA: PASSWORD,
    WEFT_SECRET_AWS: SECRET_KEY,
    WEFT_GRANTS: JSON.stringify({ camera: { hosts: ['127.0.0.1'] }, aws: { hosts: ['127.0.0.1'] } }),
  });
  const digest = { type: 'digest', username: USER, secret: { $secret: 'camera' } };
  expect((await run(requests('camera', [{ url: `${camera.url}/status`, auth: digest }]))).body).toMatchObject(
    {
      body: 'hello /status',
    },
  );
  const aws = {
    type: 'aws',
    username: ACCESS_KEY,
    secret: { $secret: 'aws' },
    region: REGION,
    service: 's3',
  };
  const url = `${s3.endpoint}/${BUCKET}/a.txt`;
  const written = { method: 'PUT', url, auth: aws, bodyType: 'text', body: 'hello' };
  expect((await run(requests('bucket', [written, { url, auth: aws, response: 'text' }]))).body).toMatchObject(
    {
      body: 'hello',
    },
  );
  const wrong = await run(requests('wrong', [{ url, auth: { ...aws, service: 'es' } }]));
  expect(wrong.body).toMatchObject({ err_code: 'http_status' });
  const nobody = await run(requests('nobody', [{ url, auth: { ...aws, username: '' } }]));
  expect(nobody.body).toMatchObject({ err_code: 'bad_params' });
  await server.stop();
  expect(traces(server, [PASSWORD, SECRET_KEY])).toEqual([]);
});

test('cookies go from request to request of one run, to their own host alone', async () => {
  const other = await startSite(({ headers }, response) => {
    response.end(JSON.stringify({ other: headers.cookie ?? null }));
  });
  const site = await startSite(({ url, headers }, response) => {
    if (url === '/sign-in')
      response.writeHead(302, {
        'set-cookie': ['session=s1; Path=/', 'theme=dark; Path=/'],
        location: '/home',
      });
    if (url === '/away') response.writeHead(302, { location: other.url });
    response.end(JSON.stringify({ cookie: headers.cookie ?? null }));
  });
  const cookies = 'run';
  const { run } = await start();
  const both = requests('both', [
    { method: 'POST', url: `${site.url}/sign-in`, cookies },
    { url: `${site.url}/orders`, cookies },
  ]);
  const last = async (flow: FlowJson): Promise<unknown> =>
    JSON.parse(((await run(flow)).body as { body: string }).body);
  expect(await last(both)).toEqual({ cookie: 'session=s1; theme=dark' });
  // The redirect within the sign-in had them as well.
  expect(site.visits.map(({ url, headers }) => [url, headers.cookie])).toEqual([
    ['/sign-in', undefined],
    ['/home', 'session=s1; theme=dark'],
    ['/orders', 'session=s1; theme=dark'],
  ]);
  expect(await last(requests('none', [{ url: `${site.url}/orders`, cookies }]))).toEqual({ cookie: null });
  const leaving = [
    { method: 'POST', url: `${site.url}/sign-in`, cookies },
    { url: `${site.url}/away`, cookies },
  ];
  expect(await last(requests('leaving', leaving))).toEqual({ other: null });
  const without = [{ method: 'POST', url: `${site.url}/sign-in`, cookies }, { url: `${site.url}/orders` }];
  expect(await last(requests('without', without))).toEqual({ cookie: null });
  const answer = await run(requests('lasting', leaving, { durable: true }));
  expect(answer.body).toMatchObject({ err_code: 'bad_params' });
});
