import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ConversationInfo } from '#shared/conversation.ts';
import { listConversations, removeConversation } from '../api/chat.ts';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { cx } from '../ui/cx.ts';
import { agoText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';

interface ConversationListProps {
  chosen: string;
  onNew(): void;
  /** A conversation was deleted. */
  onGone(id: string): void;
}

/** Past conversations, the last used one first. */
export function ConversationList({ chosen, onNew, onGone }: ConversationListProps) {
  const pages = useInfiniteQuery({
    queryKey: ['conversations'],
    queryFn: ({ pageParam }) => listConversations(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const [asked, setAsked] = useState<ConversationInfo>();
  const all = pages.data?.pages.flatMap(({ conversations }) => conversations) ?? [];
  return (
    <aside
      aria-label="Conversations"
      className="flex w-64 shrink-0 flex-col border-r border-line bg-surface-2 max-md:hidden"
    >
      <div className="flex h-12 shrink-0 items-center px-3">
        <Button icon={Plus} className="w-full" onClick={onNew}>
          New chat
        </Button>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {all.map((one) => (
          <Line key={one.id} conversation={one} isChosen={one.id === chosen} onDelete={() => setAsked(one)} />
        ))}
        {pages.hasNextPage && (
          <li className="p-1">
            <Button
              size="sm"
              variant="ghost"
              busy={pages.isFetching}
              onClick={() => void pages.fetchNextPage()}
            >
              Older ones
            </Button>
          </li>
        )}
      </ul>
      {pages.isSuccess && all.length === 0 && (
        <p className="m-auto p-4 text-center text-xs text-text-2">
          Your conversations appear here, visible only to you, once something has been said.
        </p>
      )}
      {pages.isError && (
        <p role="alert" className="p-3 text-xs text-bad">
          {pages.error.message}
        </p>
      )}
      {asked && <Deletion asked={asked} onClose={() => setAsked(undefined)} onGone={onGone} />}
    </aside>
  );
}

interface LineProps {
  conversation: ConversationInfo;
  isChosen: boolean;
  onDelete(): void;
}

function Line({ conversation: { id, title, updatedAt }, isChosen, onDelete }: LineProps) {
  return (
    <li
      className={cx(
        'group/line flex items-center rounded-md pr-1 focus-within:bg-surface-3 hover:bg-surface-3',
        isChosen && 'bg-surface-3',
      )}
    >
      <Link
        to="/chat"
        search={{ conversation: id }}
        activeOptions={{ exact: true }}
        aria-current={isChosen ? 'page' : undefined}
        className="min-w-0 flex-1 rounded-md px-2 py-1.5"
      >
        <span className={cx('block truncate', isChosen && 'font-semibold')}>{title}</span>
        <span className="block text-xs text-text-2">{agoText(updatedAt)}</span>
      </Link>
      <IconButton
        size="sm"
        icon={Trash2}
        label={`Delete “${title}”`}
        onClick={onDelete}
        className="opacity-0 group-focus-within/line:opacity-100 group-hover/line:opacity-100 [@media(hover:none)]:opacity-100"
      />
    </li>
  );
}

interface DeletionProps {
  asked: ConversationInfo;
  onClose(): void;
  onGone(id: string): void;
}

function Deletion({ asked: { id, title }, onClose, onGone }: DeletionProps) {
  const { busy, error, change } = useChange(['conversations'], () => {
    onClose();
    onGone(id);
  });
  return (
    <ConfirmDialog
      title={`Delete “${title}”?`}
      description="Its messages cannot be restored."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeConversation(id))}
      onClose={onClose}
    />
  );
}
