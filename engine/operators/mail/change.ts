import { z } from 'zod';
import { defineOperator, optionalInput, output, WeftError } from '../../base/operator.ts';
import { imapParam, placeOf, placeParam, timeoutParam } from './_params.ts';

export default defineOperator({
  title: 'Change mail',
  doc: 'Marks a mail of a mailbox as read or flagged, moves it to another mailbox, or deletes it.',
  icon: 'mail-check',
  summary: '[move to {moveTo}][{delete|if} ]',
  synonyms: 'imap, move email, delete email, mark as read, label, archive email, flag',
  params: z.object({
    connection: imapParam,
    mail: placeParam,
    read: z.boolean().optional().describe('Marks it as read, or as not read.'),
    flagged: z.boolean().optional().describe('Flags it, or removes its flag.'),
    moveTo: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('The mailbox to move it to, such as Archive.')
      .meta({ title: 'Move to', widget: 'mailbox' }),
    delete: z.boolean().default(false).describe('Deletes it for good.'),
    timeoutMs: timeoutParam,
  }),
  options: { More: ['delete'], Limits: ['timeoutMs'] },
  inputs: { in: optionalInput({ doc: 'A mail; expressions read it as `input`, and it is passed on.' }) },
  outputs: { out: output({ doc: 'The input.' }) },
  infer: { outputs: { out: { input: 'in' } } },
  effects: 'write',
  idempotent: true,
  examples: [
    {
      title: 'To the archive, as read',
      params: { connection: 'inbox', read: true, moveTo: 'Archive' },
      inputs: { in: { mailbox: 'INBOX', uid: 7, validity: '1' } },
      outputs: { out: { mailbox: 'INBOX', uid: 7, validity: '1' } },
    },
    {
      title: 'Nothing to change',
      params: { connection: 'inbox' },
      inputs: { in: { mailbox: 'INBOX', uid: 7 } },
      error: 'bad_params',
    },
  ],
  async run(call) {
    const { connection, mail, read, flagged, moveTo, delete: deletes, timeoutMs } = call.params;
    if (deletes && moveTo !== undefined)
      throw new WeftError('bad_params', 'A mail is either moved or deleted.', { field: 'params.delete' });
    const change = {
      ...(read !== undefined && { read }),
      ...(flagged !== undefined && { flagged }),
      ...(moveTo !== undefined && { moveTo }),
      ...(deletes && { delete: true }),
    };
    if (Object.keys(change).length === 0)
      throw new WeftError('bad_params', 'Say what to change: `read`, `flagged`, `moveTo` or `delete`.', {
        field: 'params.moveTo',
      });
    const given = { ...placeOf(mail), ...change };
    const asked = { connection, kind: 'imap', action: 'change', given, timeoutMs };
    await call.service('connections').ask(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    return call.input ?? null;
  },
});
