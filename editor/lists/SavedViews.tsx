import { Bookmark, BookmarkPlus, Trash2 } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { useApp, useAppUi } from '../session/app-context.tsx';
import { chip } from '../ui/ChoiceMenu.tsx';
import type { SavedView } from '../state/ui-store.ts';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { TextDialog } from '../ui/TextDialog.tsx';
import { type Narrowed, nowOf, viewNamed, withoutView, withView } from './views.ts';

interface SavedViewsProps {
  /** Which screen's views. */
  screen: string;
  now: Narrowed;
  onOpen(narrowed: Narrowed): void;
}

/** The saved filters of a list, each under a name, to come back to them. Views stay in this browser. */
export function SavedViews({ screen, now, onOpen }: SavedViewsProps) {
  const { ui } = useApp();
  const all = useAppUi((state) => state.savedViews);
  const [isNaming, setNaming] = useState(false);
  const views = all.filter((view) => view.screen === screen);
  const set = nowOf(now);
  const open = viewNamed(views, set);
  const isNarrowed = Object.keys(set).length > 0;
  if (views.length === 0 && !isNarrowed) return null;
  const save = (name: string): void => {
    ui.setState({ savedViews: withView(all, { screen, name, set }) });
    setNaming(false);
  };
  return (
    <>
      <Menu
        align="start"
        trigger={<Chip open={open} />}
        entries={[
          ...views.map((view) => ({
            id: `view ${view.name}`,
            label: view.name,
            checked: view === open,
            onSelect: () => onOpen(view.set),
          })),
          {
            id: 'save',
            label: 'Save this view…',
            icon: BookmarkPlus,
            disabled: isNarrowed ? undefined : 'Nothing narrows the list.',
            onSelect: () => setNaming(true),
          },
          ...(open ? [deletion(open, () => ui.setState({ savedViews: withoutView(all, open) }))] : []),
        ]}
      />
      {isNaming && <NameDialog name={open?.name ?? ''} onSave={save} onClose={() => setNaming(false)} />}
    </>
  );
}

function deletion({ name }: SavedView, onSelect: () => void): MenuEntry {
  return { id: 'delete', label: `Delete the view “${name}”`, icon: Trash2, danger: true, onSelect };
}

/** The menu gives it the rest of what a button needs. */
function Chip({ open, ...button }: { open: SavedView | undefined } & ComponentProps<'button'>) {
  return (
    <button {...button} type="button" data-on={open !== undefined} className={chip}>
      <Bookmark aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate">
        {open ? (
          <>
            View: <bdi>{open.name}</bdi>
          </>
        ) : (
          'Views'
        )}
      </span>
    </button>
  );
}

interface NameDialogProps {
  name: string;
  onSave(name: string): void;
  onClose(): void;
}

function NameDialog({ name, onSave, onClose }: NameDialogProps) {
  return (
    <TextDialog
      title="Save this view"
      label="Name"
      help="A view of the same name is replaced."
      value={name}
      action="Save"
      busy={false}
      error={undefined}
      onSubmit={onSave}
      onClose={onClose}
    />
  );
}
