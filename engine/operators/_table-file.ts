import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { isRecord } from '#shared/json.ts';
import { type Call, itemStream, type NewFile, optionalInput, output, WeftError } from '../base/operator.ts';
import { listOf } from './_list.ts';
import { reading } from './_record.ts';

/** What operators that write a table into a file have in common. */
export function writeParams(name: string) {
  return {
    name: z.string().min(1).max(200).default(name).describe('The name of the file.'),
    columns: z
      .array(z.string().max(200))
      .max(1000)
      .optional()
      .describe('The fields to write, in this order; by default those of the first object.'),
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

/** Rows that go on together. */
const TOGETHER = 500;

/**
 * The rows of a list or a stream of objects or lists, some together; the header first, if there is to be one. `columns`: the
 * fields to write; by default those of the first object.
 */
export async function* rowsToWrite(
  items: AsyncIterable<unknown> | readonly unknown[],
  { columns, header }: { readonly columns?: readonly string[] | undefined; readonly header: boolean },
): AsyncGenerator<readonly (readonly unknown[])[]> {
  let names = columns;
  let some: (readonly unknown[])[] = [];
  let number = 0;
  for await (const item of items) {
    if (number === 0) {
      names ??= reading(() => (isRecord(item) ? Object.keys(item) : undefined));
      if (names && header) some.push(names);
    }
    const at = number++;
    some.push(reading(() => fieldsOf(item, names, at)));
    if (some.length < TOGETHER) continue;
    yield some;
    some = [];
  }
  if (number === 0 && columns && header) some.push(columns);
  if (some.length > 0) yield some;
}

function fieldsOf(item: unknown, names: readonly string[] | undefined, number: number): readonly unknown[] {
  if (Array.isArray(item)) return item;
  if (names && isRecord(item)) return names.map((name) => (Object.hasOwn(item, name) ? item[name] : null));
  throw new WeftError('bad_input', `Item ${number} is neither an object nor a list.`);
}
