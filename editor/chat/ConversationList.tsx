import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessagesSquare, Pencil, Plus, Trash2 } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { ConversationInfo } from '#shared/conversation.ts';
import { listConversations } from '../api/chat.ts';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { Drawer } from '../ui/Drawer.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Moment } from '../ui/Moment.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { type Asked, AskedDialog } from './ConversationDialogs.tsx';

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

/** Past conversations with some words, the last used one first. */
function useConversations(words: string) {
  const pages = useInfiniteQuery({
    queryKey: ['conversations', words],
    queryFn: ({ pageParam }) => listConversations(words, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const all = pages.data?.pages.flatMap(({ conversations }) => conversations) ?? [];
  return { pages, all, isEmpty: pages.isSuccess && all.length === 0 };
}

function Conversations({ chosen, onNew, onGone, onChosen }: ConversationListProps & { onChosen?(): void }) {
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed.trim());
  const { pages, all, isEmpty } = useConversations(words);
  const [asked, setAsked] = useState<Asked>();
  return (
    <>
      <div className="flex shrink-0 flex-col gap-2 px-3 py-2">
        <Button icon={Plus} className="w-full" onClick={onNew}>
          New chat
        </Button>
        {(all.length > 0 || typed !== '') && (
          <SearchInput label="Search conversations" value={typed} onValueChange={setTyped} />
        )}
      </div>
      {isEmpty && (
        <p role="status" className="p-4 text-center text-xs text-text-2">
          {words === ''
            ? 'Your conversations appear here. Only you can see them.'
            : `No conversation contains “${words}”.`}
        </p>
      )}
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {all.map((one) => (
          <Line
            key={one.id}
            conversation={one}
            isChosen={one.id === chosen}
            onChosen={onChosen}
            onAsk={(to) => setAsked({ to, conversation: one })}
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
      {pages.isError && (
        <p role="alert" className="p-3 text-xs text-bad">
          {pages.error.message}
        </p>
      )}
      {asked && <AskedDialog {...asked} onClose={() => setAsked(undefined)} onGone={onGone} />}
    </>
  );
}

interface LineProps {
  conversation: ConversationInfo;
  isChosen: boolean;
  onChosen: (() => void) | undefined;
  onAsk(to: Asked['to']): void;
}

function Line({ conversation, isChosen, onChosen, onAsk }: LineProps) {
  const { id, title, updatedAt } = conversation;
  const tools = [
    { to: 'rename', icon: Pencil, label: `Rename “${title}”` },
    { to: 'delete', icon: Trash2, label: `Delete “${title}”` },
  ] as const;
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
      {tools.map(({ to, icon, label }) => (
        <IconButton
          key={to}
          size="sm"
          icon={icon}
          label={label}
          onClick={() => onAsk(to)}
          className="opacity-0 group-focus-within/line:opacity-100 group-hover/line:opacity-100 [@media(hover:none)]:opacity-100"
        />
      ))}
    </li>
  );
}
