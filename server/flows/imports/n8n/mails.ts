import { NotHere } from './entry.ts';
import type { Params } from './params.ts';

/** Mails of Gmail as n8n's nodes give them: expressions over a mail of the operators here. */

const NAMED = 'one => one?.name ? one.name + " <" + one.address + ">" : one?.address ?? ""';

/** With `simple`: some headers, and no texts. */
export function shortMail(mail: string): Record<string, string> {
  const list = (field: string): string => `(${mail}?.${field} ?? []).map(${NAMED}).join(", ")`;
  return {
    id: `${mail}.id`,
    threadId: `${mail}.threadId`,
    snippet: `${mail}?.snippet`,
    labels: `(${mail}?.labels ?? []).map(one => ({ id: one, name: one }))`,
    internalDate: `${mail}?.date == null ? null : string(timestamp(${mail}.date))`,
    From: `compact([${mail}?.from]).map(${NAMED}).join(", ")`,
    To: list('to'),
    Cc: list('cc'),
    Subject: `${mail}?.subject`,
  };
}

/** An object; `prefix` names the files that come with it. */
export function wholeMail(mail: string, prefix?: string): string {
  const people = (field: string, list: string): string =>
    `${field}: { value: ${list}, text: ${list}.map(${NAMED}).join(", ") }`;
  const parts = [
    `...${mail}`,
    `labelIds: ${mail}?.labels ?? []`,
    people('from', `compact([${mail}?.from])`),
    ...['to', 'cc', 'replyTo'].map((one) => people(one, `(${mail}?.${one} ?? [])`)),
  ];
  if (prefix !== undefined)
    parts.push(
      `...fromEntries((${mail}?.attachments ?? []).map((one, at) => [${JSON.stringify(prefix)} + at, one]))`,
    );
  return `{ ${parts.join(', ')} }`;
}

export const objectOf = (fields: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')} }`;

/** The prefix of files of mails that are downloaded; undefined if they are not. */
export function filePrefix(params: Pick<Params, 'flag' | 'text'>): string | undefined {
  const prefix = params.text('options.dataPropertyAttachmentsPrefixName') ?? 'attachment_';
  if (prefix.startsWith('=')) throw new NotHere('the names of its files are worked out by an expression');
  return params.flag('options.downloadAttachments') ? prefix : undefined;
}
