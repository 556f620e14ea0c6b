import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { boundValue, VALUE_LIMIT } from '../../execution/history/bound-value.ts';
import { createPieceMask } from './redact-value.ts';
import { createRedactor, MASK } from './redactor.ts';

const canary = 'k3y-Ünï "quoted" \\ {a}+/=';

function redactorFor(...values: string[]) {
  const redactor = createRedactor();
  for (const value of values) redactor.add(value);
  return redactor;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a secret is found', () => {
  test.each([
    ['as it is', canary],
    ['in JSON', JSON.stringify({ canary })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ canary }))],
    ['in an address', `https://a.example/?q=${encodeURIComponent(canary)}`],
    [
      'in an address with small letters',
      encodeURIComponent(canary).replace(/%../g, (code) => code.toLowerCase()),
    ],
    ['in a form', new URLSearchParams({ canary }).toString()],
    ['in base64', base64(canary)],
    ['in base64 after one byte', base64(`a${canary}bc`)],
    ['in base64 after two bytes', base64(`ab${canary}c`)],
    ['reversed', canary.split('').reverse().join('')],
    ['in upper case', canary.toUpperCase()],
    ['in lower case', canary.toLowerCase()],
    ['in hexadecimal', Buffer.from(canary).toString('hex')],
    ['in hexadecimal with large letters', Buffer.from(canary).toString('hex').toUpperCase()],
    [
      'in JSON of ASCII alone',
      JSON.stringify(canary).replace(/[\u007f-\uffff]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
    ['in JSON that escapes slashes', JSON.stringify(canary).replaceAll('/', '\\/')],
    ['in base64url', Buffer.from(`user:${canary}`).toString('base64url')],
  ])('%s', (_, text) => {
    const masked = redactorFor(canary).text(`before ${text} after`);
    expect(masked).toContain(MASK);
    expect(masked).toMatch(/^before .*after$/);
    for (const piece of [canary, encodeURIComponent(canary)])
      expect(masked).not.toContain(piece.slice(4, -4));
    expect(masked.length).toBeLessThan(text.length);
  });

  test('wherever it stands in base64, by any neighbours', () => {
    const keeps = fc.property(
      fc.string(),
      fc.string({ minLength: 8 }),
      fc.string(),
      (before, secret, after) => {
        const redactor = redactorFor(secret);
        const encoded = base64(before + secret + after);
        expect(redactor.text(encoded)).not.toBe(encoded);
      },
    );
    fc.assert(keeps, { numRuns: 500 });
  });

  test('whatever is in it', () => {
    const keeps = fc.property(fc.string({ minLength: 6, unit: 'binary' }), (secret) => {
      const redactor = redactorFor(secret);
      for (const text of [secret, JSON.stringify(secret), encodeURIComponent(secret)]) {
        expect(redactor.text(text)).toContain(MASK);
      }
    });
    fc.assert(keeps, { numRuns: 500 });
  });

  test('also when it is the beginning of another one', () => {
    const redactor = redactorFor('secret-1', 'secret-1-and-more');
    expect(redactor.text('a secret-1-and-more b secret-1 c')).toBe(`a ${MASK} b ${MASK} c`);
  });
});

describe('a text that comes in pieces', () => {
  test('leaves at most three characters of a secret, however it was cut and spelled', () => {
    const secret = 'Sw0rdfish-And-More';
    const hex = Buffer.from(secret).toString('hex');
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
    const keeps = fc.property(cuts, fc.constantFrom(secret, hex, base64(`ab${secret}c`)), (sizes, form) => {
      const mask = createPieceMask(redactorFor(secret, 'another-secret'));
      const text = `before ${form} after that`;
      let at = 0;
      let kept = '';
      for (let i = 0; at < text.length; i++) {
        const size = sizes[i % sizes.length] as number;
        const item = mask('node.out', { delta: { text: text.slice(at, at + size) } }) as {
          delta: { text: string };
        };
        kept += item.delta.text;
        at += size;
      }
      expect(kept).toMatch(/^before .*\*\*\*.* after that$/);
      for (let from = 0; from + 4 <= form.length - 4; from++)
        if (from > 2) expect(kept).not.toContain(form.slice(from + 2, from + 6));
    });
    fc.assert(keeps, { numRuns: 500 });
  });

  test('is left alone where no secret goes on, and streams do not mix', () => {
    const mask = createPieceMask(redactorFor('sw0rdfish-9'));
    expect(['a', ' sw', 'ord', 'fish'].map((piece) => mask('a.out', piece))).toEqual([
      'a',
      ' sw',
      'ord',
      'fish',
    ]);
    expect([mask('a.out', 'sw0'), mask('b.out', 'rdfish-9'), mask('a.out', 'rdfish-9')]).toEqual([
      'sw0',
      'rdfish-9',
      MASK,
    ]);
  });
});

