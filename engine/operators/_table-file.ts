import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { isRecord } from '#shared/json.ts';
import { type Call, itemStream, type NewFile, optionalInput, output, WeftError } from '../base/operator.ts';
import { listOf } from './_list.ts';
import { reading } from './_record.ts';

/** The common part of operators that write a table into a file. */
export function writeParams(name: string) {
  return {
    name: z.string().min(1).max(200).default(name).describe('The name of the file.'),
    columns: z
      .array(z.string().max(200).meta({ widget: 'field' }))
      .max(1000)
      .optional()
      .describe(
        'The fields to write, in this order; by default all, in the order in which they occur. In a stream those of the first 500 objects; a field that occurs later is an error.',
      ),
    header: z.boolean().default(true).describe('Whether the first row names the columns.'),
  };
}

export const writeInputs = {
  in: optionalInput({ doc: 'A list of objects, or of lists.', schema: z.array(z.unknown()) }),
  stream: optionalInput<AsyncIterable<unknown>>({
    kind: 'stream',
    doc: 'Such items one by one, in place of the list.',
  }),
};

export const writeOutputs = { out: output({ doc: 'The file.', schema: FileValue }) };

type WriteCall = Call<{ readonly name: string }, { in?: unknown; stream?: unknown }>;

/** The list or the stream of a call, whichever there is. */
export function itemsOf({ inputs }: WriteCall): AsyncIterable<unknown> | readonly unknown[] {
  const { in: list, stream } = inputs;
  return stream === undefined ? listOf(list) : itemStream(stream);
}

/** Stores a table as a file of the run, while it is written. */
export async function storeTable(
  call: WriteCall,
  type: string,
  content: NewFile['content'],
): Promise<FileValue> {
  const { name } = call.params;
  return await call.service('files').create({ name, type, content }, call.asker, call.signal);
}

/** The number of rows that are passed on together. */
const TOGETHER = 500;

/**
 * The rows of a list or a stream of objects or lists, in batches; the header first, if there is one. `columns`: the fields to
 * write; by default all of a list, and those of the first objects of a stream.
 */
export async function* rowsToWrite(
  items: AsyncIterable<unknown> | readonly unknown[],
  { columns, header }: { readonly columns?: readonly string[] | undefined; readonly header: boolean },
): AsyncGenerator<readonly (readonly unknown[])[]> {
  let names = columns ?? (Array.isArray(items) ? columnsOf(items) : undefined);
  let known: ReadonlySet<string> | undefined;
  let number = 0;
  for await (const some of groupsOf(items)) {
    if (names === undefined) {
      names = columnsOf(some);
      known = names && new Set(names);
    }
    const from = number;
    const rows = some.map((item, at) => reading(() => fieldsOf(item, names, { number: from + at, known })));
    yield names && header && number === 0 ? [names, ...rows] : rows;
    number += some.length;
  }
  if (number === 0 && columns && header) yield [columns];
}

async function* groupsOf(items: AsyncIterable<unknown> | readonly unknown[]): AsyncGenerator<unknown[]> {
  let some: unknown[] = [];
  for await (const item of items) {
    some.push(item);
    if (some.length < TOGETHER) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** The fields of all objects, in the order in which they occur; undefined if there are none, since lists have no names. */
export function columnsOf(items: readonly unknown[]): readonly string[] | undefined {
  const names = new Set<string>();
  let hasObjects = false;
  reading(() => {
    for (const item of items) {
      if (!isRecord(item)) continue;
      hasObjects = true;
      for (const name of Object.keys(item)) names.add(name);
    }
  });
  return hasObjects ? [...names] : undefined;
}

interface Place {
  /** The index of the item, from 0. */
  readonly number: number;
  /** The only fields that the item may have. */
  readonly known?: ReadonlySet<string> | undefined;
}

/** The cells of an item: those of a list, or the fields of an object by these names, null for a missing one. Throws `bad_input`. */
export function fieldsOf(
  item: unknown,
  names: readonly string[] | undefined,
  { number, known }: Place,
): readonly unknown[] {
  if (Array.isArray(item)) return item;
  if (!names || !isRecord(item))
    throw new WeftError('bad_input', `Item ${number} is neither an object nor a list.`);
  const further = known && Object.keys(item).find((name) => !known.has(name));
  if (further !== undefined)
    throw new WeftError(
      'bad_input',
      `Item ${number} has the field ${JSON.stringify(further)}, which none of the first ${TOGETHER} has; name all fields in \`columns\`.`,
      { field: 'params.columns' },
    );
  return names.map((name) => (Object.hasOwn(item, name) ? item[name] : null));
}
