import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { closedRange } from './addresses.ts';
import { createAllowList, isAllowEntry } from './allow-list.ts';

test.each([
  'localhost',
  'db.internal:5432',
  '10.0.0.7',
  '10.0.0.7:80',
  '[fd00::7]:8080',
  'fd00::7',
  '10.0.0.0/8',
  'fd00::/8',
])('%s can be allowed', (entry) => {
  expect(isAllowEntry(entry)).toBe(true);
});

test.each(['', 'http://a', 'a/b', '10.0.0.0/33', 'a b', '*'])('%j is no entry', (entry) => {
  expect(isAllowEntry(entry)).toBe(false);
});

test('a name is allowed with its port alone, or with all', () => {
  const list = createAllowList(['One.example:81', 'two.example', '[fd00::7]:8080']);
  expect(list.host('one.example', 81)).toBe(true);
  expect(list.host('one.example', 82)).toBe(false);
  expect(list.host('TWO.example.', 82)).toBe(true);
  expect(list.host('not-two.example', 82)).toBe(false);
  expect(list.host('fd00::7', 8080)).toBe(true);
});

test('a block allows its own addresses, not those that stand for them', () => {
  const list = createAllowList(['127.0.0.0/8', 'fd00::/8']);
  expect(list.address('127.1.2.3')).toBe(true);
  expect(list.address('fd12::1')).toBe(true);
  expect(list.address('::ffff:127.1.2.3')).toBe(false);
  expect(list.address('128.0.0.1')).toBe(false);
});

const byte = fc.nat(255);

test('no IPv6 address that stands for an IPv4 one is public', () => {
  const keeps = fc.property(byte, byte, byte, byte, (a, b, c, d) => {
    const hex = [a * 256 + b, c * 256 + d].map((part) => part.toString(16)).join(':');
    for (const address of [
      `::ffff:${hex}`,
      `::${hex}`,
      `64:ff9b::${hex}`,
      `2002:${hex}::1`,
      `2001:0:${hex}::1`,
    ]) {
      expect(closedRange(address), address).toBeDefined();
    }
  });
  fc.assert(keeps);
});

test('private blocks are closed from end to end, their neighbours are not', () => {
  const blocks: [string, string, string, string][] = [
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ];
  for (const [before, first, last, after] of blocks) {
    expect([before, after].map(closedRange)).toEqual([undefined, undefined]);
    expect([first, last].map(closedRange)).toEqual([expect.any(String), expect.any(String)]);
  }
});

test('localhost and 127.0.0.1 are one, each port by itself', () => {
  const list = createAllowList(['localhost:11434']);
  expect(list.exactly('127.0.0.1', 11434)).toBe(true);
  expect(list.host('127.0.0.1', 80)).toBe(false);
  expect(createAllowList(['127.0.0.1:11434']).host('localhost', 11434)).toBe(true);
  expect(list.address('127.0.0.1'), 'other names that lead there stay closed').toBe(false);
});
