import { Map as MapIcon, Maximize, Minus, Plus, StickyNote, Wand } from 'lucide-react';
import type { Command } from '../commands/command.ts';
import { addNoteCommand } from '../commands/note.ts';
import {
  autoLayoutCommand,
  fitCommand,
  zoomInCommand,
  zoomOutCommand,
  zoomResetCommand,
} from '../commands/view.ts';
import { useSession, useUi } from '../session/session.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';

const BUTTONS = [
  { command: fitCommand, icon: Maximize },
  { command: autoLayoutCommand, icon: Wand },
  { command: addNoteCommand, icon: StickyNote },
] as const;

/** Zoom, fit, layout: commands that are handy beside the drawing. */
export function CanvasControls({
  mapOpen,
  onMap,
}: {
  mapOpen: boolean;
  onMap: ((open: boolean) => void) | undefined;
}) {
  const session = useSession();
  const run = (command: Command) => void command.run(session);
  return (
    <div
      role="toolbar"
      aria-label="Zoom and layout"
      className="absolute bottom-3 left-3 z-10 flex items-center gap-0.5 rounded-lg border border-line bg-surface p-0.5 shadow-sm"
    >
      <IconButton
        side="top"
        icon={Minus}
        label={zoomOutCommand.label}
        keys={zoomOutCommand.keys}
        onClick={() => run(zoomOutCommand)}
      />
      <ZoomLevel onClick={() => run(zoomResetCommand)} />
      <IconButton
        side="top"
        icon={Plus}
        label={zoomInCommand.label}
        keys={zoomInCommand.keys}
        onClick={() => run(zoomInCommand)}
      />
      <span aria-hidden className="mx-0.5 h-5 w-px bg-line" />
      {BUTTONS.map(({ command, icon }) => (
        <IconButton
          key={command.id}
          side="top"
          icon={icon}
          label={command.label}
          keys={command.keys}
          onClick={() => run(command)}
        />
      ))}
      <IconButton
        side="top"
        icon={MapIcon}
        label="Minimap"
        pressed={mapOpen}
        disabled={!onMap}
        reason={onMap ? undefined : 'The canvas is too small for a minimap.'}
        onClick={() => onMap?.(!mapOpen)}
      />
    </div>
  );
}

function ZoomLevel({ onClick }: { onClick(): void }) {
  const percent = useUi((s) => Math.round(s.viewport.zoom * 100));
  return (
    <Tooltip text={zoomResetCommand.label} keys={zoomResetCommand.keys?.[0]} side="top">
      <button
        type="button"
        aria-label={`Zoom is ${percent} %; set it to 100 %`}
        onClick={onClick}
        className="h-8 w-12 rounded-md text-xs text-text-2 tabular-nums hover:bg-surface-3 hover:text-text"
      >
        {percent} %
      </button>
    </Tooltip>
  );
}
