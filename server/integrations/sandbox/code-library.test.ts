import { createHash, createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { HttpRequest, Services } from '#engine';
import { callOf, type TestCall } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

describe.each(['isolated-vm', 'quickjs'] as const)('the library of code in %s', (engine) => {
  const requests: HttpRequest[] = [];
  const services: Services = { http: { send: (request) => respond(requests, request) } };
  const sandbox = testSandbox({ engine, services });
  afterAll(() => sandbox.close());
  const run = (source: string, input: unknown = null, more: TestCall = {}) =>
    sandbox.run(callOf(source, input, more));

  test('Buffer reads and writes texts in common encodings', async () => {
    const source = `const b = Buffer.from(input); const encodings = ['utf8', 'base64', 'base64url', 'hex', 'latin1', 'utf16le'];
      return encodings.map((e) => [b.toString(e), Buffer.from(b.toString(e), e).length]);`;
    const node = Buffer.from('ä😀?>');
    const encodings = ['utf8', 'base64', 'base64url', 'hex', 'latin1', 'utf16le'] as const;
    expect(await run(source, 'ä😀?>')).toEqual(
      encodings.map((e) => [node.toString(e), Buffer.from(node.toString(e), e).length]),
    );
  });

  test('Buffer joins, cuts and compares bytes', async () => {
    const source = `const b = Buffer.concat([Buffer.from('ab'), Buffer.alloc(2, 'x'), new Uint8Array([99])]);
      const part = b.slice(1, 3); part[0] = 90; const number = Buffer.alloc(6); number.writeUInt32BE(7, 2);
      return [b.toString(), part.toString(), Buffer.isBuffer(part), b.equals(Buffer.from('aZxxc')), Buffer.byteLength('ä'),
        Buffer.compare(b, Buffer.from('b')), b.indexOf('xx'), b.includes(99), number.readUInt32BE(2), JSON.stringify(Buffer.from([1]))];`;
    expect(await run(source)).toEqual([
      'aZxxc',
      'Zx',
      true,
      true,
      2,
      -1,
      2,
      true,
      7,
      '{"type":"Buffer","data":[1]}',
    ]);
  });

  test('bytes are no result; the error says what they can become', async () => {
    for (const bytes of ['Buffer.from("a")', 'new Uint8Array(1)']) {
      const failed = run(`return { a: ${bytes} };`);
      await expect(failed).rejects.toMatchObject({ code: 'code_failed', data: { path: 'a' } });
      await expect(failed).rejects.toThrow('ctx.newFile');
    }
  });

  test('atob, btoa, TextEncoder and TextDecoder are those of browsers', async () => {
    const source = `const bytes = new TextEncoder().encode('ä€😀\\ud800');
      const fails = (f) => { try { f(); return false; } catch { return true; } };
      return [btoa('\\xff?'), atob(' /z8= '), [...bytes].length, new TextDecoder().decode(bytes), new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 97, 0xe2, 0x82, 98])),
        fails(() => btoa('€')), fails(() => atob('a')), fails(() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))), fails(() => new TextDecoder('koi8-r'))];`;
    const broken = new TextDecoder().decode(new Uint8Array([97, 0xe2, 0x82, 98]));
    expect(await run(source)).toEqual(['/z8=', 'ÿ?', 12, 'ä€😀\ufffd', broken, true, true, true, true]);
  });

  test('URL and URLSearchParams read, change and write addresses', async () => {
    const source = `const u = new URL('../b?x=1&y=a+b#h', 'https://Ada:pw@München.example:443/a/c/d');
      u.searchParams.append('z', 'ä&'); u.searchParams.delete('x'); u.port = '8080'; u.hash = '';
      return [u.href, u.origin, u.searchParams.get('y'), URL.canParse('x'), String(new URLSearchParams({ a: '1 2' })), { u }];`;
    const href = 'https://Ada:pw@xn--mnchen-3ya.example:8080/a/b?y=a+b&z=%C3%A4%26';
    const origin = 'https://xn--mnchen-3ya.example:8080';
    expect(await run(source)).toEqual([href, origin, 'a b', false, 'a=1+2', { u: href }]);
    await expect(run("return new URL('x y');")).rejects.toThrow('TypeError: Invalid URL: x y');
  });

  test('structuredClone copies what JSON cannot hold', async () => {
    const source = `const a = { date: new Date(5), map: new Map([[1, new Set([2])]]), bytes: new Uint8Array([1, 2]), hole: undefined, re: /x/gi };
      a.self = a; const b = structuredClone(a); b.bytes[0] = 9;
      let refused = false; try { structuredClone(() => 1); } catch { refused = true; }
      return [b !== a, b.self === b, b.date.getTime(), [...b.map.get(1)], a.bytes[0], 'hole' in b, String(b.re), refused];`;
    expect(await run(source)).toEqual([true, true, 5, [2], 1, true, '/x/gi', true]);
  });

  test('crypto gives random values and ids that are never the same', async () => {
    const source = `const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
      return { a, b, bytes: Buffer.from(crypto.getRandomValues(new Uint8Array(40))).toString('hex') };`;
    const all = (await Promise.all([run(source), run(source)])) as { a: string; b: string; bytes: string }[];
    expect(new Set(all.flatMap(({ a, b, bytes }) => [a, b, bytes])).size).toBe(6);
    expect(all[0]?.a).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test('crypto.subtle makes digests and signatures', async () => {
    const source = `const hex = (bytes) => Buffer.from(bytes).toString('hex');
      const hashes = []; for (const name of ['MD5', 'SHA-1', 'SHA-256', 'SHA-512']) hashes.push(hex(await crypto.subtle.digest(name, 'ä')));
      const key = await crypto.subtle.importKey('raw', 'secret', { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
      const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('x'));
      return [hashes, hex(mac), await crypto.subtle.verify('HMAC', key, mac, 'x'), await crypto.subtle.verify('HMAC', key, mac, 'y'), key.type];`;
    const hashes = ['md5', 'sha1', 'sha256', 'sha512'].map((n) => createHash(n).update('ä').digest('hex'));
    const mac = createHmac('sha256', 'secret').update('x').digest('hex');
    expect(await run(source)).toEqual([hashes, mac, true, false, 'secret']);
  });

  test.each([
    ['RSA', { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }],
    ['EC', { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }],
  ])('crypto.subtle signs with a key of %s in PEM', async (type, algorithm) => {
    const { privateKey, publicKey } =
      type === 'RSA'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const source = `const key = await crypto.subtle.importKey('pkcs8', input.pem, input.algorithm, false, ['sign']);
      return Buffer.from(await crypto.subtle.sign(input.algorithm, key, 'text')).toString('base64');`;
    const signature = Buffer.from((await run(source, { pem, algorithm })) as string, 'base64');
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const };
    expect(verify('sha256', Buffer.from('text'), key, signature)).toBe(true);
  });

  test('timers fire in their order, and not when they were cleared', async () => {
    const source = `const fired = []; setTimeout(() => fired.push('b'), 30); setTimeout((x) => fired.push(x), 5, 'a');
      clearTimeout(setTimeout(() => fired.push('never'), 1)); await ctx.sleep(60); return fired;`;
    expect(await run(source)).toEqual(['a', 'b']);
    const failed = run("setTimeout(() => { throw new Error('late'); }, 1); await ctx.sleep(1000);");
    await expect(failed).rejects.toMatchObject({ code: 'code_failed' });
    await expect(run('await ctx.sleep(60_000);', null, { maxMs: 100 })).rejects.toMatchObject({
      code: 'code_timeout',
    });
    await expect(run('await ctx.sleep(-1);')).rejects.toThrow('ctx.sleep takes milliseconds');
  });

  test("in a test timers move the test's clock, and random values are always the same", async () => {
    const source = `const start = Date.now(); const order = [];
      setTimeout(() => order.push('second ' + (Date.now() - start)), 600_000);
      setTimeout(() => order.push('first ' + (Date.now() - start)), 1000);
      await ctx.sleep(900_000); return [order, Date.now() - start, crypto.randomUUID()];`;
    const simulated = { now: 1000, seed: 7 };
    const once = () => sandbox.run({ ...callOf(source, null), simulated });
    const first = (await once()) as unknown[];
    expect(first.slice(0, 2)).toEqual([['first 1000', 'second 600000'], 900_000]);
    expect(await once()).toEqual(first);
  });

  test('pure code has what depends on the input alone', async () => {
    const source =
      'return [typeof Buffer, typeof URL, typeof crypto, typeof setTimeout, typeof ctx.sleep, typeof ctx.file, typeof ctx.state];';
    const nothing = Array.from({ length: 5 }, () => 'undefined');
    expect(await run(source, null, { pure: true })).toEqual(['function', 'function', ...nothing]);
  });

  test('names of the library may be declared anew', async () => {
    const source =
      'const crypto = 1; const URL = 2; function setTimeout() { return 3; }\nclass Buffer {}\nreturn [crypto, URL, setTimeout(), typeof Buffer.from];';
    expect(await run(source)).toEqual([1, 2, 3, 'undefined']);
    const failed = run('const a = crypto.randomUUID();\nnull.x;');
    await expect(failed).rejects.toMatchObject({ data: { line: 2 } });
  });

  test('a request sends bytes, and its answer is read as bytes', async () => {
    const source = `const r = await ctx.fetch('http://x.test', { method: 'POST', body: new Uint8Array([0, 255]) });
      const form = await ctx.fetch(new URL('http://y.test'), { method: 'POST', body: new URLSearchParams({ a: '1' }), headers: { X: '1' } });
      return [[...(await r.bytes())], (await form.arrayBuffer()).byteLength];`;
    expect(await run(source)).toEqual([[0, 200], 2]);
    expect(requests.splice(0)).toMatchObject([
      { body: Buffer.from([0, 255]), headers: { 'content-type': 'application/octet-stream' } },
      {
        body: 'a=1',
        headers: { x: '1', 'content-type': expect.stringContaining('form-urlencoded') as string },
      },
    ]);
  });
});

/** Two bytes that are no text. */
async function respond(requests: HttpRequest[], request: HttpRequest) {
  requests.push(request);
  const body = (async function* () {
    yield Buffer.from([0, 200]);
  })();
  return { status: 200, url: request.url, headers: {}, body };
}
