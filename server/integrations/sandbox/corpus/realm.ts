import { attacks } from './attack.ts';

const looksAround = `
const probe = (g) => { try { return g && g.process && g.process.pid ? 'ESCAPED' : 'no'; } catch { return 'no'; } };`;

/** Reaching the realm of the host or of the server. */
export const realmAttacks = attacks('harmless', {
  'process by name': "return typeof process === 'undefined' ? 'no' : 'ESCAPED';",
  'require by name': "return typeof require === 'undefined' ? 'no' : 'ESCAPED';",
  'module and exports': "return typeof module + typeof exports === 'undefinedundefined' ? 'no' : 'ESCAPED';",
  'fetch by name': "return typeof fetch === 'undefined' ? 'no' : 'ESCAPED';",
  'timers that are not ours':
    "return typeof setInterval + typeof setImmediate + typeof queueMicrotask === 'undefinedundefinedundefined' ? 'no' : 'ESCAPED';",
  'constructor of this': `${looksAround} return probe(Function('return this')());`,
  'indirect eval': `${looksAround} return probe((0, eval)('this'));`,
  'constructor of ctx': `${looksAround} return probe(ctx.constructor.constructor('return this')());`,
  'constructor of ctx.log': `${looksAround} return probe(ctx.log.constructor('return this')());`,
  'constructor of input': `${looksAround} return probe(input.constructor.constructor('return globalThis')());`,
  'constructor of a host promise': `${looksAround} const p = ctx.secret('x'); p.catch(() => {}); return probe(p.constructor.constructor('return this')());`,
  'constructor of a host error': `${looksAround} try { await ctx.secret('x'); } catch (e) { return probe(e.constructor.constructor('return this')()); }`,
  'prototype chain of a host error': `${looksAround} try { await ctx.fetch('http://x'); } catch (e) { let o = e; while (o) { if (probe(o.constructor('return this')) === 'ESCAPED') return 'ESCAPED'; o = Object.getPrototypeOf(o); } } return 'no';`,
  'caller of a function':
    "'use strict'; try { return (function f() { return f.caller; })() ? 'ESCAPED' : 'no'; } catch { return 'no'; }",
  'arguments of the caller':
    "try { return (function () { return arguments.callee.caller; })() ? 'ESCAPED' : 'no'; } catch { return 'no'; }",
  'stack frames by prepareStackTrace': `${looksAround} try { Error.prepareStackTrace = (_, frames) => frames; const e = new Error('x'); const f = e.stack[0]; return probe(f && f.getThis && f.getThis()) + probe(f && f.getFunction && f.getFunction()); } catch { return 'no'; }`,
  'stack frames of an overflow':
    "Error.stackTraceLimit = Infinity; const f = () => f(); try { f(); } catch (e) { return /server|main\\.js/.test(e.stack) ? 'ESCAPED' : 'no'; }",
  'RangeError of another realm': `${looksAround} const f = () => f(); try { f(); } catch (e) { return probe(e.constructor.constructor('return this')()); }`,
  'proxy as a thrown error':
    "throw new Proxy({}, { get: (t, k, r) => { try { r.process.exit(); } catch {} return 'x'; } });",
  'proxy as a result':
    "return new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }), get: (t, k) => (k === 'toJSON' ? undefined : typeof process) });",
  'symbols of the host': `${looksAround} const all = Object.getOwnPropertySymbols(globalThis); return all.map((s) => probe(globalThis[s])).join();`,
  'names of the guest side':
    "return [typeof enter, typeof calls, typeof outbox, typeof say].join() === 'undefined,undefined,undefined,undefined' ? 'no' : 'ESCAPED';",
  'guest side by Function':
    "return Function('return typeof enter + typeof outbox')() === 'undefinedundefined' ? 'no' : 'ESCAPED';",
  'walk over all globals': `${looksAround} const seen = new Set(); const queue = [globalThis]; while (queue.length && seen.size < 2000) { const o = queue.pop(); if (o === null || (typeof o !== 'object' && typeof o !== 'function') || seen.has(o)) continue; seen.add(o); if (probe(o) === 'ESCAPED') return 'ESCAPED'; for (const k of Reflect.ownKeys(o)) { try { queue.push(o[k]); } catch {} } } return 'no';`,
  'WebAssembly for memory': "return typeof WebAssembly === 'undefined' ? 'no' : 'ESCAPED';",
  'shared memory for clocks': "return typeof SharedArrayBuffer === 'undefined' ? 'no' : 'ESCAPED';",
  'dynamic import in eval':
    "try { const m = await eval(\"import('node:fs')\"); return m.readFileSync ? 'ESCAPED' : 'no'; } catch { return 'no'; }",
  'dynamic import in Function':
    "try { const m = await Function(\"return import('node:child_process')\")(); return m.spawn ? 'ESCAPED' : 'no'; } catch { return 'no'; }",
  'dynamic import rejection':
    "try { await Function(\"return import('x')\")(); } catch (e) { try { return e.constructor.constructor('return process')().pid ? 'ESCAPED' : 'no'; } catch { return 'no'; } }",
  'import.meta in eval': "try { return eval('import.meta.url') ? 'ESCAPED' : 'no'; } catch { return 'no'; }",
  'source of the compiled function':
    "return /server|enter/.test(String(arguments.callee ?? '')) ? 'ESCAPED' : 'no';",
  'iterator of a host list': `${looksAround} const it = input.tags[Symbol.iterator](); return probe(it.constructor && it.constructor.constructor('return this')());`,
  'globals of ShadowRealm':
    "return typeof ShadowRealm === 'undefined' ? 'no' : new ShadowRealm().evaluate('typeof process') === 'undefined' ? 'no' : 'ESCAPED';",
});

/** Closing the function that the code becomes. All of it must be refused before it runs. */
export const syntaxAttacks = attacks('error', {
  'a brace too many': "} return 'ESCAPED'; {",
  'closing call and function': "}); (() => { return 'ESCAPED'; })(); (function () {",
  'closing with a comment': 'return 1; } /*',
  'an import': "import fs from 'node:fs'; return 'ESCAPED';",
  'an export': 'export const x = 1;',
  'import as a call': "return (await import('node:fs')).readFileSync('/etc/passwd', 'utf8') + 'ESCAPED';",
  'with around everything': 'with (globalThis) { return process; }',
  'a generator where a function is wanted': "yield 'ESCAPED';",
  'brackets by the thousand': `return ${'['.repeat(20_000)}${']'.repeat(20_000)};`,
});
