import { expect, test } from 'vitest';
import { createClientAddress, networkOf, senderAddress, sharerOf } from './client-address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['2001:db8::', '2001:db8:0:0'],
  ['2001:DB8::1', '2001:db8:0:0'],
  ['2001:0db8:0000:0000:ffff::', '2001:db8:0:0'],
  ['2001:db8:0:1::', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['local', 'local'],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network));

const socket = { remoteAddress: '10.0.0.1' };

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['198.51.100.1, 192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['somebody', '10.0.0.1'],
  ['1', '10.0.0.1'],
  ['0x7f.1', '10.0.0.1'],
  ['192.0.2.7, ', '10.0.0.1'],
  ['', '10.0.0.1'],
])('behind a proxy, %j is %s', (text, address) => {
  const addressOf = createClientAddress(true);
  expect(addressOf({ headers: { 'x-forwarded-for': text }, socket })).toBe(address);
});

test('an address that the framework accepts from a proxy unchecked is checked', () => {
  expect(senderAddress({ ip: 'somebody', socket })).toBe('10.0.0.1');
  expect(senderAddress({ ip: '2001:DB8::1', socket })).toBe('2001:DB8::1');
  const sharers = ['a', 'b', '2001:db8::', '2001:DB8::2', '2001:0db8::3'].map((ip) =>
    sharerOf('address', { ip, socket }),
  );
  expect(new Set(sharers)).toEqual(new Set(['10.0.0.1', '2001:db8:0:0']));
});
