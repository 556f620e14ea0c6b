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
