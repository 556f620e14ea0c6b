import { z } from 'zod';
import { defineOperator, output, type SourceCall, WeftError } from '../../base/operator.ts';
import { exampleMail, exampleTexts } from '../mail/_example.ts';
import { filterParams, imapParam, mailboxParam, Read } from '../mail/_params.ts';
import { readMail } from '../mail/_read.ts';
import { EXISTING } from './_poll.ts';

const params = z.object({
  connection: imapParam,
  mailbox: mailboxParam,
  ...filterParams,
  existing: z
    .enum(EXISTING)
    .default('skip')
    .describe('Whether mails that are there when the flow first goes live start runs, or are skipped.'),
  maxBytes: z
    .int()
    .min(1)
    .max(100_000_000)
    .default(30_000_000)
    .describe('Largest mail that is read, in bytes; a larger one starts no run, which the log says.'),
});

type MailCall = SourceCall<z.output<typeof params>>;

/** How long the server is asked to tell of new mails, in milliseconds. */
const WAIT_MS = 240_000;
const TIMEOUT_MS = 60_000;
/** Mails of one question. */
const MANY = 100;

/** How far the mailbox has been read. */
interface Cursor {
  readonly of: string;
  readonly validity: string;
  readonly uid: number;
}

export default defineOperator({
  title: 'Mail received',
  doc: 'Starts a run for each mail that arrives in a mailbox (IMAP), as soon as the mail server tells of it. A mail starts one run, also over restarts and if it is moved back.',
  icon: 'mail-plus',
  summary: '{mailbox}[ from {from}][: {subject}]',
  synonyms:
    'email trigger, imap, on new email, email received, new message, inbox, gmail trigger, outlook trigger',
  params,
  options: { Search: ['to'], Start: ['existing'], Limits: ['maxBytes'] },
  inputs: {},
  outputs: {
    out: output({
      doc: 'The mail with its texts, and the names of its attachments; Read mail gives their content.',
      schema: Read.extend({
        attachments: z.array(z.object({ name: z.string(), type: z.string(), bytes: z.int() })),
      }),
    }),
  },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'Orders by mail',
      params: { connection: 'inbox', subject: 'order' },
      outputs: {
        out: {
          ...exampleMail,
          ...exampleTexts,
          attachments: [{ name: 'order.csv', type: 'text/csv', bytes: 3 }],
        },
      },
    },
  ],
  async listen(call) {
    let cursor = kept(call);
    for (;;) {
      const { listed, read } = await look(call, cursor);
      cursor = read;
      await call.keep(cursor);
      call.works();
      if (listed === MANY) continue;
      await waitForMail(call, cursor.uid + 1);
    }
  },
});

/** The cursor, if it is of this mailbox. */
function kept({ cursor, params: { connection, mailbox } }: MailCall): Cursor | undefined {
  const found = cursor as Cursor | null | undefined;
  return found?.of === `${connection} ${mailbox}` ? found : undefined;
}

interface Listed {
  readonly validity: string;
  readonly next: number;
  readonly mails: readonly { readonly uid: number; readonly messageId: string | null }[];
}

/** Starts runs for the mails after the cursor, oldest first. */
async function look(call: MailCall, cursor: Cursor | undefined): Promise<{ listed: number; read: Cursor }> {
  const { connection, mailbox, existing, maxBytes: _, ...filter } = call.params;
  const of = `${connection} ${mailbox}`;
  const ask = async (after: number): Promise<Listed> => {
    const given = { mailbox, ...filter, after, order: 'oldest', limit: MANY };
    const asked = { connection, kind: 'imap', action: 'list', given, timeoutMs: TIMEOUT_MS };
    return (await call.service('connections').ask(asked, call.asker, call.signal)) as Listed;
  };
  let found = await ask(cursor?.uid ?? 0);
  // The mailbox was made anew: its mails have other numbers, and are known by their message ids.
  if (cursor !== undefined && cursor.validity !== found.validity) found = await ask(0);
  const { validity, next, mails } = found;
  if (cursor === undefined && existing === 'skip')
    return { listed: 0, read: { of, validity, uid: next - 1 } };
  for (const mail of mails) await start(call, { mailbox, uid: mail.uid, validity }, mail.messageId);
  const last = mails.at(-1);
  const uid = mails.length === MANY && last !== undefined ? last.uid : next - 1;
  return { listed: mails.length, read: { of, validity, uid } };
}

interface Place {
  readonly mailbox: string;
  readonly uid: number;
  readonly validity: string;
}

async function start(call: MailCall, place: Place, messageId: string | null): Promise<void> {
  const { connection, maxBytes } = call.params;
  const id = (messageId ?? `${place.mailbox} ${place.validity} ${place.uid}`).slice(0, MAX_ID);
  try {
    const asked = { connection, place, maxBytes, timeoutMs: TIMEOUT_MS };
    const { attachments: parts, ...mail } = await readMail(call, asked);
    const attachments = parts.map(({ name, type, content }) => ({ name, type, bytes: content.length }));
    await call.emit({ id, value: { ...mail, attachments } });
  } catch (error) {
    const code = error instanceof WeftError ? error.code : undefined;
    if (code === undefined || !(UNREADABLE.has(code) || code === GONE)) throw error;
    call.log('warn', `The mail ${id} starts no run: ${(error as Error).message}`);
    // One that was moved away, or whose mailbox was made anew, may be found again.
    if (code !== GONE) await call.skip([id]);
  }
}

/** A mail that is too large or damaged must not stop the ones after it. */
const UNREADABLE = new Set(['value_too_large', 'document_too_large', 'document_unreadable']);
/** What a mail server says of a mail that is not there. */
const GONE = 'action_failed';
/** Characters of an id of a source. */
const MAX_ID = 900;

/** Until a mail with this number may be there. */
async function waitForMail(call: MailCall, next: number): Promise<void> {
  const { connection, mailbox } = call.params;
  const given = { mailbox, next, ms: WAIT_MS };
  const asked = { connection, kind: 'imap', action: 'wait', given, timeoutMs: WAIT_MS + TIMEOUT_MS };
  await call.service('connections').ask(asked, call.asker, call.signal);
}
