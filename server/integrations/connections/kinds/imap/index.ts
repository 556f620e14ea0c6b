import { z } from 'zod';
import { defineAction, defineKind } from '../../kind.ts';
import { proxyFields } from '../../proxy-fields.ts';
import {
  addressFields,
  harmlessToServers,
  mostField,
  passwordField,
  tlsFields,
  untilAborted,
} from '../../servers.ts';
import { beginsField } from '../../mail-servers.ts';
import { ENCRYPTED_PORT, ImapSession } from './session.ts';

const mailbox = z.string().min(1).max(1000);
const uid = z.int().min(1).max(4_294_967_295);
/** Where a mail is. Its number means nothing once the mailbox was made anew, which changes `validity`. */
const place = { mailbox, uid, validity: z.string().max(30).optional() };

export const filterFields = {
  /** Mails whose number is higher. */
  after: z.int().min(0).optional(),
  unread: z.boolean().optional(),
  from: z.string().max(500).optional(),
  to: z.string().max(500).optional(),
  subject: z.string().max(500).optional(),
  text: z.string().max(500).optional(),
  /** A day, ISO 8601. */
  since: z.string().max(40).optional(),
  before: z.string().max(40).optional(),
};

export default defineKind({
  use: 'actions',
  name: 'imap',
  title: 'Mailbox (IMAP)',
  doc: 'The mailboxes of an account on a mail server. Flows read, search and move its mails, and start when one arrives.',
  settings: z.strictObject({
    ...addressFields(993),
    begins: beginsField(ENCRYPTED_PORT),
    user: z.string().min(1).max(255).describe('The name of the account, often its mail address.'),
    password: passwordField,
    ...tlsFields,
    most: mostField.default(3).meta({ title: 'Most sessions', group: 'Limits' }),
    ...proxyFields,
  }),
  harmless: harmlessToServers,
  most: ({ most }) => most,
  destination: ({ host, port }) => ({ host, port }),
  async open(settings, deps, signal) {
    const session = new ImapSession(settings, deps);
    try {
      await untilAborted(signal, session.start(signal));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
  names: {
    mailbox: {
      list: (session: ImapSession, signal) => session.mailboxes(signal),
      make: (session: ImapSession, name, signal) => session.makeMailbox(name, signal),
    },
  },
  actions: {
    list: defineAction({
      takes: z.strictObject({
        mailbox,
        ...filterFields,
        order: z.enum(['newest', 'oldest']),
        limit: z.int().min(1).max(1000),
      }),
      isRead: true,
      run: (session: ImapSession, given, signal) => session.list(given, signal),
    }),
    source: defineAction({
      takes: z.strictObject({ ...place, maxBytes: z.int().min(1).max(100_000_000) }),
      isRead: true,
      run: (session: ImapSession, given, signal) => session.source(given, signal),
    }),
    change: defineAction({
      takes: z.strictObject({
        ...place,
        read: z.boolean().optional(),
        flagged: z.boolean().optional(),
        moveTo: mailbox.optional(),
        delete: z.boolean().optional(),
      }),
      isRead: false,
      run: (session: ImapSession, given, signal) => session.change(given, signal),
    }),
    wait: defineAction({
      takes: z.strictObject({ mailbox, next: z.int().min(1), ms: z.int().min(1).max(1_700_000) }),
      isRead: true,
      run: (session: ImapSession, given, signal) => session.wait(given, signal),
    }),
  },
});
