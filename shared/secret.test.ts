import { expect, test } from 'vitest';
import { grantFor, maySendTo, SecretGrants } from './secret.ts';

test.each([
  ['api.example.com', 'https://api.example.com', true],
  ['API.example.com.', 'https://api.example.com', true],
  ['api.example.com', 'https://api.example.com.', true],
  ['api.example.com', 'http://api.example.com', false],
  ['api.example.com', 'http://api.example.com:443', false],
  ['api.example.com', 'https://api.example.com:8443', false],
  ['api.example.com:8443', 'https://api.example.com:8443', true],
  ['api.example.com:8443', 'https://api.example.com', false],
  ['api.example.com:8443', 'http://api.example.com:8443', false],
  ['api.example.com:80', 'http://api.example.com', false],
  ['https://api.example.com', 'https://api.example.com', true],
  ['https://api.example.com:8443', 'https://api.example.com:8443', true],
  ['https://api.example.com:8443', 'https://api.example.com', false],
  ['http://api.example.com', 'http://api.example.com', true],
  ['http://api.example.com', 'https://api.example.com', false],
  ['http://api.example.com', 'http://api.example.com:8080', false],
  ['http://10.0.0.7:8080/', 'http://10.0.0.7:8080', true],
  ['*.example.com', 'https://a.b.example.com', true],
  ['*.example.com', 'https://example.com', false],
  ['*.example.com', 'https://evil-example.com', false],
  ['*.example.com', 'http://a.example.com', false],
  ['http://*.example.com:81', 'http://a.example.com:81', true],
  ['127.0.0.1', 'http://127.0.0.1:6219', true],
  ['127.0.0.1:6219', 'http://127.0.0.1:6219', true],
  ['127.0.0.1:6219', 'https://127.0.0.1:6219', true],
  ['127.0.0.1:6219', 'http://127.0.0.1:6220', false],
  ['https://127.0.0.1', 'http://127.0.0.1', false],
  ['localhost', 'http://localhost:1', true],
  ['::1', 'http://[::1]:1', true],
  ['[::1]:1', 'http://[::1]:1', true],
  ['[::1]:1', 'http://[::1]:2', false],
  ['127.0.0.1.example.com', 'http://127.0.0.1.example.com', false],
])('a grant of %s for %s: %s', (host, origin, allowed) => {
  expect(maySendTo([host], origin)).toBe(allowed);
  expect(SecretGrants.safeParse({ hosts: [host] }).success).toBe(true);
});

test.each([
  'https://a.example',
  'https://a.example:8443',
  'http://10.0.0.7',
  'http://127.0.0.1:6219',
  'https://[::1]:2',
])('the grant for %s allows it', (origin) => {
  expect(maySendTo([grantFor(origin)], origin)).toBe(true);
});

test.each([
  '',
  '*',
  'https://api.example.com/v1',
  'a b',
  'ftp://a.example',
  'user@a.example',
  'a.example:port',
  '*a.example',
])('%j is no host to grant', (host) => {
  const read = SecretGrants.safeParse({ hosts: [host] });
  expect(read.error?.issues[0]?.message).toMatch(/^Write a host like/);
});
