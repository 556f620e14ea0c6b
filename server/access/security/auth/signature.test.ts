import { createHmac } from 'node:crypto';
import { fc } from '../../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import type { SignatureAuth } from '#shared/trigger-auth.ts';
import { provenMac, readClaim } from './signature.ts';

type Headers = Record<string, string>;
type Settings = Omit<SignatureAuth, 'type' | 'secret'>;

/** The result for a request: `ok`, or the code and message of the refusal. */
function outcome(
  settings: Settings,
  request: { headers: Headers; body: string | Uint8Array; secret: string; now?: number },
): string {
  const auth: SignatureAuth = { type: 'hmac', secret: { $secret: 's' }, ...settings };
  const { headers, body, secret, now = 0 } = request;
  try {
    provenMac(auth, readClaim(auth, headers, now), secret, Buffer.from(body));
    return 'ok';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

const mac = (secret: string, text: string | Uint8Array, algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(text).digest();

describe('the vectors that their makers have published', () => {
  test('of GitHub', () => {
    const request = {
      headers: {
        'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
      body: 'Hello, World!',
      secret: "It's a Secret to Everybody",
    };
    expect(outcome({ preset: 'github' }, request)).toBe('ok');
    expect(outcome({ preset: 'github' }, { ...request, body: 'Hello, World?' })).toMatch(
      /^signature_invalid/,
    );
  });

  test('of Slack', () => {
    const request = {
      headers: {
        'x-slack-request-timestamp': '1531420618',
        'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
      body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
      secret: '8f742231b10e8888abcd99yyyzzz85a5',
      now: 1_531_420_618_000,
    };
    expect(outcome({ preset: 'slack' }, request)).toBe('ok');
    expect(outcome({ preset: 'slack' }, { ...request, now: request.now + 300_000 })).toBe('ok');
    expect(outcome({ preset: 'slack' }, { ...request, now: request.now + 301_000 })).toContain('301 s off');
    expect(outcome({ preset: 'slack' }, { ...request, now: request.now - 301_000 })).toContain('301 s off');
  });

  // Test vectors of HMAC itself: RFC 4231, case 2, and RFC 2202, case 2.
  test.each([
    ['sha256', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    [
      'sha512',
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    ],
    ['sha1', 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
  ] as const)('of HMAC-%s', (algorithm, hex) => {
    const request = { headers: { 'x-signature': hex }, body: 'what do ya want for nothing?', secret: 'Jefe' };
    expect(outcome({ algorithm }, request)).toBe('ok');
    const base64 = Buffer.from(hex, 'hex').toString('base64');
    const other = { ...request, headers: { 'x-signature': base64 } };
    expect(outcome({ algorithm, encoding: 'base64' }, other)).toBe('ok');
  });
});

describe('the header of Stripe', () => {
  const secret = 'whsec_test';
  const body = '{"id":"evt_1","object":"event"}';
  const now = 1_492_774_577_000;
  const v1 = mac(secret, `1492774577.${body}`).toString('hex');
  const v0 = '6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39';
  const resultOf = (header: string, at = now) =>
    outcome({ preset: 'stripe' }, { headers: { 'stripe-signature': header }, body, secret, now: at });

  test.each([
    ['its usual header', `t=1492774577,v1=${v1},v0=${v0}`],
    ['two signatures, while the secret is being replaced', `t=1492774577,v1=${v0},v1=${v1}`],
    ['blanks after commas', `t=1492774577, v1=${v1}`],
  ])('%s is let in', (_, header) => {
    expect(resultOf(header)).toBe('ok');
  });

  test.each([
    ['the test scheme alone', `t=1492774577,v0=${v1}`],
    ['no time', `v1=${v1}`],
    ['an empty time', `t=,v1=${v1}`],
    ['another time', `t=1492774578,v1=${v1}`],
    ['a time that is no number', `t=1492774577x,v1=${v1}`],
    ['a time before the epoch', `t=-1492774577,v1=${v1}`],
    ['a second time after the true one', `t=1492774578,t=1492774577,v1=${v1}`],
    ['a list of guesses', `t=1492774577,${`v1=${v0},`.repeat(50)}v1=${v1}`],
    ['a bare signature', v1],
  ])('%s is not', (_, header) => {
    expect(resultOf(header)).toMatch(/^signature_invalid/);
  });

  test('an old one is not, and the answer contains its age', () => {
    expect(resultOf(`t=1492774577,v1=${v1}`, now + 600_000)).toContain('600 s off, where 300 s are allowed');
  });
});

describe('attacks on a custom signature', () => {
  const secret = 'a secret of both sides';
  const body = '{"order":1}';
  const right = mac(secret, body);
  const hex = right.toString('hex');
  const settings: Settings = { header: 'X-Mine', prefix: 'sig=' };
  const resultOf = (value: string | undefined, more: Partial<Settings> = {}) => {
    const headers = value === undefined ? {} : { 'x-mine': value };
    return outcome({ ...settings, ...more }, { headers, body, secret });
  };

  test('the right one is let in, whatever the case of its letters', () => {
    expect(resultOf(`sig=${hex}`)).toBe('ok');
    expect(resultOf(`sig=${hex.toUpperCase()}`)).toBe('ok');
  });

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['blanks', '   '],
  ])('%s: the answer names what to send', (_, value) => {
    expect(resultOf(value)).toBe(
      'unauthorized: This trigger takes signed requests, and `X-Mine` is missing: send `X-Mine: sig=<hex of HMAC-SHA256(secret, body)>`, over the raw body.',
    );
  });

  test.each([
    ['the prefix alone', 'sig='],
    ['no prefix', hex],
    ['another prefix', `sha256=${hex}`],
    ['another signature', `sig=${mac(secret, `${body} `).toString('hex')}`],
    ['one of another secret', `sig=${mac('', body).toString('hex')}`],
    ['a truncated one', `sig=${hex.slice(0, -2)}`],
    ['half a byte', `sig=${hex.slice(0, -1)}`],
    ['one that goes on', `sig=${hex}00`],
    ['one that ends in other letters', `sig=${hex.slice(0, -1)}g`],
    ['another algorithm', `sig=${mac(secret, body, 'sha512').toString('hex')}`],
    ['a shorter algorithm', `sig=${mac(secret, body, 'sha1').toString('hex')}`],
    ['a plain hash', `sig=${createHmac('sha256', '').update(secret).update(body).digest('hex')}`],
    ['base64 where hex is asked for', `sig=${right.toString('base64')}`],
    ['letters that only look like hex', `sig=${hex.replaceAll('a', 'а')}`],
    ['full-width digits', `sig=${hex.replace(/\d/, '１')}`],
    ['two headers as Node joins them', `sig=${hex}, sig=${hex}`],
    ['a line break within', `sig=${hex.slice(0, 10)}\n${hex.slice(10)}`],
    ['nothing but zeros', `sig=${'0'.repeat(64)}`],
  ])('%s is refused', (_, value) => {
    expect(resultOf(value)).toMatch(/^signature_invalid: .*send `X-Mine: sig=</);
  });

  test('a time that is asked for must be there and signed', () => {
    const timed: Partial<Settings> = { timestampHeader: 'X-Time', tolerance: 10 };
    const now = 1_000_000_000_000;
    const sent = (headers: Headers) => outcome({ ...settings, ...timed }, { headers, body, secret, now });
    const signed = mac(secret, `1000000000.${body}`).toString('hex');
    expect(sent({ 'x-mine': `sig=${signed}`, 'x-time': '1000000000' })).toBe('ok');
    expect(sent({ 'x-mine': `sig=${signed}` })).toMatch(/^unauthorized.*`X-Time` is missing/);
    expect(sent({ 'x-mine': `sig=${hex}`, 'x-time': '1000000000' })).toMatch(/^signature_invalid/);
    expect(sent({ 'x-mine': `sig=${signed}`, 'x-time': '1000000001' })).toMatch(/^signature_invalid/);
    expect(sent({ 'x-mine': `sig=${signed}`, 'x-time': '999999989' })).toContain('11 s off');
    for (const time of ['1e9', '0x3b9aca00', ' ', '1000000000.0', '１000000000', '9'.repeat(20)]) {
      expect(sent({ 'x-mine': `sig=${signed}`, 'x-time': time })).not.toBe('ok');
    }
  });
});

describe('for any body and secret', () => {
  const settings = fc.record({
    algorithm: fc.constantFrom('sha256', 'sha1', 'sha512'),
    encoding: fc.constantFrom('hex', 'base64'),
    prefix: fc.constantFrom('', 'v1='),
  } as const);

  test('its signature fits, and with any bit of body, signature or secret turned it does not', () => {
    fc.assert(
      fc.property(
        settings,
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.string({ minLength: 1 }),
        fc.nat(),
        fc.nat({ max: 7 }),
        (given, body, secret, place, bit) => {
          const right = mac(secret, body, given.algorithm);
          const resultOf = (bytes: Uint8Array, signature: Buffer, key = secret) => {
            const headers = { 'x-signature': `${given.prefix}${signature.toString(given.encoding)}` };
            return outcome(given, { headers, body: bytes, secret: key });
          };
          expect(resultOf(body, right)).toBe('ok');
          expect(resultOf(turned(body, place, bit), right)).toMatch(/^signature_invalid/);
          expect(resultOf(body, Buffer.from(turned(right, place, bit)))).toMatch(/^signature_invalid/);
          expect(resultOf(body, right, `${secret}x`)).toMatch(/^signature_invalid/);
        },
      ),
    );
  });
});

function turned(bytes: Uint8Array, place: number, bit: number): Uint8Array {
  const at = place % bytes.length;
  return bytes.map((byte, i) => (i === at ? byte ^ (1 << bit) : byte));
}
