import type { Browser, BrowserContext, Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildEditor } from '../editor/support/build.ts';
import { launchChromium } from '../support/chromium.ts';
import { triggerPrefix } from '../support/client.ts';
import { type FlowJson, httpTrigger, write } from '../support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/**
 * What a flow answers is opened in Chromium by the signed-in owner. Its script asks for the session and, with the token from
 * there, for a key, in turn and without a promise, so that all is over when the page has loaded.
 */
const ATTACK = `
var root = document.documentElement;
function ask(method, path, token, body) {
  var request = new XMLHttpRequest();
  request.open(method, path, false);
  if (token) request.setRequestHeader('x-weft-csrf', token);
  if (body) request.setRequestHeader('content-type', 'application/json');
  request.send(body || null);
  return JSON.parse(request.responseText).data;
}
root.setAttribute('data-ran', 'yes');
try {
  var csrf = ask('GET', '/api/v1/session').csrf;
  root.setAttribute('data-ran', 'session');
  ask('POST', '/api/v1/keys', csrf, '{"name":"stolen' + Math.random() + '","scopes":["flows:read"]}');
} catch (error) {
  root.setAttribute('data-error', error.name);
}`;

type Headers = Readonly<Record<string, string>>;

interface Case {
  readonly headers: Headers;
  readonly form: 'plain' | 'streamed' | 'by trigger';
}

/** All that a browser renders, sniffs or may take for something that it renders, and what is harmless. */
const types = [
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'application/xml',
  'text/xsl',
  'text/xslt',
  'application/xslt+xml',
  'application/rss+xml',
  'application/atom+xml',
  'application/mathml+xml',
  'application/vnd.wap.xhtml+xml',
  'application/x-any+xml',
  'multipart/x-mixed-replace;boundary=x',
  'multipart/related;boundary=x',
  'message/rfc822',
  'unknown/unknown',
  'application/unknown',
  '*/*',
  '',
  'html',
  'text/html,application/json',
  'application/json,text/html',
  'application/json;a="b,text/html',
  'text/javascript',
  'text/css',
  'application/x-httpd-php',
  'text/plain',
  'text/csv',
  'application/json',
  'application/x+json',
  'application/ld+json',
  'image/png',
  'image/svg',
  'video/mp4',
  'application/pdf',
];
/** The types that a script surely runs in, in other spellings. */
const spelled = ['text/html', 'application/xhtml+xml', 'image/svg+xml', 'unknown/unknown'].flatMap((type) => [
  ` ${type}`,
  `\t${type}`,
  ` \t ${type}\t `,
  type.toUpperCase(),
  `${type};`,
  `${type} ; charset=utf-8`,
  `${type};charset="utf-8"`,
  `${type};charset=utf-8;charset=utf-7`,
  `${type}; x="`,
  `${type},`,
  `,${type}`,
]);
const policies: readonly Headers[] = [
  { 'content-security-policy': '' },
  { 'content-security-policy': ' ' },
  { 'Content-Security-Policy': "default-src * 'unsafe-inline'" },
  { 'CONTENT-SECURITY-POLICY': 'sandbox allow-scripts allow-same-origin' },
  {
    'content-security-policy':
      'sandbox allow-scripts allow-same-origin, sandbox allow-same-origin allow-scripts',
  },
  { 'content-security-policy': 'img-src *, connect-src *' },
  { 'content-security-policy': '"' },
  { 'content-security-policy': ',' },
  { 'content-security-policy': ';;;sandbox' },
  { 'content-security-policy': 'img-src *', 'Content-Security-Policy': 'connect-src *' },
  { 'content-security-policy-report-only': 'sandbox' },
];
const sniffing: readonly Headers[] = [
  { 'x-content-type-options': 'x' },
  { 'X-Content-Type-Options': '' },
  { 'x-content-type-options': 'x, nosniff', 'X-Content-Type-Options': 'sniff' },
];

const tricks = [...policies, ...sniffing];
const tricked = (type: string): Headers[] => tricks.map((own) => ({ 'content-type': type, ...own }));

/** Each form of an answer has its own way to the wire; the headers are judged in one place. */
const cases: readonly Case[] = [
  ...[
    ...[...types, ...spelled].map((type) => ({ 'content-type': type })),
    { 'content-type': 'application/json', 'Content-Type': 'text/html' },
    { 'Content-Type': 'text/html', 'content-type': 'application/json' },
    ...['text/html', ' text/html', 'image/svg+xml', 'text/xsl', '*/*'].flatMap(tricked),
  ].map((headers) => ({ headers, form: 'plain' as const })),
  ...[
    ...types.map((type) => ({ 'content-type': type, ...sniffing[0], ...policies[0] })),
    ...spelled.map((type) => ({ 'content-type': type })),
    ...tricked('text/html'),
  ].map((headers) => ({ headers, form: 'streamed' as const })),
  ...tricked('text/html').map((headers) => ({ headers, form: 'by trigger' as const })),
];

