import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessagesSquare, Pencil, Plus, Trash2 } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { ConversationInfo } from '#shared/conversation.ts';
import { listConversations, removeConversation, renameConversation } from '../api/chat.ts';
import { NameDialog } from '../flows/NameDialog.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { cx } from '../ui/cx.ts';
import { Drawer } from '../ui/Drawer.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Moment } from '../ui/Moment.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';

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

/** The open dialog. */
interface Asked {
  readonly to: 'rename' | 'delete';
  readonly conversation: ConversationInfo;
}

/** Past conversations, the last used one first. */
function Conversations({ chosen, onNew, onGone, onChosen }: ConversationListProps & { onChosen?(): void }) {
  const [typed, setTyped] = useState('');
  const words = useDeferredValue(typed.trim());
  const pages = useInfiniteQuery({
    queryKey: ['conversations', words],
    queryFn: ({ pageParam }) => listConversations(words, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const all = pages.data?.pages.flatMap(({ conversations }) => conversations) ?? [];
  return (
    <>
      <div className="flex h-12 shrink-0 items-center px-3">
        <Button icon={Plus} className="w-full" onClick={onNew}>
          New chat
        </Button>
      </div>
      {(all.length > 0 || typed !== '') && (
        <SearchInput
          className="mx-3 mb-2"
          label="Search conversations"
          value={typed}
          onValueChange={setTyped}
        />
      )}
      <ul className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {all.map((one) => (
          <Line
            key={one.id}
            conversation={one}
            isChosen={one.id === chosen}
            onChosen={onChosen}
            onRename={() => setAsked({ to: 'rename', conversation: one })}
            onDelete={() => setAsked({ to: 'delete', conversation: one })}
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
          {words === ''
            ? 'Your conversations appear here. Only you can see them.'
            : `No conversation contains “${words}”.`}
        </p>
      )}
      {pages.isError && (
        <p role="alert" className="p-3 text-xs text-bad">
          {pages.error.message}
        </p>
      )}
      {asked?.to === 'rename' && <Renaming conversation={asked.conversation} onClose={close} />}
      {asked?.to === 'delete' && (
        <Deletion conversation={asked.conversation} onClose={close} onGone={onGone} />
      )}
    </>
  );
}

interface LineProps {
  conversation: ConversationInfo;
  isChosen: boolean;
  onChosen: (() => void) | undefined;
  onRename(): void;
  onDelete(): void;
}

function Line({ conversation, isChosen, onChosen, onRename, onDelete }: LineProps) {
  const { id, title, updatedAt } = conversation;
  const tools = [
    { icon: Pencil, label: `Rename “${title}”`, use: onRename },
    { icon: Trash2, label: `Delete “${title}”`, use: onDelete },
  ];
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
      {tools.map(({ icon, label, use }) => (
        <IconButton
          key={label}
          size="sm"
          icon={icon}
          label={label}
          onClick={use}
          className="opacity-0 group-focus-within/line:opacity-100 group-hover/line:opacity-100 [@media(hover:none)]:opacity-100"
        />
      ))}
    </li>
  );
}

interface DialogProps {
  conversation: ConversationInfo;
  onClose(): void;
}

function Renaming({ conversation: { id, title }, onClose }: DialogProps) {
  const queries = useQueryClient();
  return (
    <NameDialog
      title="Rename the conversation"
      action="Rename"
      name={title}
      isNeeded
      onClose={onClose}
      onDone={async (name) => {
        await renameConversation(id, name);
        await queries.invalidateQueries({ queryKey: ['conversations'] });
      }}
    />
  );
}

function Deletion({
  conversation: { id, title },
  onClose,
  onGone,
}: DialogProps & { onGone(id: string): void }) {
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
