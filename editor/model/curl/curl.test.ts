import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import requestOperator from '../../../engine/operators/http/request.ts';
import { curlSettings, type CurlSettings } from './curl-params.ts';
import { shellWords } from './shell-words.ts';

function read(text: string): CurlSettings {
  const settings = curlSettings(text);
  if (typeof settings === 'string') throw new Error(settings);
  expect(requestOperator.params.safeParse(settings.params), text).toMatchObject({ success: true });
  return settings;
}

describe('words', () => {
  test.each([
    [`a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    [`a'b'"c"d`, ['abcd']],
    [`'it'\\''s'`, ["it's"]],
    [`"say \\"hi\\" \\$x \\n"`, ['say "hi" $x \\n']],
    [`$'line\\nbreak \\u00fc \\x41 \\' \\\\'`, ["line\nbreak ü A ' \\"]],
    ['a \\\n  b \\\r\n c', ['a', 'b', 'c']],
    [`'' ""`, ['', '']],
    ['', []],
  ])('%j', (line, words) => {
    expect(shellWords(line)).toEqual(words);
  });

  test.each([`'a`, `"a`, `$'a`, `"a\\"`])('an open quote is none: %s', (line) => {
    expect(shellWords(line)).toBeUndefined();
  });

  test('what was quoted comes back as it was', () => {
    const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
    const keeps = fc.property(fc.array(fc.string()), (texts) => {
      expect(shellWords(texts.map(quoted).join(' '))).toEqual(texts);
    });
    fc.assert(keeps);
  });
});

describe('a command', () => {
  test.each<[string, object]>([
    ['curl https://a.example/x', { method: 'GET', url: 'https://a.example/x' }],
    ['curl a.example', { method: 'GET', url: 'http://a.example' }],
    ['$ curl -sSL --compressed https://a.example', { method: 'GET', url: 'https://a.example' }],
    [
      "curl 'https://a.example/?q=b%20c&q=d&n=1#x'",
      { url: 'https://a.example/', query: { q: ['b c', 'd'], n: '1' } },
    ],
    ["curl 'https://a.example/?flag'", { url: 'https://a.example/?flag' }],
    ['curl -X delete https://a.example', { method: 'DELETE' }],
    ['curl -XPUT https://a.example', { method: 'PUT' }],
    ['curl --request=PATCH --url https://a.example', { method: 'PATCH', url: 'https://a.example' }],
    ['curl -I https://a.example', { method: 'HEAD' }],
    ["curl https://a.example -H 'X-One: 1' -H 'X-Two:2'", { headers: { 'x-one': '1', 'x-two': '2' } }],
    [
      'curl https://a.example -A me -e https://b.example',
      { headers: { 'user-agent': 'me', referer: 'https://b.example' } },
    ],
    ['curl https://a.example -d a=1 -d b=2', { method: 'POST', bodyType: 'form', body: { a: '1', b: '2' } }],
    ["curl https://a.example --data-urlencode 'a=b c&d'", { bodyType: 'form', body: { a: 'b c&d' } }],
    [
      `curl https://a.example -H 'Content-Type: application/json' -d '{"a":[1]}'`,
      { method: 'POST', bodyType: 'json', body: { a: [1] } },
    ],
    [
      `curl --json '{"a":1}' https://a.example`,
      { bodyType: 'json', headers: { accept: 'application/json' } },
    ],
    [
      `curl https://a.example -H 'content-type: application/vnd.a+json' -d '1'`,
      { bodyType: 'json', body: 1, headers: { 'content-type': 'application/vnd.a+json' } },
    ],
    [
      `curl https://a.example -H 'content-type: text/xml' --data-raw '<a/>'`,
      { bodyType: 'text', body: '<a/>', headers: { 'content-type': 'text/xml' } },
    ],
    [
      'curl -G https://a.example/?x=0 -d a=1 --data-urlencode "b=2 3"',
      { method: 'GET', query: { x: '0', a: '1', b: '2 3' } },
    ],
    [
      'curl https://a.example -F a=1 -F a=2 -F b=3',
      { method: 'POST', bodyType: 'multipart', body: { a: ['1', '2'], b: '3' } },
    ],
    ['curl https://a.example -m 2.5 --max-redirs 3', { timeoutMs: 2500, redirects: 3 }],
    [`curl https://a.example --data-raw $'a\\nb'`, { bodyType: 'text', body: 'a\nb' }],
  ])('%s', (command, params) => {
    expect(read(command).params).toMatchObject(params);
    expect(read(command).notes).toEqual([]);
  });

  test('headers of the connection, and those that the body says itself, are left out', () => {
    const { params } = read(
      `curl https://a.example -H 'Host: b' -H 'Accept-Encoding: br' -H 'Content-Type: application/json' -d '{}'`,
    );
    expect(params).not.toHaveProperty('headers');
  });

  test.each([
    ['curl -k https://a.example', 'Certificates are always checked'],
    ['curl -x proxy https://a.example', 'WEFT_PROXY'],
    ['curl --cert me.pem https://a.example', 'settings of an HTTP connection'],
    ['curl --retry 3 https://a.example', 'Retry'],
    ['curl --what https://a.example', '--what is unknown'],
    ['curl -Z https://a.example', '-Z is unknown'],
    ['curl -d @file.json https://a.example', 'file.json'],
    ['curl -F f=@/tmp/a.png https://a.example', '/tmp/a.png'],
    ['curl -X PURGE https://a.example', 'PURGE cannot be sent'],
    ['curl https://a.example https://b.example', 'not https://b.example'],
    [`curl https://a.example -d '{"a":1}'`, 'looks like JSON'],
    ["curl 'https://a.example/{{x}}'", 'is an expression here'],
  ])('%s says what it leaves out or changes', (command, part) => {
    expect(read(command).notes.join(' ')).toContain(part);
  });

  test.each([
    ['wget https://a.example', 'start with curl'],
    ['', 'start with curl'],
    ['curl', 'no address'],
    ["curl 'https://a.example", 'quote'],
  ])('%j is none, with the reason', (command, part) => {
    expect(curlSettings(command)).toContain(part);
  });
});

describe('a secret in a command', () => {
  test.each<[string, object, string]>([
    ["curl https://api.example.com -H 'Authorization: Bearer t0ken'", { type: 'bearer' }, 't0ken'],
    ['curl https://api.example.com -u ada:pass:word', { type: 'basic', username: 'ada' }, 'pass:word'],
    [
      `curl https://api.example.com -H 'authorization: Basic ${btoa('ada:pass')}'`,
      { type: 'basic', username: 'ada' },
      'pass',
    ],
    ['curl --digest -u ada:pass https://api.example.com', { type: 'digest', username: 'ada' }, 'pass'],
    [
      "curl https://api.example.com --aws-sigv4 'aws:amz:eu-west-1:execute-api' -u AKID:pass",
      { type: 'aws', username: 'AKID', region: 'eu-west-1', service: 'execute-api' },
      'pass',
    ],
    [
      'curl https://api.example.com --aws-sigv4 aws:amz -u AKID:pass',
      { type: 'aws', username: 'AKID' },
      'pass',
    ],
    [
      "curl https://api.example.com -H 'Authorization: ApiKey x'",
      { type: 'header', name: 'authorization' },
      'ApiKey x',
    ],
    ["curl https://api.example.com -H 'X-Api-Key: k3y'", { type: 'header', name: 'x-api-key' }, 'k3y'],
    ["curl https://api.example.com -b 'session=1'", { type: 'header', name: 'cookie' }, 'session=1'],
  ])('%s is named, and stands nowhere in the settings', (command, auth, value) => {
    const { params, secret } = read(command);
    expect(params).toMatchObject({ auth: { ...auth, secret: { $secret: 'api_example_com' } } });
    expect(secret).toMatchObject({ name: 'api_example_com', value });
    expect(JSON.stringify(params)).not.toContain(value);
  });

  test('is taken once; others are left out and said', () => {
    const { params, notes } = read("curl https://a.example -u ada:pass -H 'X-Api-Key: k3y-value'");
    expect(JSON.stringify(params)).not.toContain('k3y-value');
    expect(notes.join(' ')).toContain('X-Api-Key was left out');
  });
});

test('any text is a command or has a reason why not', () => {
  const word = fc.constantFrom(
    'curl',
    '-d',
    '-H',
    '-X',
    '-F',
    '-u',
    '-G',
    '--json',
    '--url',
    'a=1',
    '@f',
    "'",
    '"',
    '\\',
    '://',
    '?&=',
    'x: y',
    '{',
    '%zz',
  );
  const keeps = fc.property(fc.array(fc.oneof(word, fc.string())), (words) => {
    const settings = curlSettings(`curl ${words.join(' ')}`);
    expect(['string', 'object']).toContain(typeof settings);
  });
  fc.assert(keeps, { numRuns: 1000 });
});
