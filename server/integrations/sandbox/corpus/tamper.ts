import { attacks } from './attack.ts';

/** Changing things that the guest's side, the next call or the server relies on. */
export const tamperAttacks = attacks('harmless', {
  'JSON.stringify replaced': 'try { JSON.stringify = () => \'"ESCAPED"\'; } catch {} return { fine: true };',
  'JSON.parse replaced': "try { JSON.parse = () => 'ESCAPED'; } catch {} return 1;",
  'JSON as a whole': 'try { globalThis.JSON = { stringify: () => \'"ESCAPED"\' }; } catch {} return 1;',
  'Array.prototype.push replaced':
    "try { Array.prototype.push = function () { return 'ESCAPED'; }; } catch {} return [1];",
  'index setter on Array.prototype':
    "try { Object.defineProperty(Array.prototype, '0', { set() { throw 1; } }); } catch {} return [1];",
  'Map.prototype.get replaced': "try { Map.prototype.get = () => { throw 'ESCAPED'; }; } catch {} return 1;",
  'Promise.prototype.then replaced':
    "try { Promise.prototype.then = function (ok) { ok('ESCAPED'); }; } catch {} await null; return 'fine';",
  'Promise constructor replaced':
    "try { globalThis.Promise = class {}; } catch {} return await ctx.secret('x').catch(() => 'no');",
  'String replaced': "try { globalThis.String = () => 'ESCAPED'; } catch {} throw new Error('x');",
  'toString of errors': "try { Error.prototype.toString = () => 'ESCAPED'; } catch {} throw new Error('x');",
  'toJSON on Object.prototype':
    "try { Object.prototype.toJSON = () => 'ESCAPED'; } catch {} return { a: 1 };",
  'toJSON on String.prototype': "try { String.prototype.toJSON = () => 'ESCAPED'; } catch {} return 'x';",
  'getter on Object.prototype':
    "try { Object.defineProperty(Object.prototype, 'ctx', { get: () => 'ESCAPED' }); } catch {} return 1;",
  'setter on Object.prototype':
    "try { Object.defineProperty(Object.prototype, 'input', { set: () => 0 }); } catch {} return 1;",
  'Function.prototype.call replaced':
    "try { Function.prototype.call = () => 'ESCAPED'; Function.prototype.apply = () => 'ESCAPED'; } catch {} return 1;",
  'Symbol.iterator of arrays':
    "try { Array.prototype[Symbol.iterator] = function* () { yield 'ESCAPED'; }; } catch {} return [...[1]].length;",
  'Symbol.species':
    'try { Object.defineProperty(Array, Symbol.species, { get: () => function () { return { ESCAPED: 1 }; } }); } catch {} return [1].map((x) => x);',
  'async function prototype':
    "try { Object.getPrototypeOf(async () => {}).constructor = () => 'ESCAPED'; } catch {} return 1;",
  'generator prototype':
    "try { Object.getPrototypeOf(async function* () {}).prototype.next = () => 'ESCAPED'; } catch {} return 1;",
  'a field of globalThis':
    "try { globalThis.marker = 'SHARED'; } catch {} return typeof marker === 'undefined' ? 'no' : 'ESCAPED';",
  'a global by var in eval': "(0, eval)('try { var leaked = 1; } catch {}'); return 1;",
  'freezing ctx and more': 'Object.freeze(ctx); Object.freeze(input); Object.freeze(Object); return 1;',
  'ctx changed':
    "try { ctx.log = () => 'ESCAPED'; ctx.log.info = null; } catch {} ctx.log('fine'); return 1;",
  'prototype pollution by JSON': `const o = JSON.parse('{"__proto__":{"polluted":"ESCAPED"}}'); Object.assign({}, o); return ({}).polluted ?? 'no';`,
  'pollution by the result': `return JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');`,
  'pollution by a merge':
    "try { const merge = (a, b) => { for (const k in b) typeof b[k] === 'object' ? merge(a[k] ??= {}, b[k]) : (a[k] = b[k]); }; merge({}, JSON.parse('{\"__proto__\":{\"polluted\":1}}')); } catch {} return ({}).polluted ? 'SHARED' : 'no';",
  'pollution by an error':
    'throw Object.assign(new Error(\'x\'), JSON.parse(\'{"__proto__":{"polluted":1},"code":"unauthorized"}\'));',
  'input changed': "input.name = 'ESCAPED'; input.nested.x = 2; input.tags.push('c'); return 1;",
  'valueOf of the result': "return { valueOf: () => 'ESCAPED', toString: () => 'ESCAPED', a: 1 };",
});

/** Looks for traces of `tamperAttacks`; run in another flow and in the same one. */
export const lookForTraces = `
const found = [typeof marker, typeof leaked, ({}).polluted, [].polluted, ({}).toJSON, String([1].map((x) => x))].join();
return found === 'undefined,undefined,,,,1' ? 'clean' : 'SHARED ' + found;`;
