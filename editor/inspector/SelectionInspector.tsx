import { SquareMousePointer } from 'lucide-react';
import { copyCommand, cutCommand, duplicateCommand } from '../commands/clipboard.ts';
import { deleteCommand } from '../commands/edit.ts';
import { availability, type Command } from '../commands/command.ts';
import { toggleDisabledCommand } from '../commands/node.ts';
import { pinAllCommand } from '../commands/part-run.ts';
import { titleOf } from '../model/document/geometry.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { ManyNodes } from './ManyNodes.tsx';
import { PanelHeader, PanelTitle } from './PanelHeader.tsx';
import { Section } from './Section.tsx';
import { nodeIn } from '../model/document/flat.ts';

const ACTIONS: readonly Command[] = [
  duplicateCommand,
  copyCommand,
  cutCommand,
  toggleDisabledCommand,
  pinAllCommand,
  deleteCommand,
];

/** Several selected things: their number, and the actions on all of them. */
export function SelectionInspector() {
  const session = useSession();
  const nodes = useEditor((state) => state.selectedNodes);
  const edges = useEditor((state) => state.selectedEdges);
  const notes = useEditor((state) => state.selectedNotes);
  const counts = [
    nodes.size > 0 && countText(nodes.size, 'node'),
    edges.size > 0 && countText(edges.size, 'edge'),
    notes.size > 0 && countText(notes.size, 'note'),
  ].filter(Boolean);
  const actions = ACTIONS.filter((command) => availability(command, session) === true);
  return (
    <>
      <PanelHeader
        icon={SquareMousePointer}
        title={<PanelTitle>Selection</PanelTitle>}
        hint={counts.join(', ')}
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Section title="Do with all">
          <div className="flex flex-col gap-1">
            {actions.map((command) => (
              <Button
                key={command.id}
                variant="ghost"
                icon={command.icon}
                className="!justify-start"
                onClick={() => void command.run(session)}
              >
                <span className="flex-1 text-left">{command.label}</span>
                {command.keys?.[0] && <Kbd keys={command.keys[0]} />}
              </Button>
            ))}
          </div>
        </Section>
        {nodes.size > 1 && <ManyNodes />}
        {nodes.size > 0 && <SelectedNodes />}
      </div>
    </>
  );
}

const MOST = 50;

function SelectedNodes() {
  const { editor } = useSession();
  const ids = useEditor((state) => state.selectedNodes);
  const { doc, catalog } = editor.getState();
  return (
    <Section title="Nodes">
      <ul className="flex flex-col">
        {[...ids].slice(0, MOST).map((id) => {
          const node = nodeIn(doc.flow, id);
          return (
            <li key={id}>
              <Button
                size="sm"
                variant="ghost"
                className="!w-full !justify-start"
                onClick={() => editor.getState().select([id])}
              >
                <span className="truncate">{node ? titleOf(node, catalog) : id}</span>
              </Button>
            </li>
          );
        })}
      </ul>
      {ids.size > MOST && <p className="text-xs text-text-2">and {ids.size - MOST} more</p>}
    </Section>
  );
}
