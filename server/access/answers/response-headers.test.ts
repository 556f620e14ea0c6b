import { describe, expect, test } from 'vitest';
import { checkedHeaders, guardedHeaders } from './response-headers.ts';

const policyOf = (status: number, headers: Record<string, string>): string | undefined =>
  new Map(guardedHeaders(status, checkedHeaders(headers))).get('content-security-policy');

describe('a flow may not send', () => {
  test.each([
    ['set-cookie', 'weft_session_5670=x'],
    ['Set-Cookie', ' \tweft_session_5670 =x; Path=/'],
    ['set-cookie', '=weft_session_5670=x'],
    ['set-cookie', ' = Weft_Session_1=x; Domain=example.com'],
    ['set-cookie', 'weft_session_5670'],
    ['Clear-Site-Data', '"*"'],
    ['service-worker-allowed', '/'],
    ['strict-transport-security', 'max-age=1'],
    ['nel', '{}'],
    ['report-to', '{}'],
    ['location', 'javascript:alert(1)'],
    ['Location', '\tJava\tScript :alert(1)'.replace(' ', '')],
    ['location', ' data:text/html,x'],
    ['refresh', '0;url=javascript:alert(1)'],
    ['Refresh', "0 ; URL = 'java\tscript:alert(1)'"],
    ['refresh', '1.5, data:text/html,x'],
    ['refresh', '0 vbscript:x'],
  ])('%s: %j', (name, value) => {
    expect(() => checkedHeaders({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'bad_response' }),
    );
  });
});

test.each([
  ['set-cookie', 'theirs=weft_session_1; Domain=example.com; Path=/'],
  ['location', '/javascript:x'],
  ['location', 'https://example.com/?to=javascript:x'],
  ['refresh', '5; url=/next'],
  ['refresh', '5'],
  ['link', '</x>; rel=preload'],
])('a flow may send %s: %j', (name, value) => {
  expect(checkedHeaders({ [name]: value })).toEqual([[name, value]]);
});

describe('an answer is', () => {
  test.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    ' text/plain;charset="utf-8" ',
    'text/csv; header=present',
    'application/problem+json',
    'application/pdf',
    'image/png',
    'audio/ogg; codecs=opus',
    'video/mp4;',
    'font/woff2',
    'application/octet-stream',
    'text/event-stream',
    'application/x-ndjson',
  ])('served as it is: %j', (type) => {
    expect(guardedHeaders(200, [['content-type', type]])).toEqual([
      ['x-content-type-options', 'nosniff'],
      ['content-type', type],
    ]);
  });

  test.each([
    'text/html',
    ' Text/HTML',
    'image/svg+xml',
    'image/x-svg',
    'application/xhtml+xml+json',
    'text/xsl',
    '*/*',
    '',
    'json',
    'application/json, text/html',
    'application/json; a="b, text/html',
    'application/json text/html',
    `application/json;${' '.repeat(100_000)}x`,
  ])('in a sandbox: %j', (type) => {
    expect(policyOf(200, { 'content-type': type })).toMatch(/^sandbox (?!.*allow-same-origin)/);
  });

  test('in a sandbox beside all policies of the flow', () => {
    const own = {
      'content-type': 'text/html',
      'content-security-policy': '"',
      'Content-Security-Policy': 'img-src *',
    };
    expect(policyOf(200, own)).toMatch(/^sandbox [a-z -]+, ", img-src \*$/);
    expect(guardedHeaders(200, checkedHeaders(own)).map(([name]) => name)).toEqual([
      'x-content-type-options',
      'content-type',
      'content-security-policy',
    ]);
  });

  test('in a sandbox where it changes the headers of a page that the browser has kept', () => {
    const own = { 'content-type': 'application/json', 'content-security-policy': 'img-src *' };
    expect(policyOf(304, own)).toMatch(/^sandbox .*, img-src \*$/);
    expect(policyOf(204, {})).toBeUndefined();
  });

  test('never sniffed', () => {
    const sent = guardedHeaders(
      200,
      checkedHeaders({ 'X-Content-Type-Options': 'x', 'content-type': 'text/plain' }),
    );
    expect(sent).toEqual([
      ['x-content-type-options', 'nosniff'],
      ['content-type', 'text/plain'],
    ]);
  });
});
