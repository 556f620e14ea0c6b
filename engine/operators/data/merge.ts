import { z } from 'zod';
import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { defineOperator, manyInput, output, WeftError } from '../../base/operator.ts';
import { inSlices } from '../_slices.ts';

type Fields = Readonly<Record<string, unknown>>;
type Work<T> = Generator<undefined, T, undefined>;

export default defineOperator({
  title: 'Merge objects',
  doc: 'Merges the fields of several objects into one, in edge order: if two have the same field, the later one wins. Nulls are ignored.',
  icon: 'merge',
  summary: '[all levels {deep|if}]',
  synonyms: 'combine objects, assign, spread, extend object, join objects',
  params: z.object({
    deep: z.boolean().default(false).describe('Whether nested objects are merged as well, or replaced.'),
  }),
  inputs: {
    in: manyInput('any', { doc: 'Objects.', schema: z.record(z.string(), z.unknown()).nullable() }),
  },
  outputs: { out: output({ doc: 'The whole object.', schema: z.record(z.string(), z.unknown()) }) },
  // It is unknown which of them arrive, so a field is certain only if all have it.
  infer: { outputs: { out: { assign: [{ itemOf: { input: 'in' } }] } } },
  effects: 'pure',
  examples: [
    {
      title: 'Defaults and what was asked for',
      inputs: { in: [{ size: 'm', colour: 'red' }, { colour: 'blue' }] },
      outputs: { out: { size: 'm', colour: 'blue' } },
    },
    {
      title: 'Objects within objects',
      params: { deep: true },
      inputs: { in: [{ user: { name: 'Ada', age: 35 } }, null, { user: { age: 36 } }] },
      outputs: { out: { user: { name: 'Ada', age: 36 } } },
    },
    { title: 'A list has no fields', inputs: { in: [{ a: 1 }, [1]] }, error: 'bad_input' },
  ],
  run: (call) => inSlices(call, merge(call.input, call.params.deep)),
});

function* merge(values: readonly unknown[], deep: boolean): Work<Record<string, unknown>> {
  const count = { merged: 0 };
  let merged: Fields = {};
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (!isRecord(value)) throw new WeftError('bad_input', 'One of the inputs is not an object.');
    merged = deep ? yield* mergeDeep(merged, value, 0, count) : { ...merged, ...value };
  }
  return merged as Record<string, unknown>;
}

/** Most nested objects that are merged; an object that occurs in many places counts each time. */
const MAX_MERGED = 1_000_000;
const OBJECTS_A_STEP = 64;

interface Count {
  merged: number;
}

function* mergeDeep(under: Fields, over: Fields, depth: number, count: Count): Work<Fields> {
  if (depth === MAX_JSON_DEPTH)
    throw new WeftError('too_deep', `The objects are nested deeper than ${MAX_JSON_DEPTH} levels.`);
  if (++count.merged > MAX_MERGED)
    throw new WeftError('value_too_large', `There are more than ${MAX_MERGED} objects to merge.`);
  if (count.merged % OBJECTS_A_STEP === 0) yield;
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(over)) {
    const below = Object.hasOwn(under, name) ? under[name] : undefined;
    const isDeeper = isRecord(below) && isRecord(value);
    entries.push([name, isDeeper ? yield* mergeDeep(below, value, depth + 1, count) : value]);
  }
  // Made from entries, which sets a field called __proto__ like any other.
  return Object.fromEntries([...Object.entries(under), ...entries]);
}
