import { attacks } from './attack.ts';

const looksAround = `
const probe = (g) => { try { return g && g.process && g.process.pid ? 'ESCAPED' : 'no'; } catch { return 'no'; } };`;
const globals =
  '[Buffer, URL, URLSearchParams, TextEncoder, TextDecoder, atob, btoa, structuredClone, setTimeout, clearTimeout, crypto.subtle.sign, crypto.getRandomValues, ctx.sleep, ctx.file, ctx.newFile, ctx.state.get]';
const pem =
  "'-----BEGIN PRIVATE KEY-----' + Buffer.alloc(3000, 65).toString('base64') + '-----END PRIVATE KEY-----'";

/** Getting out through the library, changing it, and taking what it does not give. */
export const libraryAttacks = [
  ...attacks('harmless', {
    'constructors of the library': `${looksAround} return ${globals}.map((g) => probe(g.constructor('return this')())).join();`,
    'prototypes of the library polluted': `try { for (const g of ${globals}) for (const o of [g, g.prototype ?? {}]) { try { o.polluted = 'SHARED'; } catch {} try { o.toString = () => 'ESCAPED'; } catch {} } Object.prototype.polluted = 1; } catch {} return [({}).polluted, Buffer.from('x').polluted, String(Buffer.from('x'))];`,
    'Buffer.from replaced':
      "try { Buffer.from = () => 'ESCAPED'; } catch {} try { Buffer.prototype.toString = () => 'ESCAPED'; } catch {} return Buffer.from('x').toString();",
    'crypto replaced':
      "try { crypto.randomUUID = () => 'ESCAPED'; } catch {} try { Object.getPrototypeOf(crypto).randomUUID = () => 'SHARED'; } catch {} try { crypto.subtle.sign = () => 'ESCAPED'; } catch {} return crypto.randomUUID().length;",
    'another crypto made':
      "return [crypto.constructor, crypto.subtle.constructor].map((c) => c === Object ? 'no' : 'ESCAPED').join();",
    'the search parameters of another URL':
      "const a = new URL('http://a'); const b = new URL('http://b'); try { a.searchParams.constructor.prototype.append.call({}, 'x', 'y'); } catch {} a.searchParams.append('x', '1'); return b.search === '' ? 'no' : 'SHARED';",
    'memory behind a Buffer':
      "const b = Buffer.from('x'); return b.buffer.byteLength < 100 && Buffer.allocUnsafe(1000).every((x) => x === 0) ? 'no' : 'ESCAPED';",
    'a clone with a trap':
      "const o = JSON.parse('{\"__proto__\":{\"polluted\":1}}'); const c = structuredClone(o); return ({}).polluted || c.polluted ? 'ESCAPED' : 'no';",
    'a clone of getters':
      "return structuredClone({ get a() { return globalThis.process ? 'ESCAPED' : 'no'; }, [Symbol.toStringTag]: 'Date' });",
    'a thenable as a timer':
      "setTimeout({ then(f) { f('ESCAPED'); } }.then, 1); await ctx.sleep(5); return 1;",
    'a timer as text': 'try { setTimeout(\'globalThis.x = "ESCAPED"\', 0); } catch {} return 1;',
    'a timer that leaves behind': "setTimeout(() => { throw new Error('SHARED'); }, 200); return 1;",
    'timers by the thousand': 'for (let i = 0; i < 1e4; i++) setTimeout(() => {}, 9e5); return 1;',
    'random values that are known':
      "Math.random = () => 0; return crypto.randomUUID() === crypto.randomUUID() ? 'ESCAPED' : 'no';",
    'the seed of random values':
      "return [typeof seed, typeof block, typeof keys, typeof offered, typeof bind].every((t) => t === 'undefined') ? 'no' : 'ESCAPED';",
    'a body that closes its function': 'return \'})(); return "x"; (function(){\' + typeof local;',
  }),
  ...attacks('error', {
    'a Buffer of all memory': 'const all = []; for (;;) all.push(Buffer.alloc(5e7, 1));',
    'a Buffer of too many bytes': 'return Buffer.alloc(2 ** 40).length;',
    'a Buffer of a negative size': 'return Buffer.alloc(-1).length;',
    'a text of all memory':
      "const b = Buffer.alloc(2e7, 'x'); const all = []; for (;;) all.push(b.toString('hex'));",
    'buffers put together without end': "let b = Buffer.from('x'); for (;;) b = Buffer.concat([b, b]);",
    'a list that claims to be long': 'return Buffer.concat([Buffer.from("x")], 2 ** 53 - 1).length;',
    'an endless list as a Buffer':
      "return Buffer.from({ type: 'Buffer', data: new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 32 - 1 : t[k]) }) });",
    'an endless iterator as parameters':
      'return String(new URLSearchParams((function* () { for (;;) yield [1, 2]; })()));',
    'an address that doubles': "let u = new URL('http://a/'); for (;;) u.pathname += u.pathname;",
    'a host without end': "let h = 'ä'; for (;;) { h += h; new URL('http://' + h); }",
    'a clone without end':
      'const a = new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: () => new Proxy({}, { ownKeys: () => ["a"] }) }); for (;;) structuredClone(a);',
    'a clone nested beyond the stack':
      'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return structuredClone(a).length;',
    'a sleep without end': 'await ctx.sleep(900_000);',
    'a sleep of no number': 'await ctx.sleep(NaN);',
    'a sleep without limit': 'await ctx.sleep(Infinity);',
    'timers that start timers':
      'const again = () => setTimeout(again, 0); again(); await new Promise(() => {});',
    'an endless loop in a timer': 'setTimeout(() => { for (;;); }, 1); await ctx.sleep(100); return 1;',
    'more timers than may wait':
      'for (let i = 0; i < 1000; i++) setTimeout(() => {}, 1); await ctx.sleep(100);',
    'random values without limit': 'for (;;) crypto.getRandomValues(new Uint8Array(65_536));',
    'too many random values': 'crypto.getRandomValues(new Uint8Array(70_000)); return 1;',
    'a digest of too much': "return crypto.subtle.digest('SHA-256', new Uint8Array(2e7));",
    'a digest by a name of odd fields':
      "return crypto.subtle.digest({ name: { toString() { for (;;); } } }, 'x');",
    'an unknown digest': "return crypto.subtle.digest('__proto__', 'x');",
    'digests without end': "for (;;) await crypto.subtle.digest('SHA-512', new Uint8Array(1e6));",
    'a key of no sense': `return crypto.subtle.importKey('pkcs8', ${pem}, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['sign']);`,
    'a key of absurd size':
      "return crypto.subtle.importKey('raw', new Uint8Array(1e6), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);",
    'an RSA key of absurd size':
      "return crypto.subtle.importKey('jwk', { kty: 'RSA', n: 'A'.repeat(1e5), e: 'AQAB' }, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify']);",
    'a large public exponent':
      "const key = await crypto.subtle.importKey('jwk', { kty: 'RSA', n: 'v'.repeat(1400), e: 'v'.repeat(1300) }, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify']); return crypto.subtle.verify('RSASSA-PKCS1-v1_5', key, 'x', 'y');",
    'a derivation that takes long':
      "return crypto.subtle.importKey('raw', 'x', 'PBKDF2', false, ['deriveBits']);",
    'a salt of absurd length':
      "const key = await crypto.subtle.importKey('raw', 'x', { name: 'HMAC', hash: 'SHA-256', length: 2 ** 31 }, false, ['sign']); return crypto.subtle.sign({ name: 'RSA-PSS', saltLength: 2 ** 31 }, key, 'x');",
    'a forged key':
      "return crypto.subtle.sign('HMAC', { type: 'secret', algorithm: { name: 'HMAC' } }, 'x');",
    'a forged file': "return ctx.file({ $file: 'f_' + 'a'.repeat(32) }).text();",
    'a file by a path': "return ctx.file({ $file: '../../../etc/passwd' }).bytes();",
    'a file with an odd handle': 'return ctx.file({ $file: { toString: () => "x" } }).bytes();',
    'a new file that is too large': 'return ctx.newFile({ bytes: new Uint8Array(3e7) });',
    'files without end': 'for (;;) await ctx.newFile({ bytes: new Uint8Array(1e6) });',
    'state of another scope': "return ctx.state.get('x', { scope: 'other-flow' });",
    'state with a field of ours': "return ctx.state.get('x', { does: 'set', value: 'ESCAPED' });",
    'state that holds itself': "const a = {}; a.a = a; return ctx.state.set('x', a);",
    'questions whose JSON is forged': "return ctx.state.get('x', { toJSON: () => ({ does: 'add' }) });",
  }),
];
