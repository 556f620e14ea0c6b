import { expect, test } from 'vitest';
import { testConfig } from '../../testing/fake-context.ts';
import { createAccess } from './access.ts';
import type { AccessRequest } from './request.ts';

function bed(trustProxy: boolean) {
  const warnings: string[] = [];
  const config = testConfig({ trustProxy, adminPassword: 'a-long-password' });
  const access = createAccess(config, [], () => 0, { warn: (_, text) => warnings.push(text) });
  const ask = (remoteAddress: string, headers: AccessRequest['headers']): void => {
    const request = { method: 'GET', url: '/', headers, socket: { remoteAddress } } as AccessRequest;
    expect(() => access.require(request, 'admin')).toThrow();
  };
  return { warnings, ask, access };
}

const forwarded = { 'x-forwarded-for': '203.0.113.7' };

test('a proxy on this machine that is not trusted is named once in the log', () => {
  const { warnings, ask } = bed(false);
  ask('127.0.0.1', {});
  ask('203.0.113.9', forwarded);
  expect(warnings).toEqual([]);
  ask('::ffff:127.0.0.1', forwarded);
  ask('127.0.0.1', { via: '1.1 proxy' });
  expect(warnings).toEqual([expect.stringContaining('WEFT_TRUST_PROXY=on')]);
});

test('a wrong password of a trigger is enough to learn of it', () => {
  const { warnings, access } = bed(false);
  access.guesses.wrong({ headers: forwarded, socket: { remoteAddress: '::1' } } as AccessRequest);
  expect(warnings).toHaveLength(1);
});

test('a trusted proxy causes no warning', () => {
  const { warnings, ask } = bed(true);
  ask('127.0.0.1', forwarded);
  expect(warnings).toEqual([]);
});
