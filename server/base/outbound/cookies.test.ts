import { describe, expect, test } from 'vitest';
import { createJars } from './cookies.ts';
import { parseTarget } from './target.ts';

const shop = parseTarget('https://shop.example/a/b');

function jarAt(time = { now: 0 }) {
  return createJars(() => time.now).of('r', '');
}

function sent(lines: readonly string[], to: string, from = 'https://shop.example/a/b', own?: string) {
  const jar = jarAt();
  jar.take(parseTarget(from), lines);
  return jar.header(parseTarget(to), own);
}

describe('a cookie', () => {
  test.each([
    ['its host', 'https://shop.example/', 'a=1'],
    ['another host', 'https://evil.example/', undefined],
    ['a host below', 'https://www.shop.example/', undefined],
    ['the host above', 'https://example/', undefined],
    ['another port', 'https://shop.example:8443/', undefined],
    ['clear text', 'http://shop.example/', 'a=1'],
  ])('that has no restrictions goes to %s: %s', (_, to, header) => {
    expect(sent(['a=1; Path=/'], to)).toBe(header);
    // A domain widens nothing.
    expect(sent(['a=1; Path=/; Domain=.example'], to)).toBe(header);
    expect(sent(['a=1; Path=/; Domain=evil.example'], to)).toBe(header);
  });

  test.each([
    ['a=1', '/a/x', 'a=1'],
    ['a=1', '/other', undefined],
    ['a=1; Path=/c', '/c/d', 'a=1'],
    ['a=1; Path=/c', '/cd', undefined],
    ['a=1; Path=nonsense', '/a/', 'a=1'],
    ['a=1; path=/; httponly; samesite=strict', '/', 'a=1'],
    ['a = "1, 2" ; Path=/', '/', 'a="1, 2"'],
    ['a=; Path=/', '/', 'a='],
    ['a=b=c; Path=/', '/', 'a=b=c'],
    ['no cookie', '/', undefined],
    ['=1; Path=/', '/', undefined],
    ['a\nb=1; Path=/', '/', undefined],
    [`a=${'x'.repeat(5000)}; Path=/`, '/', undefined],
    ['__Host-a=1; Path=/', '/', undefined],
    ['__Host-a=1; Path=/; Secure', '/', '__Host-a=1'],
    ['__Host-a=1; Path=/; Secure; Domain=shop.example', '/', undefined],
    ['__Secure-a=1; Path=/', '/', undefined],
  ])('set as %j is sent to %s as %s', (line, path, header) => {
    expect(sent([line], `https://shop.example${path}`)).toBe(header);
  });

  test('that is secure is set and sent over https alone, and not replaced from elsewhere', () => {
    expect(sent(['a=1; Path=/; Secure'], 'http://shop.example/')).toBeUndefined();
    expect(sent(['a=1; Path=/; Secure'], 'https://shop.example/', 'http://shop.example/')).toBeUndefined();
    const jar = jarAt();
    jar.take(shop, ['a=1; Path=/; Secure']);
    jar.take(parseTarget('http://shop.example/'), ['a=2; Path=/']);
    expect(jar.header(shop, undefined)).toBe('a=1');
  });

  test('ends when it says, and when it is set anew with a time that has passed', () => {
    const time = { now: Date.parse('2026-01-01T00:00:00Z') };
    const jar = jarAt(time);
    jar.take(shop, [
      'a=1; Path=/; Max-Age=10; Expires=Wed, 01 Jan 2020 00:00:00 GMT',
      'b=1; Path=/; Expires=Thu, 01-Jan-2026 00:00:20 GMT',
      'c=1; Path=/; Max-Age=nonsense',
    ]);
    expect(jar.header(shop, undefined)).toBe('a=1; b=1; c=1');
    time.now += 15_000;
    expect(jar.header(shop, undefined)).toBe('b=1; c=1');
    time.now += 15_000;
    expect(jar.header(shop, undefined)).toBe('c=1');
    jar.take(shop, ['c=; Path=/; Max-Age=0']);
    expect(jar.header(shop, undefined)).toBeUndefined();
  });

  test('is replaced by a later one of its name and path, and yields to the header of the request', () => {
    const lines = ['a=1; Path=/', 'b=2; Path=/', 'a=3; Path=/', 'a=4; Path=/a'];
    expect(sent(lines, 'https://shop.example/a')).toBe('a=4; b=2; a=3');
    expect(sent(lines, 'https://shop.example/a', undefined, 'x=0; a=own')).toBe('x=0; a=own; b=2');
  });
});

test('a jar belongs to its run and its name, and ends with the run', () => {
  const jars = createJars();
  jars.of('r', '').take(shop, ['a=1; Path=/']);
  expect(jars.of('r', '').header(shop, undefined)).toBe('a=1');
  expect(jars.of('s', '').header(shop, undefined)).toBeUndefined();
  expect(jars.of('r', 'crm').header(shop, undefined)).toBeUndefined();
  jars.forget('r');
  expect(jars.of('r', '').header(shop, undefined)).toBeUndefined();
});

test('a server cannot fill a jar', () => {
  const jar = jarAt();
  jar.take(
    shop,
    Array.from({ length: 1000 }, (_, i) => `c${i}=1; Path=/`),
  );
  expect(jar.header(shop, undefined)?.split('; ')).toHaveLength(100);
  expect(jar.header(shop, undefined)).toContain('c999=1');
});
