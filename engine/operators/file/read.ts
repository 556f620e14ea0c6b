import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { folder, path } from './_folder.ts';

export default defineOperator({
  title: 'Read file',
  doc: 'Takes a file from a folder of the server, or of a connection to files (S3, SFTP).',
  icon: 'file-input',
  summary: '[{folder}/]{path}',
  synonyms: 'download, open file, load file, read binary file, disk, read from disk, fetch file',
  params: z.object({
    folder,
    path,
    maxBytes: z
      .int()
      .min(1)
      .max(100 * 1024 ** 3)
      .default(100 * 1024 ** 2)
      .describe('Largest file that is read, in bytes.'),
  }),
  options: { Limits: ['maxBytes'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The file.', schema: FileValue }) },
  effects: 'read',
  examples: [
    {
      title: 'A table',
      params: { folder: 'inbox', path: 'people.csv' },
      outputs: {
        out: { $file: 'f_new00000000000000000000000000001', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
    },
    {
      title: 'What is not there',
      params: { folder: 'inbox', path: 'other.csv' },
      error: 'folder_file_not_found',
    },
  ],
  async run(call) {
    const { folder: name, path: at, maxBytes } = call.params;
    const { asker, signal } = call;
    return call.service('folders').read(name, at, asker, { maxBytes, signal });
  },
});
