import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessagesSquare, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ConversationInfo } from '#shared/conversation.ts';
import { listConversations, removeConversation } from '../api/chat.ts';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { cx } from '../ui/cx.ts';
import { Drawer } from '../ui/Drawer.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Moment } from '../ui/Moment.tsx';

interface ConversationListProps {
  chosen: string;
  onNew(): void;
  /** A conversation was deleted. */
  onGone(id: string): void;
}

/** Past conversations beside the chat; on a narrow screen they are in a drawer. */
export function ConversationList(props: ConversationListProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <aside
        aria-label="Conversations"
        className="flex w-64 shrink-0 flex-col border-r border-line bg-surface-2 max-md:hidden"
      >
        <Conversations {...props} />
      </aside>
      <div className="flex shrink-0 flex-wrap items-center justify-between border-b border-line bg-surface-2 px-2 py-1.5 md:hidden">
        <Button size="sm" variant="ghost" icon={MessagesSquare} onClick={() => setOpen(true)}>
          Conversations…
        </Button>
        <Button size="sm" variant="ghost" icon={Plus} onClick={props.onNew}>
          New chat
        </Button>
      </div>
      <Drawer open={isOpen} onOpenChange={setOpen} side="left" title="Conversations">
        <Conversations
          {...props}
          onNew={() => {
            close();
            props.onNew();
          }}
          onChosen={close}
        />
      </Drawer>
    </>
  );
}

/** Past conversations, the last used one first. */
function Conversations({ chosen, onNew, onGone, onChosen }: ConversationListProps & { onChosen?(): void }) {
  const pages = useInfiniteQuery({
    queryKey: ['conversations'],
    queryFn: ({ pageParam }) => listConversations(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  const [asked, setAsked] = useState<ConversationInfo>();
  const all = pages.data?.pages.flatMap(({ conversations }) => conversations) ?? [];
  return (
    <>
      <div className="flex h-12 shrink-0 items-center px-3">
        <Button icon={Plus} className="w-full" onClick={onNew}>
          New chat
        </Button>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {all.map((one) => (
          <Line
            key={one.id}
            conversation={one}
            isChosen={one.id === chosen}
            onChosen={onChosen}
            onDelete={() => setAsked(one)}
          />
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
          Your conversations appear here. Only you can see them.
        </p>
      )}
      {pages.isError && (
        <p role="alert" className="p-3 text-xs text-bad">
          {pages.error.message}
        </p>
      )}
      {asked && <Deletion asked={asked} onClose={() => setAsked(undefined)} onGone={onGone} />}
    </>
  );
}

interface LineProps {
  conversation: ConversationInfo;
  isChosen: boolean;
  onChosen: (() => void) | undefined;
  onDelete(): void;
}

function Line({ conversation: { id, title, updatedAt }, isChosen, onChosen, onDelete }: LineProps) {
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
        onClick={onChosen}
        aria-current={isChosen ? 'page' : undefined}
        className="min-w-0 flex-1 rounded-md px-2 py-1.5"
      >
        <span className={cx('block truncate', isChosen && 'font-semibold')}>{title}</span>
        <span className="block text-xs text-text-2">
          <Moment at={updatedAt} />
        </span>
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
