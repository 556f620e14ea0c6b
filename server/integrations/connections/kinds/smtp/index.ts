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
import { MailKeeper } from './kept-mails.ts';
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
    keep: z
      .boolean()
      .default(false)
      .describe('Mails are not sent: they are kept on this server, where Templates, Small shop shows them.')
      .meta({ title: 'Keep mails here', group: 'Delivery' }),
    ...tlsFields,
    most: mostField,
    ...proxyFields,
  }),
  harmless: { ...harmlessToServers, from: 'any', keep: 'any' },
  most: ({ most }) => most,
  destination: ({ host, port, keep }) => (keep ? undefined : { host, port }),
  async open(settings, deps, signal) {
    if (settings.keep) return new MailKeeper(settings, deps.mails);
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
      run: (session: SmtpSession | MailKeeper, given, signal) =>
        session.send(readMail(given, session.from), signal),
    }),
  },
});