test('values that concern one run are masked in it alone, short ones where they are all of a text', () => {
  const all = redactorFor('s3cr3t-value');
  const one = all.with(['hunter2-own', '1234']);
  expect(one.text('hunter2-own s3cr3t-value 1234')).toBe('*** *** 1234');
  expect(one.text('1234')).toBe(MASK);
  expect(boundValue({ pin: 1234, text: 'x1234' }, VALUE_LIMIT, one)).toEqual({ pin: MASK, text: 'x1234' });
  expect(all.text('hunter2-own')).toBe('hunter2-own');
});

describe('a text left unchanged', () => {
  test('values of less than six characters are not looked for', () => {
    const redactor = redactorFor('abcde');
    expect(redactor.active).toBe(false);
    expect(redactor.text('abcdefg')).toBe('abcdefg');
  });

  test('a text without a secret comes back as it is', () => {
    const text = 'nothing to see';
    expect(redactorFor(canary).text(text)).toBe(text);
  });
});

describe('a text that was cut off', () => {
  test('leaves no beginning of a secret of six characters or more', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz';
    const redactor = redactorFor(secret);
    for (let length = 6; length < secret.length; length++) {
      const cut = `text ${secret.slice(0, length)}`;
      expect(redactor.beginning(cut)).toBe(`text ${MASK}`);
      expect(redactor.text(`${cut}…`)).toBe(`text ${MASK}…`);
    }
  });

  test('leaves none in what is recorded of large values', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const redactor = redactorFor(secret);
    for (const at of [960, 980, 990, 994, 1000]) {
      const text = `${'x'.repeat(at)}${secret}${'y'.repeat(VALUE_LIMIT)}`;
      const values = [
        text,
        { [text]: text },
        [text],
        Buffer.from(text),
        { deep: { text: text.slice(at - 190) } },
      ];
      for (const value of values) {
        const kept = JSON.stringify(boundValue(value, VALUE_LIMIT, redactor));
        expect(kept).not.toContain(secret.slice(0, 7));
        expect(kept).not.toContain(base64(`${'x'.repeat(at)}${secret}`).slice(-24, -14));
      }
    }
  });
});

describe('a recorded value', () => {
  const redactor = redactorFor('s3cr3t-value', '123456789');

  test('has secrets masked in texts, names, numbers, bytes and errors, and nothing else changed', () => {
    const value = {
      text: 'a s3cr3t-value b',
      's3cr3t-value': [123456789, 12345678],
      bytes: Buffer.from('user:s3cr3t-value'),
      error: new Error('s3cr3t-value'),
      plain: { same: true },
    };
    const kept = boundValue(value, VALUE_LIMIT, redactor) as typeof value;
    expect(kept).toMatchObject({
      text: `a ${MASK} b`,
      [MASK]: [MASK, 12345678],
      error: { $error: { name: 'Error', message: MASK } },
    });
    expect(JSON.stringify(kept)).not.toContain('s3cr3t');
    expect(JSON.stringify(kept)).not.toContain(base64('user:s3cr3t-value').slice(8, 16));
    expect(kept.plain).toBe(value.plain);
  });

  test('is not touched where there is no secret to find', () => {
    const value = { text: 's3cr3t-value' };
    expect(boundValue(value, VALUE_LIMIT, createRedactor())).toBe(value);
  });
});

test('values that are replaced are masked for three generations, and the others always', () => {
  const redactor = createRedactor();
  redactor.add('a lasting value');
  for (const n of [1, 2, 3, 4, 5]) redactor.addUnder('tokens', [`access token ${n}`, `refresh token ${n}`]);
  redactor.addUnder('others', ['another token']);
  const masked = (text: string): boolean => redactor.text(text) === '***';
  expect([3, 4, 5].map((n) => masked(`access token ${n}`))).toEqual([true, true, true]);
  expect([1, 2].map((n) => masked(`refresh token ${n}`))).toEqual([false, false]);
  expect([masked('a lasting value'), masked('another token')]).toEqual([true, true]);
  // The same ones again are no new generation.
  for (const _ of [1, 2, 3]) redactor.addUnder('tokens', ['access token 5', 'refresh token 5']);
  expect(masked('access token 3')).toBe(true);
});
