import { attacks } from './attack.ts';

/** Computing or waiting for ever. */
export const hangAttacks = attacks('error', {
  'an endless loop': 'for (;;);',
  'an endless loop after an await': 'await null; for (;;);',
  'an endless loop after the outside answered': "await ctx.secret('x').catch(() => {}); for (;;);",
  'an endless chain of promises': 'for (;;) await null;',
  'an endless chain by then': 'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {});',
  'two chains that feed each other':
    'const a = async () => { await null; return b(); }; const b = async () => { await null; return a(); }; return a();',
  'a promise that never settles': 'await new Promise(() => {});',
  'an endless loop in a getter of the result': 'return { get a() { for (;;); } };',
  'an endless loop in toJSON': 'return { toJSON() { for (;;); } };',
  'an endless loop in the message of an error':
    "throw Object.defineProperty(new Error('x'), 'message', { get() { for (;;); } });",
  'an endless loop in the stack of an error':
    "throw Object.defineProperty(new Error('x'), 'stack', { get() { for (;;); } });",
  'an endless loop in a proxy that is thrown': 'throw new Proxy(new Error(), { get() { for (;;); } });',
  'an endless loop that catches everything': 'for (;;) { try { for (;;); } catch {} finally { for (;;); } }',
  'an endless recursion that catches': 'const f = () => { try { f(); } finally { f(); } }; f();',
  'an endless iterator': 'for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });',
  'an endless spread': 'return [...(function* () { for (;;) yield 1; })()];',
  'an endless sort': 'return Array.from({ length: 1e6 }, (_, i) => -i).sort(() => { for (;;); });',
  'an endless loop in the executor of a promise': 'new Promise(() => { for (;;); }); return 1;',
  'an endless loop in an executor in toJSON':
    'return { toJSON() { new Promise(() => { for (;;); }); return 1; } };',
  'a regular expression that backtracks': "return /^(a+)+$/.test('a'.repeat(40) + 'b');",
  'nested backtracking': "return /^((a|a)*)*b$/.test('a'.repeat(40));",
  'a search in a sparse list': 'const a = [1]; a.length = 2 ** 32 - 1; return a.indexOf(7);',
  'a search backwards in a sparse list': 'const a = [1]; a.length = 2 ** 32 - 1; return a.lastIndexOf(7);',
  'the power of a big number': 'return String((2n ** 3000000n) ** 40n).length;',
  'a big number as text': 'let x = 3n ** 400000n; for (;;) { String(x); x *= x; }',
  'a native sort': 'for (;;) Array.from({ length: 3e6 }, Math.random).sort();',
  'includes on a huge proxy':
    'return Array.prototype.includes.call(new Proxy({ length: 2 ** 53 - 1 }, { get: (t, k) => (k === "length" ? 2 ** 53 - 1 : 0) }), 1);',
  'copyWithin on a huge object': 'return Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);',
  'a loop in eval': "eval('for (;;);');",
  'a loop in a microtask behind the result':
    'Promise.resolve().then(() => { for (;;); }); await null; await null; return 1;',
});

/**
 * Code that leaves something running after its result, and code that may end without ever calling the part that
 * hangs.
 */
export const lateAttacks = attacks('harmless', {
  'a sort of equal items': 'return Array.from({ length: 1e6 }, () => 1).sort(() => { for (;;); }).length;',
  'a loop behind a synchronous result': 'Promise.resolve().then(() => { for (;;); }); return 1;',
  'a chain behind a synchronous result': 'const f = () => Promise.resolve().then(f); f(); return 1;',
  'an unhandled rejection': "Promise.reject(new Error('late')); return 1;",
  'a rejection by the thousand': 'for (let i = 0; i < 5000; i++) Promise.reject(i); return 1;',
  'a thenable as the result': "return { then(ok) { ok('x'); for (;;); } };",
  'questions behind the result': "for (let i = 0; i < 10; i++) ctx.secret('x').catch(() => {}); return 1;",
  'a log behind the result': "Promise.resolve().then(() => ctx.log('late')); return 1;",
  'a finalizer':
    'if (typeof FinalizationRegistry !== "undefined") new FinalizationRegistry(() => { for (;;); }).register({}, 1); return 1;',
});
