import { describe, expect, test } from 'vitest';
import type { Config } from './config.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { createHostCheck, isLoopback } from './hosts.ts';

function fits(header: string, changes: Partial<Config> = {}, port = 5670): boolean {
  return createHostCheck(testConfig(changes))(header, port);
}

describe('a server on loopback', () => {
  test.each(['localhost:5670', '127.0.0.1:5670', '[::1]:5670', 'LOCALHOST:5670'])('answers to %s', (host) => {
    expect(fits(host)).toBe(true);
  });

  test.each([
    'evil.example',
    'evil.example:5670',
    'localhost:5671',
    'localhost',
    'localhost.evil.example:5670',
    '192.168.1.5:5670',
    'localhost:5670:5670',
    '[::1',
    '',
    'a b:5670',
    'localhost:5670@evil.example',
  ])('does not answer to %j', (host) => {
    expect(fits(host)).toBe(false);
  });

  test('on port 80 answers to names without a port', () => {
    expect(fits('localhost', {}, 80)).toBe(true);
  });
});

describe('a server beyond loopback', () => {
  const host = '0.0.0.0';

  test('answers to addresses, which cannot be rebound, behind any port', () => {
    for (const header of ['10.0.0.7', '10.0.0.7:8080', '[fd00::1]:80', 'localhost:8080']) {
      expect(fits(header, { host })).toBe(true);
    }
  });

  test('answers to names only when they are configured', () => {
    expect(fits('flows.example', { host })).toBe(false);
    expect(fits('flows.example', { host, allowedHosts: ['flows.example'] })).toBe(true);
    expect(fits('flows.example:8080', { host, allowedHosts: ['Flows.Example'] })).toBe(true);
    expect(fits('flows.example:8080', { host, allowedHosts: ['flows.example:80'] })).toBe(false);
  });

  test('on one address answers to that address and not to others', () => {
    expect(fits('10.0.0.7:5670', { host: '10.0.0.7' })).toBe(true);
    expect(fits('10.0.0.8:5670', { host: '10.0.0.7' })).toBe(false);
  });
});

test('the host of the public address is answered to, at its port where it names one', () => {
  const publicUrl = 'https://flows.example:8443/';
  expect(fits('flows.example:8443', { publicUrl })).toBe(true);
  expect(fits('flows.example', { publicUrl })).toBe(false);
  expect(fits('flows.example', { publicUrl: 'https://flows.example' })).toBe(true);
});

test('a verified host stays verified for others of its kind only', () => {
  const check = createHostCheck(testConfig());
  for (let i = 0; i < 200; i++) expect(check('localhost:5670', 5670)).toBe(true);
  expect(check('evil.example:5670', 5670)).toBe(false);
});

test('loopback is what only this machine reaches', () => {
  expect(['localhost', '127.0.0.1', '127.8.8.8', '::1'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'example.com'].some(isLoopback)).toBe(false);
});
