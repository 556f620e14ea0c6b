import type { KnowledgeSpace } from '#shared/knowledge.ts';
import { removeSpace } from '../api/knowledge.ts';
import { useChange } from '../session/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';

interface DeleteSpaceProps {
  space: KnowledgeSpace;
  onClose(): void;
  onDeleted(): void;
}

/** Asks first, since the documents of a space cannot be restored. */
export function DeleteSpace({ space, onClose, onDeleted }: DeleteSpaceProps) {
  const { id, name, documents } = space;
  const { busy, error, change } = useChange(['knowledge-spaces'], onDeleted);
  const lost =
    documents === 0 ? 'It is empty.' : `${countText(documents, 'document')} will be deleted with it.`;
  return (
    <ConfirmDialog
      title={`Delete the space “${name}”?`}
      description={`${lost} It cannot be restored, and flows that search it then fail.`}
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeSpace(id))}
      onClose={onClose}
    />
  );
}
