import { expect, test } from 'vitest';
import { createThrottle } from './throttle.ts';

test('attempts beyond the limit wait until the first one is a minute old', () => {
  let now = 1000;
  const throttle = createThrottle(2, () => now);
  expect([throttle.attempt('a'), throttle.attempt('a')]).toEqual([undefined, undefined]);
  now = 31_000;
  expect(throttle.attempt('a')).toBe(30_000);
  now = 61_000;
  expect(throttle.attempt('a')).toBeUndefined();
});

test('an admitted client starts again', () => {
  const throttle = createThrottle(1, () => 0);
  throttle.attempt('a');
  throttle.clear('a');
  expect(throttle.attempt('a')).toBeUndefined();
});

test('addresses of one IPv6 network count as one client, IPv4 ones each for itself', () => {
  const throttle = createThrottle(1, () => 0);
  throttle.attempt('2001:db8::1');
  expect(throttle.attempt('2001:db8:0:0:9::2')).toBe(60_000);
  expect(throttle.attempt('2001:db8:0:1::2')).toBeUndefined();
  throttle.attempt('::ffff:10.0.0.1');
  expect(throttle.attempt('::ffff:10.0.0.2')).toBeUndefined();
});

test('a flood of addresses does not grow it without end', () => {
  const throttle = createThrottle(1, () => 0);
  throttle.attempt('first');
  for (let i = 0; i < 10_000; i++) throttle.attempt(`a${i}`);
  expect(throttle.attempt('first')).toBeUndefined();
  expect(throttle.attempt('a9999')).toBe(60_000);
});

/** Two servers: notices of one reach itself at once, and the other when `deliver` is called. */
function twoServers() {
  const listeners: ((name: string) => void)[] = [];
  const waiting: (() => void)[] = [];
  const open = (own: number) =>
    createThrottle(2, () => 0, {
      what: 'password',
      bus: {
        subscribe: (_, listener) => {
          listeners[own] = (name) => listener(name, true);
          return () => {};
        },
        publish: (_, name = '') => {
          listeners[own]?.(name);
          waiting.push(() => listeners[1 - own]?.(name));
        },
      },
    });
  const deliver = (): void => waiting.splice(0).forEach((one) => one());
  return { a: open(0), b: open(1), deliver };
}

test('servers count together, and forget together', () => {
  const { a, b, deliver } = twoServers();
  a.attempt('x');
  b.attempt('x');
  deliver();
  expect([a.attempt('x'), b.attempt('x')]).toEqual([60_000, 60_000]);
  a.clear('x');
  deliver();
  expect([a.wait('x'), b.wait('x')]).toEqual([undefined, undefined]);
});

test('a client admitted at two servers at once has no counted attempts at either', () => {
  const { a, b, deliver } = twoServers();
  a.attempt('x');
  b.attempt('x');
  a.clear('x');
  deliver();
  b.clear('x');
  deliver();
  expect([a.attempt('x'), a.attempt('x')]).toEqual([undefined, undefined]);
});
