import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { exampleMail } from './_example.ts';
import { filterParams, imapParam, Listed, mailboxParam, timeoutParam } from './_params.ts';

interface Answer {
  readonly mailbox: string;
  readonly validity: string;
  readonly total: number;
  readonly mails: readonly object[];
}

export default defineOperator({
  title: 'Search mail',
  doc: 'Lists the mails of a mailbox that fit, by their headers. Read mail gives the text and the files of one.',
  icon: 'mail-search',
  summary: '{mailbox}[ from {from}][: {subject}]',
  synonyms: 'imap, email search, find email, list emails, get many messages, inbox, gmail, outlook',
  params: z.object({
    connection: imapParam,
    mailbox: mailboxParam,
    ...filterParams,
    text: z.string().max(500).optional().describe('A text anywhere in the mail.'),
    since: z.string().max(40).optional().describe('Arrived on this day or later, such as 2026-03-01.'),
    before: z.string().max(40).optional().describe('Arrived before this day.'),
    order: z.enum(['newest', 'oldest']).default('newest').describe('Which mails come first.'),
    limit: z.int().min(1).max(1000).default(50).describe('The most mails; `total` says how many fit.'),
    timeoutMs: timeoutParam,
  }),
  options: { Search: ['to', 'text', 'since', 'before'], Result: ['order', 'limit'], Limits: ['timeoutMs'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    out: output({ doc: 'The mails.', schema: z.array(Listed) }),
    total: output({ doc: 'How many mails fit.', schema: z.int() }),
  },
  effects: 'read',
  examples: [
    {
      title: 'Orders of Ada',
      params: { connection: 'inbox', from: 'ada' },
      outputs: { out: [exampleMail], total: 1 },
    },
    { title: 'Nothing fits', params: { connection: 'inbox', from: 'tim' }, outputs: { out: [], total: 0 } },
  ],
  async run(call) {
    const { connection, timeoutMs, ...given } = call.params;
    const asked = { connection, kind: 'imap', action: 'list', given, timeoutMs };
    const answer = (await call.service('connections').ask(asked, call.asker, call.signal)) as Answer;
    call.signal.throwIfAborted();
    const { mailbox, validity, total, mails } = answer;
    return { out: mails.map((mail) => ({ ...mail, mailbox, validity })) as z.output<typeof Listed>[], total };
  },
});
