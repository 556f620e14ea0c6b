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
  // On a phone the tools have a line of their own.
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-2 max-sm:gap-x-1 max-sm:gap-y-0 max-sm:px-1 sm:h-13">
      <div className="flex min-w-0 items-center gap-2 max-sm:h-12 max-sm:flex-1 max-sm:basis-0 max-sm:gap-1">
        <FlowTitle />
        <FlowStateBadge flow={record} onlyIconOnPhone />
        <SaveIndicator />
      </div>
      <div className="flex items-center gap-2 max-sm:order-last max-sm:h-11 max-sm:w-full max-sm:border-t max-sm:border-line sm:ml-auto">
        <div className="flex" role="group" aria-label="History">
          <CommandButton command={undoCommand} />
          <CommandButton command={redoCommand} />
        </div>
        <PanelButtons />
        <Separator />
        <div className="max-sm:ml-auto">
          <RunButtons />
        </div>
      </div>
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
