import { hash } from 'node:crypto';
import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';
import { WeftError } from '#engine';

const addresses = z.array(z.string().max(1000)).max(500).default([]);

/** A mail, as the action takes it. */
export const mailFields = z.strictObject({
  from: z.string().max(1000).optional(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  replyTo: addresses,
  subject: z.string().max(2000).default(''),
  text: z.string().optional(),
  html: z.string().optional(),
  /** The same for each attempt: mails with one key have one message id. */
  key: z.string().min(1).max(2000),
  inReplyTo: z.string().max(1000).optional(),
  references: z.array(z.string().max(1000)).max(100).default([]),
  attachments: z
    .array(z.strictObject({ name: z.string(), type: z.string(), content: z.unknown() }))
    .max(100)
    .default([]),
});

interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** A mail whose addresses have been read. */
export interface Mail
  extends Omit<
    z.output<typeof mailFields>,
    'from' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'key' | 'attachments'
  > {
  /** With angle brackets. */
  readonly messageId: string;
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly attachments: readonly Attachment[];
}

interface Attachment {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** `usual`: the sender of the connection. Throws `action_invalid` for what is no address, and without a sender or a recipient. */
export function readMail({ key, ...given }: z.output<typeof mailFields>, usual: string): Mail {
  const [from, ...more] = mailboxes('from', [given.from ?? usual]);
  if (from === undefined || more.length > 0)
    throw invalid('`from` has to be one address; set it here, or as `from` of the connection.');
  const [to, cc, bcc] = [mailboxes('to', given.to), mailboxes('cc', given.cc), mailboxes('bcc', given.bcc)];
  if (to.length + cc.length + bcc.length === 0) throw invalid('The mail has no recipient; set `to`.');
  const messageId = `<${hash('sha256', key, 'hex').slice(0, 40)}@${from.address.split('@')[1]}>`;
  const replyTo = mailboxes('replyTo', given.replyTo);
  return {
    ...given,
    messageId,
    from,
    to,
    cc,
    bcc,
    replyTo,
    attachments: given.attachments.map(attachmentOf),
  };
}

function attachmentOf({
  name,
  type,
  content,
}: z.output<typeof mailFields>['attachments'][number]): Attachment {
  if (content instanceof Uint8Array) return { name, type, content };
  throw invalid(`The content of the attachment ${JSON.stringify(name)} is not a sequence of bytes.`);
}

/** An address without blanks and characters of SMTP; what may stand on either side of the @ is the server's to judge. */
const ADDRESS = /^[^\s<>()[\],;:"@\p{Cc}]+(?:\.[^\s<>()[\],;:"@\p{Cc}]+)*@[^\s<>()[\],;:"@\p{Cc}]+$/u;

function mailboxes(field: string, texts: readonly string[]): Mailbox[] {
  return texts.flatMap((text) => {
    const found = addressparser(text, { flatten: true });
    // What is neither a name nor part of exactly one address would be lost.
    const isWhole = !/\p{Cc}/u.test(text) && countOfAts(text) === found.length;
    for (const { address } of found)
      if (!isWhole || !ADDRESS.test(address))
        throw invalid(`\`${field}\`: ${JSON.stringify(text)} is not a mail address.`);
    return found.map(({ name, address }) => ({ name, address }));
  });
}

/** Without those in quoted names and comments. */
function countOfAts(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\([^()]*\)/g, '').split('@').length - 1;
}

function invalid(message: string): WeftError {
  return new WeftError('action_invalid', message);
}
