import { CommandGroup, CommandItem } from 'cmdk';
import { CornerDownRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Session } from '../commands/command.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { type Entry, found, useGroups } from './palette-groups.ts';
import { PaletteDialog, paletteGroup, paletteItem } from './PaletteDialog.tsx';

interface CommandPaletteProps {
  /** That of the flow on the canvas, if there is one. */
  session: Session | undefined;
  onClose(): void;
}

/** Everything by name: commands, nodes, settings, flows, runs, screens, secrets, connections. */
export function CommandPalette({ session, onClose }: CommandPaletteProps) {
  const [query, setQuery] = useState('');
  const all = useGroups(session);
  const shown = useMemo(() => found(all, query), [all, query]);
  return (
    <PaletteDialog
      label="All commands"
      placeholder={
        session
          ? 'Type a command, an operator, a node or a flow'
          : 'Type a flow, a screen, a run or a command'
      }
      empty="No match. Try another word."
      onClose={onClose}
      query={query}
      onQuery={setQuery}
      filtered
    >
      {shown.map(({ heading, entries }) => (
        <CommandGroup key={heading} heading={heading} className={paletteGroup}>
          {entries.map((entry) => (
            <Item
              key={entry.value}
              {...entry}
              // A command may open something itself.
              onSelect={() => {
                onClose();
                entry.act();
              }}
            />
          ))}
        </CommandGroup>
      ))}
    </PaletteDialog>
  );
}

interface ItemProps extends Omit<Entry, 'act'> {
  onSelect(): void;
}

function Item({ value, icon: Icon, label, hint, keys, reason, onSelect }: ItemProps) {
  return (
    <CommandItem value={value} disabled={reason !== undefined} onSelect={onSelect} className={paletteItem}>
      <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
      <bdi className="min-w-0 truncate">{label}</bdi>
      {hint !== undefined && hint !== label && (
        <span className="flex min-w-0 items-center gap-1 text-xs text-text-2">
          <CornerDownRight aria-hidden className="size-3 shrink-0" />
          <bdi className="truncate font-mono">{hint}</bdi>
        </span>
      )}
      <span className="flex-1" />
      {reason && <span className="truncate text-xs text-text-2">{reason}</span>}
      {keys && <Kbd keys={keys} />}
    </CommandItem>
  );
}
