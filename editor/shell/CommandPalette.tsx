import { useQuery } from '@tanstack/react-query';
import { CommandGroup, CommandItem } from 'cmdk';
import { CornerDownRight, type LucideIcon, Workflow } from 'lucide-react';
import { useState } from 'react';
import { listFlows } from '../api/flows.ts';
import type { Command } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { addOperatorCommands } from '../commands/palette.ts';
import { runCommand } from '../commands/shortcuts.ts';
import { revealNodes } from '../commands/view.ts';
import { infoOf } from '../model/edit.ts';
import { titleOf } from '../model/geometry.ts';
import { iconNamed } from '../ui/icons.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { PaletteDialog, paletteGroup, paletteItem } from './PaletteDialog.tsx';
import { useSession } from './session.tsx';

const MOST_NODES = 200;

/** Everything by its name: commands, nodes to add, nodes to go to, other flows. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const session = useSession();
  const [query, setQuery] = useState('');
  const { doc, catalog } = session.editor.getState();
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const others = flows.data?.filter((flow) => flow.id !== doc.flow.id) ?? [];

  /** Closed first, so that a command may open something of its own. */
  const choose = (act: () => void): void => {
    onClose();
    act();
  };
  const commandItem = (command: Command) => (
    <Item
      key={command.id}
      value={`${command.label} ${command.group} ${command.id}`}
      icon={iconNamed(command.icon)}
      label={command.label}
      keys={command.keys?.[0]}
      reason={reasonOf(command.enabled?.(session))}
      onSelect={() => choose(() => void runCommand(command, session))}
    />
  );

  return (
    <PaletteDialog
      label="All commands"
      placeholder="Type a command, an operator, a node or a flow"
      empty="Nothing fits. Try another word."
      onClose={onClose}
      query={query}
      onQuery={setQuery}
    >
      <CommandGroup heading="Commands" className={paletteGroup}>
        {commands.filter((command) => !command.hidden && command.id !== 'commands').map(commandItem)}
      </CommandGroup>
      {query !== '' && (
        <>
          <CommandGroup heading="Add a node" className={paletteGroup}>
            {addOperatorCommands(catalog).map(commandItem)}
          </CommandGroup>
          <CommandGroup heading="Go to a node" className={paletteGroup}>
            {Object.entries(doc.flow.nodes)
              .slice(0, MOST_NODES)
              .map(([id, node]) => (
                <Item
                  key={id}
                  value={`go to node ${id} ${titleOf(node, catalog)}`}
                  icon={iconNamed(infoOf(catalog, node)?.icon)}
                  label={titleOf(node, catalog)}
                  hint={id}
                  onSelect={() =>
                    choose(() => {
                      session.editor.getState().select([id]);
                      revealNodes(session, [id]);
                    })
                  }
                />
              ))}
          </CommandGroup>
          <CommandGroup heading="Switch to a flow" className={paletteGroup}>
            {others.map(({ id, name }) => (
              <Item
                key={id}
                value={`flow ${id} ${name ?? ''}`}
                icon={Workflow}
                label={name ?? id}
                hint={id}
                onSelect={() => choose(() => session.actions.goTo(`/flows/${id}`))}
              />
            ))}
          </CommandGroup>
        </>
      )}
    </PaletteDialog>
  );
}

function reasonOf(enabled: true | string | undefined): string | undefined {
  return typeof enabled === 'string' ? enabled : undefined;
}

interface ItemProps {
  value: string;
  icon: LucideIcon;
  label: string;
  hint?: string;
  keys?: string | undefined;
  /** Why it cannot be chosen now. */
  reason?: string | undefined;
  onSelect(): void;
}

function Item({ value, icon: Icon, label, hint, keys, reason, onSelect }: ItemProps) {
  return (
    <CommandItem value={value} disabled={reason !== undefined} onSelect={onSelect} className={paletteItem}>
      <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
      <span className="min-w-0 truncate">{label}</span>
      {hint !== undefined && hint !== label && (
        <span className="flex min-w-0 items-center gap-1 truncate font-mono text-xs text-text-2">
          <CornerDownRight aria-hidden className="size-3 shrink-0" />
          {hint}
        </span>
      )}
      <span className="flex-1" />
      {reason && <span className="truncate text-xs text-text-2">{reason}</span>}
      {keys && <Kbd keys={keys} />}
    </CommandItem>
  );
}
