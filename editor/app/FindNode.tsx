import { CommandItem } from 'cmdk';
import { StickyNote } from 'lucide-react';
import { useMemo, useState } from 'react';
import { revealNodes, revealNote } from '../commands/view.ts';
import { infoOf } from '../model/document/edit.ts';
import { type Found, findNodes } from '../model/drawing/find-nodes.ts';
import { operatorIcon } from '../ui/operator-icon.ts';
import { PaletteDialog, paletteItem } from './PaletteDialog.tsx';
import { useEditor, useSession } from '../session/session.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** Finds nodes by their texts; Enter goes to the node. */
export function FindNode({ onClose }: { onClose(): void }) {
  const session = useSession();
  const doc = useEditor((editor) => editor.doc);
  const catalog = useEditor((editor) => editor.catalog);
  const [query, setQuery] = useState('');
  const found = useMemo(() => findNodes(doc, catalog, query), [doc, catalog, query]);

  const goTo = ({ kind, id }: Found): void => {
    onClose();
    const { select } = session.editor.getState();
    if (kind === 'note') {
      select([], [], [id]);
      revealNote(session, id);
    } else {
      select([id]);
      revealNodes(session, [id]);
    }
  };

  return (
    <PaletteDialog
      label="Find a node"
      placeholder="Name, id, operator or anything written in a node"
      empty={query.trim() === '' ? 'Type what you are looking for.' : 'No node contains this.'}
      onClose={onClose}
      query={query}
      onQuery={setQuery}
      filtered
    >
      {found.map((item) => {
        const Icon =
          item.kind === 'note' ? StickyNote : operatorIcon(infoOf(catalog, nodeIn(doc.flow, item.id)));
        return (
          <CommandItem
            key={`${item.kind} ${item.id}`}
            value={`${item.kind} ${item.id}`}
            onSelect={() => goTo(item)}
            className={paletteItem}
          >
            <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
            <bdi className="max-w-[45%] min-w-0 shrink-0 truncate" title={item.title}>
              {item.title}
            </bdi>
            <span className="min-w-0 flex-1 truncate text-right text-xs text-text-2">
              {item.where === 'name' ? item.id : `${item.where}: ${item.excerpt}`}
            </span>
          </CommandItem>
        );
      })}
    </PaletteDialog>
  );
}
