import { describe, expect, onTestFinished, test } from 'vitest';
import {
  ACCESS_KEY,
  BUCKET,
  REGION,
  SECRET_KEY,
  startS3,
} from '../../integrations/connections/testing/s3-server.ts';
import { challengesIn, createDigests } from './digest.ts';
import { startClient } from './testing/ask.ts';
import { PASSWORD, startDigestServer, USER } from './testing/digest-server.ts';
import { startSite } from './testing/victim.ts';

const allow = ['127.0.0.0/8'];
const digest = { scheme: 'digest', user: USER, password: PASSWORD } as const;

describe('a digest', () => {
  const asked = {
    origin: 'http://www.example.org',
    user: USER,
    password: PASSWORD,
    method: 'GET',
    uri: '/dir/index.html',
    bodyHash: async () => '',
  };

  /** RFC 7616, section 3.9.1. */
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('is that of the example of its description: %s', async (algorithm, response) => {
    const digests = createDigests(() => 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ');
    const header = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
    expect(await digests.answer(asked, header)).toContain(`response="${response}"`);
  });

  /** RFC 7616, section 3.9.2. */
  test('hides the user and has letters of other languages where the server asks for that', async () => {
    const digests = createDigests(() => 'NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm');
    const header =
      'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true';
    const own = { ...asked, user: 'Jäsøn Doe', password: 'Secret, or not?', uri: '/doe.json' };
    const answer = await digests.answer(own, header);
    expect(answer).toContain('username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"');
    expect(answer).toContain('userhash=true');
    const plain = await createDigests().answer(own, header.replace(', userhash=true', ''));
    expect(plain).toContain("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe");
  });

  test.each([
    ['', 0],
    ['Basic realm="x"', 0],
    ['Digest realm="a, Digest b=c", nonce="n", Basic realm="x", Digest realm="r", nonce="m"', 2],
    ['Negotiate, digest REALM=r,  nonce = "n"', 1],
  ])('is found among other ways to sign in: %s', (header, many) => {
    expect(challengesIn(header)).toHaveLength(many);
  });

  test.each([
    'Digest realm="r", nonce="n", algorithm=SHA3',
    'Digest realm="r", nonce="n", qop="x"',
    'Digest x=y',
  ])('is not made for what is not known: %s', async (header) => {
    expect(await createDigests().answer(asked, header)).toBeUndefined();
  });

  test.each([
    [['MD5'], 'auth'],
    [['SHA-256'], 'auth'],
    [['SHA-512-256'], 'auth'],
    [['MD5-sess'], 'auth'],
    [['SHA-256-sess'], 'auth, auth-int'],
    [['SHA-256'], 'auth-int'],
    [['MD5'], undefined],
    [['MD5', 'SHA-256'], 'auth'],
  ] as const)('opens a server that offers %j with qop %s', async (algorithms, qop) => {
    const server = await startDigestServer({ algorithms, qop });
    const ask = startClient({ allow });
    const request = { method: 'POST', body: 'täxt', signing: digest };
    for (const path of ['/dir/index.html?a=1&b=%20c', '/other'])
      expect(await ask(`${server.url}${path}`, request)).toMatchObject({
        status: 200,
        body: `hello ${path}`,
      });
    expect(server.bodies).toEqual(['täxt', 'täxt']);
    // The second request goes on with the challenge of the first one.
    expect(server.came.map(({ status }) => status)).toEqual([401, 200, 200]);
    if (algorithms.length > 1) expect(server.came[1]?.authorization).toContain('algorithm=SHA-256');
    expect(JSON.stringify(server.came)).not.toContain(PASSWORD);
  });

  test('is made anew when its nonce is used up', async () => {
    const server = await startDigestServer({ uses: 2 });
    const ask = startClient({ allow });
    for (let i = 0; i < 4; i++)
      expect(await ask(server.url, { signing: digest })).toMatchObject({ status: 200 });
    expect(server.came.map(({ status }) => status)).toEqual([401, 200, 200, 401, 200, 200]);
  });

  test('that is wrong ends with the refusal of the server', async () => {
    const server = await startDigestServer();
    const outcome = await startClient({ allow })(server.url, { signing: { ...digest, password: 'canary' } });
    expect(outcome).toMatchObject({ status: 401, body: 'no' });
    expect(server.came).toHaveLength(2);
  });

  test('stays with its origin', async () => {
    const other = await startDigestServer();
    const site = await startSite((_request, response) => {
      response.writeHead(302, { location: `${other.url}/x` }).end();
    }, '127.0.0.2');
    expect(await startClient({ allow })(site.url, { signing: digest })).toMatchObject({ status: 401 });
    expect(other.came).toEqual([{ status: 401, authorization: '' }]);
  });
});

describe('a signature of AWS', () => {
  const aws = {
    scheme: 'aws',
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
    sessionToken: '',
    region: REGION,
    service: 's3',
  } as const;

  test('is accepted for reads and writes, with a body in pieces and a query', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const ask = startClient({
      allow,
      openFile: async () =>
        (async function* () {
          yield Buffer.from('piece');
        })(),
    });
    const url = `${s3.endpoint}/${BUCKET}/reports/a%20b.txt`;
    expect(await ask(url, { method: 'PUT', body: 'whole', signing: aws })).toMatchObject({ status: 200 });
    expect(await ask(url, { signing: aws })).toMatchObject({ status: 200, body: 'whole' });
    const file = { $file: 'f', name: 'a', type: 'text/plain', bytes: 5 };
    const pieces = { method: 'PUT', body: ['a ', file as never], signing: aws };
    expect(await ask(url, pieces)).toMatchObject({ status: 200 });
    expect(await ask(url, { signing: aws })).toMatchObject({ body: 'a piece' });
    const list = await ask(`${s3.endpoint}/${BUCKET}?list-type=2&prefix=reports%2F`, { signing: aws });
    expect(list).toMatchObject({ status: 200, body: expect.stringContaining('reports/a+b.txt') });
  });

  test('that is made with another key is refused, and the key is not sent', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const url = `${s3.endpoint}/${BUCKET}/x`;
    const signing = { ...aws, secretKey: 'another-canary-key' };
    const outcome = await startClient({ allow })(url, { signing });
    expect(outcome.status).toBe(403);
    expect(JSON.stringify(outcome)).not.toContain('canary');
  });

  test('has the parts that requests to other services have, with region and service as the host says', async () => {
    const came: Record<string, unknown>[] = [];
    const site = await startSite((request, response) => {
      came.push(request.headers);
      response.end('{}');
    });
    const ask = startClient({ allow, resolve: async () => ['127.0.0.1'] });
    const url = `http://abc.execute-api.eu-west-1.amazonaws.com:${site.port}/stage/x?b=2&a=1`;
    const signing = { ...aws, region: '', service: '', sessionToken: 'temporary' };
    const headers = { 'x-amz-target': 'Some.Target', 'x-mine': 'y' };
    await ask(url, { method: 'POST', body: '{}', headers, signing });
    expect(came[0]).toMatchObject({
      'x-amz-security-token': 'temporary',
      'x-amz-content-sha256': '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
      ),
    });
  });

  test('stays with its origin, and is made anew within it', async () => {
    const came: (string | undefined)[] = [];
    const other = await startSite((request, response) => {
      came.push(request.headers.authorization);
      response.end('x');
    }, '127.0.0.2');
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const url = `${s3.endpoint}/${BUCKET}/x`;
    await startClient({ allow })(url, { method: 'PUT', body: 'here', signing: aws });
    s3.instead = ({ key }, response) => {
      if (key === 'away') response.writeHead(302, { location: other.url }).end();
      if (key === 'moved') response.writeHead(307, { location: `/${BUCKET}/x` }).end();
      return key === 'away' || key === 'moved';
    };
    const ask = startClient({ allow });
    expect(await ask(`${s3.endpoint}/${BUCKET}/moved`, { signing: aws })).toMatchObject({ body: 'here' });
    expect(await ask(`${s3.endpoint}/${BUCKET}/away`, { signing: aws })).toMatchObject({ body: 'x' });
    expect(came).toEqual([undefined]);
  });
});
