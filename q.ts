import { evaluate } from './engine/expr/testing/evaluate.ts';
for (const s of process.argv.slice(2)) { try { console.log(s, '=>', JSON.stringify(evaluate(s))); } catch (e: any) { console.log(s, '!!', e.code, e.message, e.offset, e.length, e.suggestion); } }
