import { Bookmark, BookmarkPlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApp, useAppUi } from '../session/app-context.tsx';
import { chip } from '../ui/ChoiceMenu.tsx';
import { Menu } from '../ui/Menu.tsx';
import { TextDialog } from '../ui/TextDialog.tsx';
import { type Narrowed, nowOf, viewNamed, withoutView, withView } from './views.ts';

interface SavedViewsProps {
  /** Which screen's views. */
  screen: string;
  now: Narrowed;
  onOpen(narrowed: Narrowed): void;
}

/** What a list is narrowed to, under a name, to come back to it. Views stay in this browser. */
export function SavedViews({ screen, now, onOpen }: SavedViewsProps) {
  const { ui } = useApp();
  const all = useAppUi((state) => state.savedViews);
  const [isNaming, setNaming] = useState(false);
  const views = all.filter((view) => view.screen === screen);
  const set = nowOf(now);
  const open = viewNamed(views, set);
  if (views.length === 0 && Object.keys(set).length === 0) return null;
  const save = (name: string): void => {
    ui.setState({ savedViews: withView(all, { screen, name, set }) });
    setNaming(false);
  };
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" data-on={open !== undefined} className={chip}>
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
        }
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
            disabled: Object.keys(set).length === 0 ? 'Nothing narrows the list.' : undefined,
            onSelect: () => setNaming(true),
          },
          ...(open
            ? [
                {
                  id: 'delete',
                  label: `Delete the view “${open.name}”`,
                  icon: Trash2,
                  danger: true,
                  onSelect: () => ui.setState({ savedViews: withoutView(all, open) }),
                },
              ]
            : []),
        ]}
      />
      {isNaming && (
        <TextDialog
          title="Save this view"
          label="Name"
          help="A view of the same name is replaced."
          value={open?.name ?? ''}
          action="Save"
          busy={false}
          error={undefined}
          onSubmit={save}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}
