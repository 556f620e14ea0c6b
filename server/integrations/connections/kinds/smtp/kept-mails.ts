import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WeftError } from '#engine';
import { KeptMail } from '#shared/shop.ts';
import { writeFileAtomic } from '../../../../base/files/atomic-file.ts';
import type { Session } from '../../kind.ts';
import type { Mail } from './mail.ts';

/** The newest are kept; an older one goes with each that comes. */
const MOST_MAILS = 500;

/** A session that keeps each mail as a file of this server in place of sending it. */
export class MailKeeper implements Session {
  readonly isOpen = true;
  readonly from: string;
  private readonly folder: string;

  constructor({ from }: { readonly from: string }, folder: string | undefined) {
    if (folder === undefined)
      throw new WeftError('connection_refused', 'This command has no folder for mails that are kept.');
    this.from = from;
    this.folder = folder;
  }

  async about(): Promise<string> {
    return 'The mailbox of this server: nothing is sent';
  }

  async settled(): Promise<boolean> {
    return true;
  }

  close(): void {}

  /** Another attempt at the same mail replaces it. Throws `storage_failed`. */
  async send(mail: Mail, signal: AbortSignal) {
    signal.throwIfAborted();
    const accepted = [...new Set([...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address))];
    const kept: KeptMail = {
      id: createHash('sha256').update(mail.messageId).digest('hex').slice(0, 24),
      at: new Date().toISOString(),
      from: shown(mail.from),
      to: [...mail.to, ...mail.cc, ...mail.bcc].map(shown),
      subject: mail.subject,
      text: mail.text ?? '',
      html: mail.html ?? null,
      attachments: mail.attachments.map(({ name, type, content }) => ({ name, type, bytes: content.length })),
    };
    await mkdir(this.folder, { recursive: true });
    await writeFileAtomic(join(this.folder, `${kept.id}.json`), `${JSON.stringify(kept)}\n`, {
      mode: 0o600,
      durable: false,
    });
    await forgetOldest(this.folder);
    return { messageId: mail.messageId, accepted, rejected: [], response: '250 Kept on this server' };
  }
}

const shown = ({ name, address }: Mail['from']): string => (name === '' ? address : `${name} <${address}>`);

/** The mails of a folder, newest first; what is no mail is left out. */
export async function readKeptMails(folder: string): Promise<KeptMail[]> {
  const read = await Promise.all(
    (await filesIn(folder)).map(async (file) => {
      try {
        return KeptMail.parse(JSON.parse(await readFile(file, 'utf8')));
      } catch {
        return undefined;
      }
    }),
  );
  const mails = read.filter((mail) => mail !== undefined);
  return mails.sort((a, b) => (a.at < b.at ? 1 : -1));
}

export async function countKeptMails(folder: string): Promise<number> {
  return (await filesIn(folder)).length;
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^[0-9a-f]{24}\.json$/.test(name)).map((name) => join(folder, name));
}

async function forgetOldest(folder: string): Promise<void> {
  const files = await filesIn(folder);
  if (files.length <= MOST_MAILS) return;
  const aged = await Promise.all(
    files.map(async (file) => ({ file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const old = aged.sort((a, b) => a.at - b.at).slice(0, files.length - MOST_MAILS);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}
