import { redoCommand, undoCommand } from '../commands/edit.ts';
import { publishCommand, saveCommand } from '../commands/file.ts';
import { toggleDockCommand, toggleInspectorCommand, togglePaletteCommand } from '../commands/help.ts';
import { FlowStateBadge } from '../ui/FlowStateBadge.tsx';
import { CommandButton } from '../session/CommandButton.tsx';
import { FlowTitle } from './FlowTitle.tsx';
import { MoreMenu } from './MoreMenu.tsx';
import { RunButtons } from './RunButtons.tsx';
import { SaveIndicator } from './SaveIndicator.tsx';
import { useEditor, useSync, useUi } from '../session/session.tsx';
import { ThemeMenu } from '../session/ThemeMenu.tsx';

export function TopBar() {
  const record = useSync((sync) => sync.record);
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 border-b border-line bg-surface px-2">
      <FlowTitle />
      <FlowStateBadge flow={record} />
      <SaveIndicator />
      <div className="flex-1" />
      <div className="flex" role="group" aria-label="History">
        <CommandButton command={undoCommand} />
        <CommandButton command={redoCommand} />
      </div>
      <PanelButtons />
      <Separator />
      <RunButtons />
      <SaveButtons />
      <Separator />
      <div className="flex">
        {/* On a small screen the name of the flow needs the room; the other screens show it elsewhere. */}
        <span className="max-md:hidden">
          <ThemeMenu />
        </span>
        <MoreMenu />
      </div>
    </header>
  );
}

function Separator() {
  return <span aria-hidden className="h-5 w-px shrink-0 bg-line max-md:hidden" />;
}

function PanelButtons() {
  const paletteOpen = useUi((ui) => ui.paletteOpen);
  const dockOpen = useUi((ui) => ui.dockOpen);
  const inspectorOpen = useUi((ui) => ui.inspectorOpen);
  return (
    <div className="flex" role="group" aria-label="Panels">
      <CommandButton command={togglePaletteCommand} pressed={paletteOpen} label="Palette" />
      <CommandButton command={toggleDockCommand} pressed={dockOpen} label="Bottom panel" />
      <CommandButton command={toggleInspectorCommand} pressed={inspectorOpen} label="Inspector" />
    </div>
  );
}

/** If saving does not or did not make the flow live, publishing is the next thing to do. */
function SaveButtons() {
  const state = useEditor((editor) => editor.saveState);
  const publishes = useSync((sync) => sync.deploy === 'manual' || sync.record.hasDraft);
  return (
    <div className="flex gap-1.5">
      <CommandButton
        command={saveCommand}
        variant={publishes || state === 'saved' ? 'secondary' : 'primary'}
        busy={state === 'saving'}
      />
      {publishes && <CommandButton command={publishCommand} variant="primary" />}
    </div>
  );
}
