import { Monitor, Moon, Rows3, Sun } from 'lucide-react';
import type { Theme } from '../state/ui-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { useApp, useAppUi } from './app-context.tsx';

const THEMES = [
  { id: 'light', label: 'Light', icon: Sun },
  { id: 'dark', label: 'Dark', icon: Moon },
  { id: 'system', label: 'As the system', icon: Monitor },
] as const satisfies readonly { id: Theme; label: string; icon: typeof Sun }[];

/** How this person likes screens to look: the theme, and the height of rows. `side`: where the menu opens. */
export function ThemeMenu({ side }: { side?: 'top' | 'bottom' }) {
  const { ui } = useApp();
  const theme = useAppUi((state) => state.theme);
  const isCompact = useAppUi((state) => state.compactRows);
  const { icon } = THEMES.find(({ id }) => id === theme) ?? THEMES[2];
  return (
    <Menu
      {...(side && { side, align: 'start' })}
      trigger={<IconButton icon={icon} label="Theme" side={side && 'right'} />}
      entries={[
        ...THEMES.map((entry) => ({
          ...entry,
          checked: entry.id === theme,
          onSelect: () => ui.setState({ theme: entry.id }),
        })),
        { id: 'separator', separator: true },
        {
          id: 'compact',
          label: 'Compact rows',
          icon: Rows3,
          checked: isCompact,
          onSelect: () => ui.setState({ compactRows: !isCompact }),
        },
      ]}
    />
  );
}
