import { describe, expect, it } from 'vitest';
import { formats } from './formats.ts';

const cases: [format: string, good: string[], bad: string[]][] = [
  [
    'email',
    ['a@b.de', "o'neil+x@mail.example.org"],
    ['a@b', '@b.de', 'a@@b.de', 'a b@c.de', '.a@b.de', 'a@-b.de', `a@${'b'.repeat(64)}.de`],
  ],
  [
    'uri',
    ['https://a.de/x?y#z', 'urn:isbn:1', 'mailto:a@b.de'],
    ['/x', 'a.de', 'https://a b', 'http://', 'javascript', 'https://a.de/\n'],
  ],
  [
    'uuid',
    ['123e4567-e89b-12d3-a456-426614174000'],
    ['123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-42661417400g'],
  ],
  [
    'date',
    ['2024-02-29', '2000-02-29'],
    ['2023-02-29', '1900-02-29', '2024-13-01', '2024-00-10', '2024-1-1', '2024-04-31'],
  ],
  [
    'time',
    ['10:00:00Z', '23:59:60+01:00', '10:00:00.123-05:30'],
    ['10:00:00', '24:00:00Z', '10:00Z', '10:00:60Z', '10:00:00+24:00'],
  ],
  [
    'date-time',
    ['2024-02-29T10:00:00Z', '2024-02-29 10:00:00+01:00'],
    ['2024-02-30T10:00:00Z', '2024-02-29', '2024-02-29T10:00:00'],
  ],
  ['ipv4', ['127.0.0.1'], ['127.0.0.256', '::1', '127.1']],
  ['ipv6', ['::1', 'fe80::1'], ['127.0.0.1', '::g', 'fe80::1%eth0']],
];

describe('formats', () => {
  it.each(cases)('%s takes what it should and nothing else', (name, good, bad) => {
    const accepts = formats[name] as (text: string) => boolean;
    expect(good.filter((text) => !accepts(text))).toEqual([]);
    expect(bad.filter((text) => accepts(text))).toEqual([]);
  });

  it.each(Object.keys(formats))('%s answers on a megabyte of nonsense', (name) => {
    const accepts = formats[name] as (text: string) => boolean;
    for (const part of ['a', '1', '.', '-', ':', 'a.', '@', '1:'])
      expect(accepts(part.repeat(1_000_000))).toBe(false);
  });
});
