import { z } from 'zod';
import { defineOperator, optionalInput, output, WeftError } from '../../base/operator.ts';
import { folder, path } from './_folder.ts';

export default defineOperator({
  title: 'Delete file',
  doc: 'Deletes a file from a folder of the server, or of a connection to files (S3, SFTP).',
  icon: 'file-x',
  summary: '{folder}/{path}',
  synonyms: 'remove file, unlink, rm',
  params: z.object({
    folder,
    path,
    missing: z.enum(['fail', 'ignore']).default('fail').describe('If there is no such file: fail, or go on.'),
  }),
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'Whether there was such a file.', schema: z.boolean() }) },
  effects: 'write',
  examples: [
    { title: 'A file', params: { folder: 'inbox', path: 'people.csv' }, outputs: { out: true } },
    {
      title: 'A file that may be gone',
      params: { folder: 'inbox', path: 'other.csv', missing: 'ignore' },
      outputs: { out: false },
    },
    {
      title: 'A file that is gone',
      params: { folder: 'inbox', path: 'other.csv' },
      error: 'folder_file_not_found',
    },
  ],
  async run(call) {
    const { folder: name, path: at, missing } = call.params;
    const wasThere = await call.service('folders').remove(name, at, call.asker, { signal: call.signal });
    if (wasThere || missing === 'ignore') return wasThere;
    throw new WeftError('folder_file_not_found', `There is nothing at ${JSON.stringify(at)}.`);
  },
});
