import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { z } from 'zod';
import { FileValue, handleOf } from '#shared/file.ts';
import { type Call, defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';

/** Their content is compressed already. */
const PACKED =
  /^(?:image\/(?!svg|bmp|tiff)|audio\/(?!wav)|video\/)|zip|gzip|x-7z|rar|zstd|openxmlformats|pdf$/;

export default defineOperator({
  title: 'Zip files',
  doc: 'Packs files into one zip archive. Files of the same name get a number.',
  icon: 'file-archive',
  summary: '{name}',
  synonyms: 'compress, archive, pack, compression',
  params: z.object({
    name: z.string().min(1).max(1000).default('files.zip').describe('Name of the archive.'),
  }),
  inputs: {
    in: input({ doc: 'A file, or a list of files.', schema: z.union([FileValue, z.array(FileValue)]) }),
  },
  outputs: { out: output({ doc: 'The archive.', schema: FileValue }) },
  effects: 'read',
  examples: [
    {
      title: 'One table',
      params: { name: 'tables.zip' },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: {
        out: {
          $file: 'f_new00000000000000000000000000001',
          name: 'tables.zip',
          type: 'application/zip',
          bytes: 157,
        },
      },
    },
    { title: 'No files', inputs: { in: ['people.csv'] }, error: 'bad_input' },
  ],
  async run(call) {
    const { name } = call.params;
    const content = packed(call, filesIn(call.input));
    const made = { name, type: 'application/zip', content };
    return call.service('files').create(made, call.asker, call.signal);
  },
});

/** Most files that an archive may hold. */
const MAX_FILES = 10_000;

function filesIn(value: unknown): readonly unknown[] {
  return reading(() => {
    const files: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (files.length > MAX_FILES)
      throw new WeftError('too_many_items', `An archive holds at most ${MAX_FILES} files.`);
    if (!files.every((file) => handleOf(file) !== undefined))
      throw new WeftError('bad_input', 'The input is neither a file nor a list of files.');
    return files;
  });
}

async function* packed(call: Call, files: readonly unknown[]): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece);
  });
  const names = new Set<string>();
  for (const value of files) {
    const { file, content } = await call.service('files').open(value, call.asker);
    const name = freeName(file.name, names);
    const entry = PACKED.test(file.type) ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
    // The time of the archive would make equal archives differ.
    entry.mtime = '1980-01-02T00:00:00';
    zip.add(entry);
    for await (const piece of content) {
      entry.push(piece);
      yield* ready.splice(0);
    }
    entry.push(new Uint8Array(), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready;
}

function freeName(name: string, names: Set<string>): string {
  const dot = name.lastIndexOf('.');
  const [start, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let free = name;
  for (let n = 2; names.has(free); n++) free = `${start} (${n})${end}`;
  names.add(free);
  return free;
}
