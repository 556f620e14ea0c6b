import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { literal, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';

/** The connection by its name. It is fixed, so that it is known before a run who uses what. */
export const smtpParam = literal(
  z
    .string()
    .regex(ID_PATTERN)
    .describe('The name of a connection to a mail server (SMTP).')
    .meta({ widget: 'connection', kinds: ['smtp'] }),
);

export const addressesParam = z.union([z.string().max(20_000), z.array(z.string().max(1000)).max(500)]);

/** A text may hold several addresses, separated by commas. */
export function addressesOf(given: string | readonly string[] | undefined): readonly string[] {
  if (given === undefined || given === '') return [];
  return typeof given === 'string' ? [given] : given;
}

export const imapParam = literal(
  z
    .string()
    .regex(ID_PATTERN)
    .describe('The name of a connection to a mailbox (IMAP).')
    .meta({ widget: 'connection', kinds: ['imap'] }),
);

export const mailboxParam = z
  .string()
  .min(1)
  .max(1000)
  .default('INBOX')
  .describe('The mailbox (folder), such as INBOX or Archive.')
  .meta({ widget: 'mailbox' });

export const timeoutParam = z
  .int()
  .min(1)
  .max(3_600_000)
  .default(60_000)
  .describe('Time limit in milliseconds, including the wait for a connection.');

const Address = z.object({ name: z.string(), address: z.string() });

/** A mail as a list shows it, with its place. */
export const Listed = z.object({
  mailbox: z.string(),
  uid: z.int(),
  validity: z.string(),
  messageId: z.string().nullable(),
  subject: z.string(),
  from: Address.nullable(),
  to: z.array(Address),
  cc: z.array(Address),
  date: z.string().nullable(),
  arrivedAt: z.string().nullable(),
  read: z.boolean(),
  flagged: z.boolean(),
  bytes: z.int(),
});

/** A mail with its texts. */
export const Read = Listed.extend({
  inReplyTo: z.string().nullable(),
  references: z.array(z.string()),
  replyTo: z.array(Address),
  text: z.string(),
  html: z.string().nullable(),
});

/** What a filter of mails may ask for. */
export const filterParams = {
  unread: z
    .boolean()
    .optional()
    .describe('Only mails that nobody has read, or only those that somebody has.'),
  from: z.string().max(500).optional().describe('A text in the sender.'),
  to: z.string().max(500).optional().describe('A text in the recipients.'),
  subject: z.string().max(500).optional().describe('A text in the subject.'),
};

export const placeParam = z
  .unknown()
  .default('{{ input }}')
  .describe('The mail, as the trigger or a search gives it: with its `mailbox`, `uid` and `validity`.')
  .meta({ widget: 'value' });

const Place = z.looseObject({
  mailbox: z.string().min(1),
  uid: z.int().min(1),
  validity: z.string().optional(),
});

/** Throws `bad_input`. */
export function placeOf(mail: unknown): { mailbox: string; uid: number; validity?: string } {
  const read = reading(() => Place.safeParse(mail));
  if (!read.success)
    throw new WeftError('bad_input', '`mail` is no mail: it has no `mailbox` and `uid`.', {
      field: 'params.mail',
    });
  const { mailbox, uid, validity } = read.data;
  return { mailbox, uid, ...(validity !== undefined && { validity }) };
}
