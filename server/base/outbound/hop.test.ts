import { describe, expect, test } from 'vitest';
import { firstHop, nextHop } from './hop.ts';

function hop(url: string, headers: Record<string, string> = {}) {
  const limits = { redirects: 1, timeoutMs: 1, maxBytes: 1 };
  return firstHop({ method: 'GET', url, headers, body: undefined, ...limits });
}

describe('a redirect from https to http', () => {
  const credentials = { authorization: 'Bearer x' };

  test('is refused with credentials, also on the same host', () => {
    const first = hop('https://api.example.com/', credentials);
    for (const location of ['http://api.example.com/', 'http://other.example/']) {
      expect(() => nextHop(first, 302, location)).toThrow('from https to http');
    }
  });

  test('is followed without', () => {
    const next = nextHop(hop('https://api.example.com/', { accept: 'a/b' }), 302, 'http://api.example.com/x');
    expect(next).toMatchObject({ target: { origin: 'http://api.example.com' }, headers: { accept: 'a/b' } });
  });

  test('keeps credentials where only the path changes', () => {
    const next = nextHop(hop('https://api.example.com/a/b?c', credentials), 302, '../d');
    expect(next).toMatchObject({
      target: { url: new URL('https://api.example.com/d') },
      headers: credentials,
    });
  });
});

test('an idempotency key is no credential: it goes along', () => {
  const next = nextHop(hop('https://a.example/', { 'idempotency-key': 'k' }), 307, 'http://b.example/');
  expect(next.headers).toMatchObject({ 'idempotency-key': 'k' });
});

describe('a redirect that sends the body again', () => {
  const post = (url: string) => ({ ...hop(url), method: 'POST', body: 'private' });

  test.each([
    ['https://a.example/', 307, 'https://b.example/'],
    ['https://a.example/', 308, 'https://a.example:8443/'],
    ['https://a.example/', 307, 'http://a.example/'],
    ['http://a.example:8080/', 307, 'https://a.example/'],
    ['http://a.example/', 307, 'https://b.example/'],
  ])('is not followed from %s by %i to %s', (from, status, to) => {
    expect(() => nextHop(post(from), status, to)).toThrow(/redirects a request with a body to https?:/);
    expect(() => nextHop({ ...post(from), method: 'PUT' }, 302, to)).toThrow('with a body');
    expect(nextHop(post(from), 303, to)).toMatchObject({ method: 'GET', body: undefined });
    expect(nextHop({ ...post(from), body: undefined }, status, to).method).toBe('POST');
  });

  test.each([
    ['https://a.example/x', 'https://a.example/y'],
    ['http://a.example/x', 'https://a.example/x'],
  ])('is followed from %s to %s', (from, to) => {
    expect(nextHop(post(from), 308, to)).toMatchObject({ method: 'POST', body: 'private' });
  });
});
