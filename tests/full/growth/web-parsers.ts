import { createAddressCheck } from '../../../server/access/http/platform.ts';
import { dispositionName, dispositionWith } from '../../../server/storage/file-store/disposition.ts';
import { cleanName } from '../../../server/storage/file-store/file-name.ts';
import { mediaTypeOf } from '../../../server/storage/file-store/media-type.ts';
import { jsonMediaType, readJsonBody } from '../../../server/access/http/read-json.ts';
import { partOf } from '../../../server/access/answers/file-answer.ts';
import { checkedHeaders, guardedHeaders } from '../../../server/access/answers/response-headers.ts';
import { streamFormatName } from '../../../server/access/answers/stream-format.ts';
import { readTraceparent } from '../../../server/execution/telemetry/trace-context.ts';
import { pairsToObject, parsePairs, valuesOf } from '../../../server/base/requests/query-string.ts';
import { canonicalPath, parseRoutePath } from '../../../server/base/requests/path.ts';
import { formats } from '../../../server/base/requests/formats.ts';
import { toInteger, toNumber } from '../../../server/base/requests/scalars.ts';
import { pathBehind, queryOf } from '../../../server/api/triggers/address.ts';
import { createCookies } from '../../../server/access/security/cookies.ts';
import { createClientAddress, networkOf } from '../../../server/access/security/client-address.ts';
import { createKeyRing } from '../../../server/access/security/key-ring.ts';
import { isForeignPage } from '../../../server/access/security/origin.ts';
import { isFormType } from '../../../server/api/forms/form-body.ts';
import { parseTarget } from '../../../server/base/outbound/target.ts';
import { redirectOf } from '../../../server/base/outbound/hop.ts';
import { addressBelow } from '../../../server/integrations/connections/requests.ts';
import { connectionNameOf } from '../../../server/integrations/connections/connection-name.ts';
import { createRedactor } from '../../../server/base/secrets/redactor.ts';
import { testConfig } from '../../../server/testing/fake-context.ts';
import { normalisePath, pathFault } from '../../../engine/flow/trigger-path.ts';
import { askedWait } from '../../../engine/base/retry-after.ts';
import { WeftError } from '../../../engine/base/errors.ts';
import { grantFor } from '../../../shared/secret.ts';
import { placeOf } from '../../../shared/provider-address.ts';
import type { Parser } from './measure.ts';

const config = testConfig({ corsOrigins: ['https://shop.example'], publicUrl: 'https://weft.example' });
const cookies = createCookies(config);
const keys = createKeyRing(['k'.repeat(20)], [], Date.now);
const forwarded = createClientAddress(true);
const hostProblem = createAddressCheck(config);
const redactor = createRedactor();

const HEADER = [' ', '\t', ';', ',', '=', '"', '\\', 'a', '/', '*', '+'];
const ADDRESS = ['/', ':', '.', '%2e', '%', '?', '#', '@', '[', 'a', '\\'];

