import { z } from 'zod';
import { FileValue } from '#shared/file.ts';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { exampleMail, exampleTexts } from './_example.ts';
import { imapParam, placeOf, placeParam, Read, timeoutParam } from './_params.ts';
import { readMail } from './_read.ts';

export default defineOperator({
  title: 'Read mail',
  doc: 'Reads a mail of a mailbox: its text, its HTML, and its attachments as files.',
  icon: 'mail-open',
  summary: 'text and attachments',
  synonyms: 'imap, get email, read email, get message, download attachments, email attachment',
  params: z.object({
    connection: imapParam,
    mail: placeParam,
    maxBytes: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(30_000_000)
      .describe('Largest mail that is read, in bytes.'),
    timeoutMs: timeoutParam,
  }),
  options: { Limits: ['maxBytes', 'timeoutMs'] },
  inputs: { in: optionalInput({ doc: 'A mail; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'The mail with its texts, and its attachments as files.',
      schema: Read.extend({ attachments: z.array(FileValue) }),
    }),
  },
  effects: 'read',
  examples: [
    {
      title: 'A mail with a table',
      params: { connection: 'inbox' },
      inputs: { in: { mailbox: 'INBOX', uid: 7, validity: '1' } },
      outputs: {
        out: {
          ...exampleMail,
          ...exampleTexts,
          attachments: [
            { $file: 'f_new00000000000000000000000000001', name: 'order.csv', type: 'text/csv', bytes: 3 },
          ],
        },
      },
    },
    { title: 'Not a mail', params: { connection: 'inbox' }, inputs: { in: 'Hello' }, error: 'bad_input' },
  ],
  async run(call) {
    const { connection, mail, maxBytes, timeoutMs } = call.params;
    const asked = { connection, place: placeOf(mail), maxBytes, timeoutMs };
    const { attachments: parts, ...read } = await readMail(call, asked);
    const attachments: FileValue[] = [];
    for (const part of parts)
      attachments.push(await call.service('files').create(part, call.asker, call.signal));
    return { ...read, attachments };
  },
});
