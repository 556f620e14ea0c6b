import { X } from 'lucide-react';
import { Suspense, useEffect } from 'react';
import { CHAT_TRIGGER } from '../model/form/triggers.ts';
import { Part } from '../session/Part.tsx';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import type { Panel } from '../state/ui-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Splitter } from '../ui/Splitter.tsx';
import { Tabs } from '../ui/Tabs.tsx';
import { Drawer, FlowChat, Inspector } from './parts.tsx';

type Shown = Exclude<Panel, 'none'>;

const TITLES: Readonly<Record<Shown, string>> = { inspector: 'Inspector', chat: 'Chat' };

interface SidePanelProps {
  isWide: boolean;
  /** The panel slides up from below, as sheets of a phone do. */
  isPhone: boolean;
  /** The node view stands over it. */
  isCovered: boolean;
}

/** The one panel beside the canvas: what is selected, or the chat with the flow. On small screens it slides over the canvas. */
export function SidePanel({ isWide, isPhone, isCovered }: SidePanelProps) {
  const { ui } = useSession();
  const panel = useUi((state) => state.panel);
  const width = useUi((state) => state.panelWidth);
  const hasChat = useHasChat();
  useEffect(() => {
    // The chat with another flow was open before.
    if (panel === 'chat' && !hasChat) ui.setState({ panel: 'inspector' });
  }, [ui, panel, hasChat]);
  const close = (): void => ui.setState({ panel: 'none' });
  if (!isWide) {
    return (
      <Suspense fallback={null}>
        <Drawer
          side={isPhone ? 'bottom' : 'right'}
          title={panel === 'none' ? '' : TITLES[panel]}
          open={panel !== 'none'}
          onOpenChange={(open) => !open && close()}
        >
          {panel !== 'none' && <Content panel={panel} hasChat={hasChat} />}
        </Drawer>
      </Suspense>
    );
  }
  if (panel === 'none') return null;
  // The inspector stands over the canvas; its place stays, so that the canvas does not move.
  if (isCovered) return <div style={{ width }} className="shrink-0" />;
  return (
    <aside aria-label={TITLES[panel]} style={{ width }} className="flex min-h-0 shrink-0 bg-surface">
      <Splitter
        orientation="vertical"
        label={`Width of the ${TITLES[panel].toLowerCase()}`}
        value={width}
        min={260}
        max={640}
        after
        onChange={(panelWidth) => ui.setState({ panelWidth })}
      />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden">
        <Content panel={panel} hasChat={hasChat} />
      </div>
    </aside>
  );
}

function useHasChat(): boolean {
  return useEditor(({ doc }) =>
    Object.values(doc.flow.nodes).some(({ operator }) => operator === CHAT_TRIGGER),
  );
}

/** Tabs only where there is a choice: a flow that nobody chats with has no chat. */
function Content({ panel, hasChat }: { panel: Shown; hasChat: boolean }) {
  const { ui } = useSession();
  const content = (
    <Part key={panel} name={`The ${TITLES[panel].toLowerCase()}`}>
      {panel === 'chat' ? <FlowChat /> : <Inspector />}
    </Part>
  );
  if (!hasChat) return content;
  return (
    <Tabs
      label="Panel"
      value={panel}
      onValueChange={(next) => ui.setState({ panel: next })}
      tabs={(Object.keys(TITLES) as Shown[]).map((value) => ({ value, label: TITLES[value] }))}
      aside={
        <IconButton
          size="sm"
          icon={X}
          label="Close the panel"
          onClick={() => ui.setState({ panel: 'none' })}
        />
      }
    >
      {content}
    </Tabs>
  );
}