/** What arrives by HTTP: addresses, headers, names of files, bodies. */
export const webParsers: readonly Parser[] = [
  {
    name: 'Content-Disposition',
    tokens: ['filename', '*', '=', '"', '\\', "utf-8'", "'", ' ', ';', 'a'],
    read: dispositionName,
  },
  { name: 'Content-Disposition, written', tokens: ['"', '\\', 'é', "'", 'a', '\n'], read: dispositionWith },
  {
    name: 'names of files',
    tokens: ['.', ' ', '/', '\\', '\u202e', 'con', 'a', '\u3164', '<'],
    read: (text) => cleanName(text, 'text/plain'),
  },
  {
    name: 'media types of files',
    tokens: HEADER,
    read: (text) => mediaTypeOf({ isText: false } as never, `image/${text}`),
  },
  {
    name: 'Content-Type, JSON',
    tokens: ['application/', 'a', '+', 'json', ';', ' '],
    read: (text) => jsonMediaType.test(text),
  },
  { name: 'Content-Type, forms', tokens: HEADER, read: (text) => isFormType(`multipart/form-data${text}`) },
  {
    name: 'Content-Type of answers',
    tokens: HEADER,
    read: (text) => [
      streamFormatName('sse', `application/${text}`),
      guardedHeaders(200, [['content-type', `text/plain${text}`]]),
    ],
  },
  {
    name: 'headers of answers',
    tokens: [...HEADER, 'url=', 'weft_session_'],
    read: (text) => ['refresh', 'location', 'set-cookie'].map((name) => checkedHeaders({ [name]: text })),
  },
  {
    name: 'Range',
    tokens: ['bytes', '=', '-', '0', ' ', ',', '\t'],
    read: (text) => [partOf(text, 1000), partOf(`bytes=${text}`, 1000), partOf(`bytes=-1${text}`, 1000)],
  },
  {
    name: 'Cookie',
    tokens: [';', ' ', '=', 'weft_session', 'a', ','],
    read: (text) => cookies.read({ headers: { cookie: text } }),
  },
  {
    name: 'Authorization',
    tokens: ['bearer', ' ', 'a', '=', 'basic', ','],
    read: (text) => [keys.find(text), keys.find(`Bearer ${text}`)],
  },
  {
    name: 'X-Forwarded-For',
    tokens: [',', ' ', ':', '[', ']', '1', '.', 'ffff'],
    read: (text) => networkOf(forwarded({ headers: { 'x-forwarded-for': text } }) ?? text),
  },
  {
    name: 'Host',
    tokens: ADDRESS,
    read: (text) => hostProblem({ headers: { host: text }, url: '/', socket: {} } as never),
  },
  {
    name: 'Origin',
    tokens: ADDRESS,
    read: (text) => isForeignPage({ headers: { origin: text, host: text } }, config),
  },
  { name: 'traceparent', tokens: ['00', '-', 'a', ' ', 'ff'], read: readTraceparent },
  {
    name: 'Retry-After',
    tokens: ['0', ' ', '.', ',', 'Wed', ':', 'GMT'],
    read: (text) => askedWait(new WeftError('x', 'x', { data: { retryAfter: text } }), Date.now),
  },
  { name: 'Location', tokens: ADDRESS, read: (text) => redirectOf(302, { location: text }) },
  {
    name: 'queries',
    tokens: ['&', '=', '+', '%', '%41', 'a', '%e2', ';'],
    read: (text) => {
      const pairs = parsePairs(text);
      return [pairsToObject(pairs), valuesOf(pairs, 'a')];
    },
  },
  {
    name: 'paths',
    tokens: ADDRESS,
    read: (text) => [canonicalPath(`/${text}`), pathBehind(`/api/${text}`, '/api'), queryOf(text)],
  },
  {
    name: 'paths of triggers',
    tokens: ['/', ':', '{', '}', 'a', '*', '.', ' '],
    read: (text) => [pathFault(text), normalisePath(text), parseRoutePath(`/${text}`)],
  },
  { name: 'addresses', tokens: [...ADDRESS, 'http://'], read: (text) => parseTarget(`http://${text}`) },
  {
    name: 'paths of connections',
    tokens: ADDRESS,
    read: (text) => addressBelow(new URL('https://a.example/b/'), text),
  },
  {
    name: 'addresses of providers',
    tokens: ADDRESS,
    read: (text) => placeOf({ type: 'openai-compatible', baseUrl: `http://${text}` } as never),
  },
  { name: 'hosts of grants', tokens: ADDRESS, read: (text) => grantFor(text) },
  { name: 'names of connections', tokens: ['_', ' ', 'a', '-', '1'], read: connectionNameOf },
  {
    name: 'formats of JSON Schema',
    tokens: ['a', '.', '@', '-', ':', '0', 'T', '[', '/', '%'],
    read: (text) => Object.values(formats).map((isOne) => isOne(text)),
  },
  {
    name: 'numbers',
    tokens: ['0', '_', '.', 'e', '-', ' ', '+', 'n'],
    read: (text) => [toInteger(text.slice(0, 2000)), toNumber(text.slice(0, 2000))],
  },
  {
    name: 'bodies of JSON',
    tokens: ['[', '{', '"', ':', ',', '\\', '1', ' ', '\\u0041', '"a":'],
    read: (text) => readJsonBody(Buffer.from(text)),
  },
  {
    name: 'secrets in texts',
    tokens: ['a', '=', 'sk-123456', ' ', '%', '\n'],
    read: (text) => redactor.text(text),
  },
];
