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
import { mailFields, readMail } from './mail.ts';
import { ENCRYPTED_PORT, SmtpSession } from './session.ts';

export default defineKind({
  use: 'actions',
  name: 'smtp',
  title: 'Mail server (SMTP)',
  doc: 'A server that sends mail. Nodes send through it with `mail.send`.',
  settings: z.strictObject({
    ...addressFields(587),
    begins: beginsField(ENCRYPTED_PORT),
    user: z.string().max(255).default('').describe('The user to sign in as; empty: without signing in.'),
    password: passwordField,
    from: z
      .string()
      .trim()
      .max(500)
      .default('')
      .describe('The sender of mails that name none, e.g. Shop <shop@example.com>.'),
    ...tlsFields,
    most: mostField,
    ...proxyFields,
  }),
  harmless: { ...harmlessToServers, from: 'any' },
  most: ({ most }) => most,
  destination: ({ host, port }) => ({ host, port }),
  async open(settings, deps, signal) {
    const session = new SmtpSession(settings, deps);
    try {
      await untilAborted(signal, session.start(signal));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  },
  actions: {
    send: defineAction({
      takes: mailFields,
      isRead: false,
      run: (session: SmtpSession, given, signal) => session.send(readMail(given, session.from), signal),
    }),
  },
});
