import PostalMime, { type Address, type Email } from 'postal-mime';
import type { MailAddress, MailContent } from '#engine';
import { DocumentError } from '../protocol.ts';
import { readHtml } from './html.ts';
import { whole } from './whole.ts';

/** Parts within parts; real mails have few. */
const MAX_DEPTH = 50;

/** Reads a mail. Nothing in it is executed or fetched. */
export async function readMail(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes }: { readonly maxBytes: number },
): Promise<MailContent> {
  const email = await parsed(await whole(bytes, maxBytes));
  return {
    messageId: email.messageId ?? null,
    inReplyTo: email.inReplyTo ?? null,
    references: (email.references ?? '').split(/\s+/).filter((id) => id !== ''),
    subject: email.subject ?? '',
    from: addressesOf(email.from && [email.from])[0] ?? null,
    to: addressesOf(email.to),
    cc: addressesOf(email.cc),
    replyTo: addressesOf(email.replyTo),
    date: isoOf(email.date),
    text: email.text ?? (await textOf(email.html)),
    html: email.html ?? null,
    attachments: email.attachments.map(({ filename, mimeType, content }, index) => ({
      name: filename ?? `attachment-${index + 1}`,
      type: mimeType,
      content: bytesOf(content),
    })),
  };
}

async function parsed(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, { maxNestingDepth: MAX_DEPTH, attachmentEncoding: 'arraybuffer' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError({ code: 'document_unreadable', message: `The mail cannot be read: ${why}` });
  }
}

/** Members of a group count as addresses of their own. */
function addressesOf(list: readonly Address[] | undefined): MailAddress[] {
  return (list ?? []).flatMap((one) =>
    one.group === undefined ? [{ name: one.name, address: one.address }] : addressesOf(one.group),
  );
}

function isoOf(date: string | undefined): string | null {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

async function textOf(html: string | undefined): Promise<string> {
  if (html === undefined) return '';
  async function* once(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(html);
  }
  const options = { format: 'plain', encoding: 'utf-8', maxBytes: Number.POSITIVE_INFINITY } as const;
  return (await readHtml(once(), options)).text;
}

function bytesOf(content: ArrayBuffer | Uint8Array | string): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  return content instanceof Uint8Array ? content : new Uint8Array(content);
}
