import { expect, test } from 'vitest';
import { testConfig } from '../../testing/fake-context.ts';
import { createAccess } from './access.ts';
import type { AccessRequest } from './request.ts';

function bed(trustProxy: boolean) {
  const said: string[] = [];
  const config = testConfig({ trustProxy, adminPassword: 'a-long-password' });
  const access = createAccess(config, [], () => 0, { warn: (_, text) => said.push(text) });
  const ask = (remoteAddress: string, headers: AccessRequest['headers']): void => {
    const request = { method: 'GET', url: '/', headers, socket: { remoteAddress } } as AccessRequest;
    expect(() => access.require(request, 'admin')).toThrow();
  };
  return { said, ask, access };
}

const forwarded = { 'x-forwarded-for': '203.0.113.7' };

test('a proxy on this machine that is not trusted is named once in the log', () => {
  const { said, ask } = bed(false);
  ask('127.0.0.1', {});
  ask('203.0.113.9', forwarded);
  expect(said).toEqual([]);
  ask('::ffff:127.0.0.1', forwarded);
  ask('127.0.0.1', { via: '1.1 proxy' });
  expect(said).toEqual([expect.stringContaining('WEFT_TRUST_PROXY=on')]);
});

test('a wrong password of a trigger is enough to learn of it', () => {
  const { said, access } = bed(false);
  access.guesses.wrong({ headers: forwarded, socket: { remoteAddress: '::1' } } as AccessRequest);
  expect(said).toHaveLength(1);
});

test('of a trusted one nothing is said', () => {
  const { said, ask } = bed(true);
  ask('127.0.0.1', forwarded);
  expect(said).toEqual([]);
});
