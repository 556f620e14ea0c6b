import { CommandGroup, CommandItem } from 'cmdk';
import { CornerDownRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Kbd } from '../ui/Kbd.tsx';
import type { PaletteEntry } from '../session/palette-groups.ts';
import { PaletteDialog, paletteGroup, paletteItem } from './PaletteDialog.tsx';
import { found, useGroups } from './server-groups.ts';

/** Everything by name: commands, nodes, settings, flows, runs, screens, secrets, connections. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState('');
  const all = useGroups();
  const shown = useMemo(() => found(all, query), [all, query]);
  return (
    <PaletteDialog
      label="All commands"
      placeholder="Type a command, a node, a flow, a run or a screen"
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

interface ItemProps extends Omit<PaletteEntry, 'act'> {
  onSelect(): void;
}

function Item({ value, icon: Icon, label, hint, keys, reason, onSelect }: ItemProps) {
  return (
    <CommandItem value={value} disabled={reason !== undefined} onSelect={onSelect} className={paletteItem}>
      <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
      <bdi className="min-w-0 truncate" title={label}>
        {label}
      </bdi>
      {hint !== undefined && hint !== label && (
        <span className="flex min-w-0 items-center gap-1 text-xs text-text-2">
          <CornerDownRight aria-hidden className="size-3 shrink-0" />
          <bdi className="truncate font-mono" title={hint}>
            {hint}
          </bdi>
        </span>
      )}
      <span className="flex-1" />
      {reason && (
        <span className="truncate text-xs text-text-2" title={reason}>
          {reason}
        </span>
      )}
      {keys && <Kbd keys={keys} />}
    </CommandItem>
  );
}
