import type { ConversationInfo } from '#shared/conversation.ts';
import { removeConversation, renameConversation } from '../api/chat.ts';
import { useChange } from '../session/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { TextDialog } from '../ui/TextDialog.tsx';

/** What somebody wants to do with a conversation. */
export interface Asked {
  readonly to: 'rename' | 'delete';
  readonly conversation: ConversationInfo;
}

interface AskedProps extends Asked {
  onClose(): void;
  /** The conversation was deleted. */
  onGone(id: string): void;
}

/** The dialog of what somebody wants to do. */
export function AskedDialog({ to, ...rest }: AskedProps) {
  return to === 'rename' ? <Renaming {...rest} /> : <Deletion {...rest} />;
}

function Renaming({ conversation: { id, title }, onClose }: Omit<AskedProps, 'to' | 'onGone'>) {
  const { busy, error, change } = useChange(['conversations'], onClose);
  return (
    <TextDialog
      title="Rename the conversation"
      label="Name"
      action="Rename"
      value={title}
      busy={busy}
      error={error}
      onSubmit={(name) => void change(() => renameConversation(id, name))}
      onClose={onClose}
    />
  );
}

function Deletion({ conversation: { id, title }, onClose, onGone }: Omit<AskedProps, 'to'>) {
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
