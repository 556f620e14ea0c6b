import type { z } from 'zod';
import type { MailContent } from '../../base/document-service.ts';
import type { Call, SourceCall } from '../../base/operator.ts';
import { bytesOnce } from '../_document.ts';
import type { Read } from './_params.ts';

interface Asked {
  readonly connection: string;
  readonly place: { readonly mailbox: string; readonly uid: number; readonly validity?: string };
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A mail of a mailbox with its texts and the bytes of its attachments. Throws the errors of the connection and of documents. */
export async function readMail(
  call: Pick<Call | SourceCall<unknown>, 'service' | 'asker' | 'signal'>,
  { connection, place, maxBytes, timeoutMs }: Asked,
): Promise<z.output<typeof Read> & Pick<MailContent, 'attachments'>> {
  const asked = { connection, kind: 'imap', action: 'source', given: { ...place, maxBytes }, timeoutMs };
  const answer = await call.service('connections').ask(asked, call.asker, call.signal);
  const { source, ...headers } = answer as Record<string, unknown> & { readonly source: Uint8Array };
  const mail = await call.service('documents').mail(bytesOnce(source), { maxBytes }, call.signal);
  const { messageId, subject, from, to, cc, date, ...content } = mail;
  // The mail itself is right where its server has another opinion.
  const own = { messageId, subject, from, to, cc, date: date ?? headers['date'] };
  return { ...place, ...headers, ...own, ...content } as Awaited<ReturnType<typeof readMail>>;
}
