import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { codeParams } from '../_code.ts';

export default defineOperator({
  title: 'Code over a stream',
  doc: 'Runs your own JavaScript or TypeScript in a sandbox and streams what it yields, item by item. The code reads a stream at its input with `for await (const item of input)`; it gets each item on demand.',
  icon: 'file-code-2',
  summary: '{source|code}',
  synonyms: 'code per item, javascript stream, script stream, function item',
  params: z.object(codeParams),
  options: { More: ['pure'], Limits: ['cpuMs'] },
  inputs: {
    in: optionalInput<unknown>({
      kind: 'either',
      doc: 'A stream, or any JSON value; the code reads it as `input`.',
    }),
  },
  outputs: { out: output({ kind: 'stream', doc: 'The values that the code yields, in order.' }) },
  effects: 'read',
  examples: [
    {
      title: 'One item after the other',
      params: { source: "for (const part of ['name', 'age']) yield { part, value: input[part] };" },
      inputs: { in: { name: 'Ada', age: 36 } },
      outputs: {
        out: [
          { part: 'name', value: 'Ada' },
          { part: 'age', value: 36 },
        ],
      },
    },
    {
      title: 'Leave out what is empty',
      params: { source: "for (const line of input.split('\\n')) if (line !== '') yield line;" },
      inputs: { in: 'a\n\nb' },
      outputs: { out: ['a', 'b'] },
    },
  ],
  run: (call) => call.service('code').stream({ code: call.params, input: call.input, context: call }),
});
