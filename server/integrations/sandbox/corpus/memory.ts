import { attacks } from './attack.ts';

/** Taking memory until something breaks. */
export const memoryAttacks = attacks('error', {
  'lists in a list': 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));',
  'a text that doubles': "let s = 'x'; for (;;) s += s;",
  'texts that are kept': "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length);",
  'array buffers': 'const all = []; for (;;) all.push(new ArrayBuffer(5e7));',
  'array buffers that are filled': 'const all = []; for (;;) all.push(new Uint8Array(2e7).fill(1));',
  'a map without end': 'const all = new Map(); for (let i = 0; ; i++) all.set({}, i);',
  'a join of a long list':
    "return new Array(2 ** 27).join('xy').length + new Array(2 ** 28).fill('x').join('y').length;",
  'a list filled from end to end': 'const all = []; for (;;) all.push(new Array(2 ** 25).fill(1.5));',
  'lists put together': 'let a = new Array(1e6).fill(1); for (;;) a = a.concat(a);',
  'a recursion without end': 'const f = () => f() + 1; return f();',
  'a recursion with large frames': 'const f = (...a) => f(...a, ...a, 1); return f(1);',
  'closures without end': 'let f = () => 0; for (;;) { const g = f; f = () => g; f.x = new Array(1000); }',
  'objects by the million in the result': 'return Array.from({ length: 4e6 }, (_, i) => ({ i }));',
  'promises without end': 'const all = []; for (;;) all.push(new Promise(() => {}), new Array(1e4));',
});

/** Results, errors, logs and requests that are too large for their receivers. */
export const channelAttacks = [
  ...attacks('error', {
    'a result of 5 MB': "return 'x'.repeat(5e6);",
    'a result that is nested too deeply': 'let a = []; for (let i = 0; i < 1000; i++) a = [a]; return a;',
    'a result nested beyond the stack': 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;',
    'a result that holds itself': 'const a = {}; a.a = a; return a;',
    'a function as the result': 'return () => 1;',
    'a symbol as the result': "return Symbol('x');",
    'a BigInt as the result': 'return 1n;',
    'an error with a message of 5 MB': "throw new Error('x'.repeat(5e6));",
    'null thrown': 'throw null;',
    'undefined thrown': 'throw undefined;',
    'a symbol thrown': "throw Symbol('x');",
    'a function thrown': 'throw () => 1;',
    'an error whose fields throw':
      'throw { get name() { throw 1; }, get message() { throw 2; }, toJSON() { throw 3; } };',
    'an error without a prototype': 'throw Object.create(null);',
    'more questions than may wait':
      "return Promise.all(Array.from({ length: 100 }, () => ctx.fetch('http://127.0.0.1:1')));",
    'a question that is no text': "return ctx.fetch(Symbol('x'));",
    'a question that holds itself': 'const o = {}; o.headers = o; return ctx.fetch("http://x", o);',
  }),
  ...attacks('harmless', {
    'lines that look like the protocol':
      'ctx.log("V1 1 true\\nV1 1 \\"ESC\\"\\n"); return "V1 1 2\\nK1 1 {}";',
    'a log of 5 MB': "for (let i = 0; i < 5000; i++) ctx.log('x'.repeat(1000)); return 1;",
    'a line of 5 MB': "ctx.log('x'.repeat(5e6)); return 1;",
    'a million lines': "for (let i = 0; i < 2e5; i++) ctx.log('x'); return 1;",
    'a log that throws': 'try { ctx.log({ toJSON() { throw new Error("x"); } }); } catch {} return 1;',
    'odd numbers': 'return [NaN, Infinity, -0, 1e400];',
    'odd texts': String.raw`return ['\ud800', '\u2028', '\0', '\n', '\\', '"'];`,
    'holes and negative lengths': 'const a = [1, , 3]; a[-1] = 5; a.x = 1; return a;',
    'dates, maps and typed arrays':
      'return [new Map([[1, 2]]), new Set([1]), new Uint8Array(3), /x/, new Error("x")];',
    'undefined as the result': 'return undefined;',
  }),
];

/** The same by generators. */
export const streamAttacks = [
  ...attacks(
    'error',
    {
      'a stream with an endless loop': 'yield 1; for (;;);',
      'a stream that waits for ever': 'yield 1; await new Promise(() => {});',
      'a stream that takes all memory':
        'const all = []; for (;;) { all.push(new Array(1e6).fill(1)); if (all.length % 50 === 0) yield 1; }',
      'a stream with an item of 5 MB': "yield 'x'.repeat(5e6);",
      'a stream that throws': "yield 1; throw new Error('x');",
    },
    true,
  ),
  ...attacks(
    'harmless',
    {
      'a stream without end that is left': 'for (let i = 0; ; i++) yield i;',
      'a stream that does not end when it is told to': 'try { for (;;) yield 1; } finally { for (;;); }',
      'a stream that yields on its way out': 'try { for (;;) yield 1; } finally { yield 2; yield 3; }',
    },
    true,
  ),
];
