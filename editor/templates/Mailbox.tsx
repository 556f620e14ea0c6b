import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { MailOpen, Paperclip, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { KeptMail } from '#shared/shop.ts';
import { listMails, removeMails } from '../api/templates.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { cx } from '../ui/cx.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { Moment } from '../ui/Moment.tsx';

const route = getRouteApi('/shop');

/** The mails that flows have “sent” through connections that keep them: a list, and the one that is read. */
export function Mailbox() {
  const { data: mails } = useQuery({ queryKey: ['kept-mails'], queryFn: listMails, refetchInterval: 5_000 });
  const { mail: id } = route.useSearch();
  const [asks, setAsks] = useState(false);
  if (!mails) return null;
  const read = mails.find((mail) => mail.id === id) ?? mails[0];
  return (
    <section aria-label="Mailbox" className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h2 className="mr-auto text-base leading-6 font-semibold">
          Mailbox <span className="text-xs font-normal text-text-2">{countText(mails.length, 'mail')}</span>
        </h2>
        {mails.length > 0 && (
          <Button icon={Trash2} onClick={() => setAsks(true)}>
            Empty it
          </Button>
        )}
      </div>
      {read === undefined ? (
        <EmptyState icon={MailOpen} title="No mail yet" steps={[]}>
          Mails that flows send through the shop’s mail server land here; nothing goes out.
        </EmptyState>
      ) : (
        <div className="grid gap-3 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
          <ul className="flex max-h-[70vh] flex-col overflow-y-auto rounded-lg border border-line bg-surface max-lg:max-h-72">
            {mails.map((mail) => (
              <li key={mail.id} className="border-b border-line last:border-0">
                <Line mail={mail} isRead={mail === read} />
              </li>
            ))}
          </ul>
          <Mail mail={read} />
        </div>
      )}
      {asks && <EmptyBox onClose={() => setAsks(false)} />}
    </section>
  );
}

function Line({ mail: { id, subject, to, at }, isRead }: { mail: KeptMail; isRead: boolean }) {
  return (
    <Link
      to="/shop"
      search={{ mail: id }}
      replace
      aria-current={isRead || undefined}
      className={cx(
        'flex flex-col px-3 py-2 -outline-offset-2',
        isRead ? 'bg-accent-soft' : 'hover:bg-surface-2',
      )}
    >
      <span className="flex items-baseline gap-2">
        <bdi className="min-w-0 flex-1 truncate font-medium">{subject || 'No subject'}</bdi>
        <span className="shrink-0 text-xs text-text-2">
          <Moment at={at} />
        </span>
      </span>
      <bdi className="truncate text-xs text-text-2">to {to.join(', ')}</bdi>
    </Link>
  );
}

/** Pages of mails are shown in a frame without scripts, forms and the network. */
function Mail({ mail: { subject, from, to, text, html, attachments } }: { mail: KeptMail }) {
  return (
    <article
      aria-label={subject || 'No subject'}
      className="flex min-h-72 min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <header className="flex flex-col gap-0.5">
        <h3 className="text-base leading-6 font-semibold wrap-anywhere">
          <bdi>{subject || 'No subject'}</bdi>
        </h3>
        <p className="text-xs text-text-2 wrap-anywhere">
          From <bdi>{from}</bdi> to <bdi>{to.join(', ')}</bdi>
        </p>
      </header>
      {html === null ? (
        <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>
      ) : (
        <iframe
          title="The mail"
          sandbox=""
          referrerPolicy="no-referrer"
          srcDoc={html}
          className="min-h-64 w-full flex-1 rounded-md border border-line bg-white"
        />
      )}
      {attachments.length > 0 && (
        <ul aria-label="Attachments" className="flex flex-wrap gap-2">
          {attachments.map(({ name, bytes }) => (
            <li
              key={name}
              className="inline-flex items-center gap-1.5 rounded-md bg-surface-3 px-2 py-1 text-xs"
            >
              <Paperclip aria-hidden className="size-3.5" />
              <bdi>{name}</bdi> <span className="text-text-2">{countText(bytes, 'byte')}</span>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function EmptyBox({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const empty = async (): Promise<void> => {
    setBusy(true);
    try {
      await removeMails();
      await queries.invalidateQueries({ queryKey: ['kept-mails'] });
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      title="Delete all mails?"
      description="The mails of this mailbox are deleted for good."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void empty()}
      onClose={onClose}
    />
  );
}
