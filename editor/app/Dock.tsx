import { ChevronDown } from 'lucide-react';
import type { DockTab } from '../state/ui-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Splitter } from '../ui/Splitter.tsx';
import { Tabs } from '../ui/Tabs.tsx';
import { Part } from '../session/Part.tsx';
import { dockPanels } from './dock-panels.tsx';
import { useSession, useUi } from '../session/session.tsx';

const MIN = 120;
const TABS = Object.entries(dockPanels).map(([tab, { title, Badge }]) => ({
  value: tab as DockTab,
  label: title,
  badge: Badge && <Badge />,
}));

/** The panels below the canvas, one at a time. */
export function Dock() {
  const { ui } = useSession();
  const isOpen = useUi((state) => state.dockOpen);
  const tab = useUi((state) => state.dockTab);
  const height = useUi((state) => state.dockHeight);
  if (!isOpen) return null;
  const max = Math.max(MIN, Math.round(innerHeight * 0.7));
  const shown = Math.min(height, max);
  const { name, Content } = dockPanels[tab];
  return (
    <>
      <Splitter
        orientation="horizontal"
        label="Height of the bottom panel"
        value={shown}
        min={MIN}
        max={max}
        after
        onChange={(dockHeight) => ui.setState({ dockHeight })}
      />
      <section
        aria-label="Bottom panel"
        style={{ height: shown }}
        className="flex shrink-0 flex-col bg-surface"
      >
        <Tabs
          label="Bottom panel"
          value={tab}
          onValueChange={(dockTab) => ui.setState({ dockTab })}
          tabs={TABS}
          aside={
            <IconButton
              size="sm"
              side="top"
              icon={ChevronDown}
              label="Hide the bottom panel"
              onClick={() => ui.setState({ dockOpen: false })}
            />
          }
        >
          {/* A panel that failed says nothing of the next one. */}
          <Part key={tab} name={name}>
            <Content />
          </Part>
        </Tabs>
      </section>
    </>
  );
}
