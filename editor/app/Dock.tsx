import { ChevronDown, ChevronUp } from 'lucide-react';
import type { DockTab } from '../state/ui-store.ts';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Splitter } from '../ui/Splitter.tsx';
import { Tabs } from '../ui/Tabs.tsx';
import { useMediaQuery } from '../session/use-media-query.ts';
import { Part } from '../session/Part.tsx';
import { dockPanels } from './dock-panels.tsx';
import { useSession, useUi } from '../session/session.tsx';

const MIN = 120;
/** Height of the bar alone, in pixels. */
const CLOSED = 36;
const TABS = Object.entries(dockPanels).map(([tab, { title, Badge }]) => ({
  value: tab as DockTab,
  label: title,
  badge: Badge && <Badge />,
}));

/** The panels below the canvas, one at a time. Closed, it is a bar with what is new in each. */
export function Dock() {
  const { ui } = useSession();
  const isOpen = useUi((state) => state.dockOpen);
  const tab = useUi((state) => state.dockTab);
  const height = useUi((state) => state.dockHeight);
  const max = Math.max(MIN, Math.round(innerHeight * 0.7));
  const shown = Math.min(height, max);
  const { name, Content } = dockPanels[tab];
  const isHigh = useMediaQuery('(min-height: 600px)');
  // A low window has no room for the bar; the command opens it.
  if (!isOpen && !isHigh) return null;
  return (
    <>
      {isOpen && (
        <Splitter
          orientation="horizontal"
          label="Height of the bottom panel"
          value={shown}
          min={MIN}
          max={max}
          after
          onChange={(dockHeight) => ui.setState({ dockHeight })}
        />
      )}
      <section
        aria-label="Bottom panel"
        style={{ height: isOpen ? shown : CLOSED }}
        className={cx('flex shrink-0 flex-col overflow-hidden bg-surface', !isOpen && 'border-t border-line')}
      >
        <Tabs<DockTab>
          label="Bottom panel"
          value={isOpen ? tab : undefined}
          onValueChange={(dockTab) => ui.setState({ dockTab, dockOpen: true })}
          tabs={TABS}
          aside={
            <IconButton
              size="sm"
              side="top"
              icon={isOpen ? ChevronDown : ChevronUp}
              label={isOpen ? 'Hide the bottom panel' : 'Show the bottom panel'}
              onClick={() => ui.setState({ dockOpen: !isOpen })}
            />
          }
        >
          {/* A panel that failed says nothing of the next one. */}
          {isOpen && (
            <Part key={tab} name={name}>
              <Content />
            </Part>
          )}
        </Tabs>
      </section>
    </>
  );
}
