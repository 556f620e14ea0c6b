import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { folder, path } from './_folder.ts';

export default defineOperator({
  title: 'Write file',
  doc: 'Stores a file in a folder of the server, or of a connection to files (S3, SFTP). A text becomes a file by “Text to file”.',
  icon: 'file-output',
  summary: '[{folder}/]{path}',
  synonyms: 'save file, upload, store file, write binary file, write to disk, save to disk',
  params: z.object({
    folder,
    path,
    existing: z
      .enum(['fail', 'replace'])
      .default('fail')
      .describe('If there is already a file at this path.'),
  }),
  inputs: { in: input({ doc: 'A file.', schema: FileValue }) },
  outputs: { out: output({ doc: 'The same file.', schema: FileValue }) },
  effects: 'write',
  examples: [
    {
      title: 'A table under its own name',
      params: { folder: 'inbox', path: 'tables/{{ input.name }}' },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      outputs: {
        out: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
    },
    {
      title: 'A file that is there already',
      params: { folder: 'inbox', path: 'people.csv' },
      inputs: {
        in: { $file: 'f_example0000000000000000000000000', name: 'people.csv', type: 'text/csv', bytes: 21 },
      },
      error: 'folder_file_exists',
    },
  ],
  async run(call) {
    const { folder: name, path: at, existing } = call.params;
    const { asker, signal } = call;
    const file = await call.service('files').find(call.input, asker);
    if (file === undefined) throw new WeftError('bad_input', 'The input is no file of this run.');
    const options = { by: asker, replace: existing === 'replace', signal };
    await call.service('folders').write(name, at, file, options);
    return file;
  },
});
