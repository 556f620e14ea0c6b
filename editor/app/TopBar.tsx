import { EllipsisVertical, Play } from 'lucide-react';
import { redoCommand, undoCommand } from '../commands/undo.ts';
import {
  connectionsCommand,
  discardCommand,
  exportCommand,
  homeCommand,
  inviteCommand,
  publishCommand,
  rollBackCommand,
  saveCommand,
  secretsCommand,
} from '../commands/file.ts';
import {
  commandsCommand,
  findCommand,
  helpCommand,
  shortcutsCommand,
  toggleDockCommand,
  toggleInspectorCommand,
} from '../commands/help.ts';
import { nodeCount } from '../model/document/flat.ts';
import { FlowStateBadge } from '../ui/FlowStateBadge.tsx';
import { CommandButton } from '../session/CommandButton.tsx';
import { FlowTitle } from './FlowTitle.tsx';
import { SaveIndicator } from './SaveIndicator.tsx';
import { useEditor, useRuns, useSession, useSync, useUi } from '../session/session.tsx';
import { autoLayoutCommand } from '../commands/view.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { Beside } from '../session/Part.tsx';
import { menuEntry } from '../session/menu-entries.ts';
import { runCommand, stopRunCommand } from '../commands/run.ts';
import { isOver } from '../state/run-status.ts';
import { LiveChip, RunMenu } from './parts.tsx';

export function TopBar() {
  const record = useSync((sync) => sync.record);
  const isEmpty = useEditor(({ doc }) => nodeCount(doc.flow) === 0);
  // On a phone the tools have a line of their own.
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-2 max-sm:gap-x-1 max-sm:gap-y-0 max-sm:px-1 sm:h-13 sm:flex-nowrap">
      <div className="flex min-w-0 flex-1 items-center gap-2 max-sm:h-12 max-sm:basis-0 max-sm:gap-1">
        <FlowTitle />
        <Beside fallback={<FlowStateBadge flow={record} isEmpty={isEmpty} onlyIconOnPhone />}>
          <LiveChip />
        </Beside>
        <SaveIndicator />
      </div>
      <div className="flex shrink-0 items-center gap-2 max-sm:order-last max-sm:h-11 max-sm:w-full max-sm:border-t max-sm:border-line sm:ml-auto">
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
      <PublishButton />
      <Separator />
      <div className="flex shrink-0">
        <MoreMenu />
      </div>
    </header>
  );
}

function Separator() {
  return <span aria-hidden className="h-5 w-px shrink-0 bg-line max-md:hidden" />;
}

function PanelButtons() {
  const dockOpen = useUi((ui) => ui.dockOpen);
  const panel = useUi((ui) => ui.panel);
  return (
    <div className="flex" role="group" aria-label="Panels">
      <CommandButton command={toggleDockCommand} pressed={dockOpen} label="Bottom panel" />
      <CommandButton command={toggleInspectorCommand} pressed={panel === 'inspector'} label="Inspector" />
    </div>
  );
}

/** The draft saves by itself, so publishing is the next thing to do. */
function PublishButton() {
  // State that decides whether it is enabled.
  useEditor((editor) => editor.saveState);
  useEditor((editor) => editor.problems);
  useSync((sync) => sync.record);
  return <CommandButton command={publishCommand} variant="primary" />;
}

const GROUPS = [
  [commandsCommand, findCommand, autoLayoutCommand],
  [saveCommand, rollBackCommand, discardCommand, exportCommand],
  [helpCommand, shortcutsCommand, homeCommand, secretsCommand, connectionsCommand],
  [inviteCommand],
];

function MoreMenu() {
  const session = useSession();
  // State that decides which entries are enabled.
  useSync((sync) => sync.record);
  useEditor((editor) => editor.doc);
  const entries = GROUPS.flatMap((group, i) => [
    ...(i > 0 ? [{ id: `separator-${i}`, separator: true as const }] : []),
    ...group.map((command) => menuEntry(command, session)),
  ]);
  return <Menu trigger={<IconButton icon={EllipsisVertical} label="More" />} entries={entries} />;
}

/** Run, the other ways to run, and stop while the shown run is in progress. */
function RunButtons() {
  const isRunning = useRuns(({ shown }) => shown !== undefined && !isOver(shown.status));
  return (
    <div className="flex items-center">
      <CommandButton command={runCommand} variant="secondary" icon={Play} />
      <Beside fallback={<span className="w-6" />}>
        <RunMenu />
      </Beside>
      {isRunning && <CommandButton command={stopRunCommand} />}
    </div>
  );
}
