import type { FetchMessageObject, MessageAddressObject, SearchObject } from 'imapflow';

/** The conditions that a mail has to meet. */
export interface Filter {
  /** Its number is higher. */
  readonly after?: number | undefined;
  readonly unread?: boolean | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly since?: string | undefined;
  readonly before?: string | undefined;
}

export function searchOf({ after, unread, ...texts }: Filter): SearchObject {
  const asked = {
    ...(after !== undefined && { uid: `${after + 1}:*` }),
    ...(unread !== undefined && { seen: !unread }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined && text !== '')),
  };
  return Object.keys(asked).length === 0 ? { all: true } : asked;
}

/** A mail as a list shows it. */
export function headersOf({ uid, envelope = {}, flags, size = 0, internalDate }: FetchMessageObject) {
  const { messageId = null, subject = '' } = envelope;
  const [from = null] = addressesOf(envelope.from);
  const arrivedAt = isoOf(internalDate);
  return {
    uid,
    messageId,
    subject,
    from,
    to: addressesOf(envelope.to),
    cc: addressesOf(envelope.cc),
    date: isoOf(envelope.date) ?? arrivedAt,
    arrivedAt,
    read: flags?.has('\\Seen') ?? false,
    flagged: flags?.has('\\Flagged') ?? false,
    bytes: size,
  };
}

function addressesOf(list: readonly MessageAddressObject[] | undefined) {
  return (list ?? []).map(({ name, address }) => ({ name: name ?? '', address: address ?? '' }));
}

function isoOf(date: Date | string | undefined): string | null {
  const time = date === undefined ? Number.NaN : new Date(date).getTime();
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