function flowOf({ headers, form }: Case, index: number): FlowJson {
  const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><script>${ATTACK}</script></body></html>`;
  const body = headers['content-type']?.startsWith('multipart/')
    ? `--x\r\nContent-Type: text/html\r\n\r\n${page}\r\n--x--`
    : page;
  const id = `case_${index}`;
  const trigger = httpTrigger(`/${id}`, form === 'by trigger' ? { response: { headers } } : {});
  const value = { operator: 'core.map', params: { value: form === 'streamed' ? [body] : body } };
  const respond = { operator: 'core.respond', params: { headers } };
  const streamed = { operator: 'core.streamify' };
  return {
    format: 1,
    id,
    nodes: {
      trigger,
      value,
      ...(form !== 'by trigger' && { respond }),
      ...(form === 'streamed' && { streamed }),
    },
    edges: [
      { from: 'trigger.out', to: 'value.in' },
      ...(form === 'plain' ? [{ from: 'value.out', to: 'respond.in' }] : []),
      ...(form === 'streamed'
        ? [
            { from: 'value.out', to: 'streamed.in' },
            { from: 'streamed.out', to: 'respond.in' },
          ]
        : []),
    ],
  };
}

let browser: Browser;
let context: BrowserContext;
let server: TestServer;
/** Pages of flows that the API has answered. */
const opened: string[] = [];

beforeAll(async () => {
  const flows = tempFolder('flows');
  for (const [index, one] of cases.entries()) write(flows, `case_${index}.json`, flowOf(one, index));
  // The attack is tried from a page of it first.
  await buildEditor();
  [browser, server] = await Promise.all([launchChromium(), startServer({ flows })]);
  context = await browser.newContext();
  await (await context.newPage()).goto(server.entrance);
  context.on('response', (answer) => {
    const page = answer.frame().url();
    const isOfFlow = page.includes(triggerPrefix) || page.includes('/test/');
    if (isOfFlow && answer.ok() && /\/api\/v1\/(?:session|keys)/.test(answer.url())) opened.push(page);
  });
});

afterAll(async () => {
  await browser?.close();
  if (server) await discard(server);
});

/** What came of the page's script: undefined where none ran. */
async function open(page: Page, address: string): Promise<string | undefined> {
  // A download is no page, and ends the visit.
  await page.goto(address).catch((error: Error) => {
    if (!/net::ERR_ABORTED|Download is starting/.test(error.message)) throw error;
  });
  const ran = await page.evaluate(() => document.documentElement.getAttribute('data-ran'));
  return ran ?? undefined;
}

/** Opens all addresses, some at a time; gives how many ran a script, and which of them reached the session. */
async function openAll(addresses: readonly string[]): Promise<{ ran: number; broken: string[] }> {
  const left = [...addresses];
  const found = { ran: 0, broken: [] as string[] };
  const work = async (): Promise<void> => {
    const page = await context.newPage();
    for (let address = left.pop(); address !== undefined; address = left.pop()) {
      const outcome = await open(page, address);
      if (outcome !== undefined) found.ran += 1;
      if (outcome === 'session') found.broken.push(address);
    }
    await page.close();
  };
  await Promise.all([work(), work(), work()]);
  return found;
}

async function stolenKeys(): Promise<number> {
  const answer = await context.request.get(`${server.url}/api/v1/keys`);
  return (await answer.text()).split('"name":"stolen').length - 1;
}

test('the attack works from a page of the server itself', async () => {
  const page = await context.newPage();
  await page.goto(`${server.url}/docs`);
  await page.evaluate(ATTACK);
  expect(await page.evaluate(() => document.documentElement.getAttribute('data-ran'))).toBe('session');
  expect(await stolenKeys()).toBe(1);
  await page.close();
});

test('no answer of a flow acts as the owner who opens it, whatever its headers', async () => {
  const addresses = cases.map((_, index) => `${server.url}${triggerPrefix}/case_${index}`);
  const { ran, broken } = await openAll(addresses);
  const named = broken.map((address) => JSON.stringify(cases[Number(/\d+$/.exec(address))]));
  expect(named.sort()).toEqual([]);
  expect(opened).toEqual([]);
  expect(await stolenKeys(), 'beside the one of the first test').toBe(1);
  // Else the pages prove nothing.
  expect(ran).toBeGreaterThan(cases.length / 4);
});

test('nor do drafts at their test address', async () => {
  const drafts = cases.flatMap((_, index) => (index % 7 === 0 ? [index] : []));
  const { broken } = await openAll(
    drafts.map((index) => `${server.url}/api/v1/flows/case_${index}/test/case_${index}`),
  );
  expect(broken).toEqual([]);
  expect(opened).toEqual([]);
});
