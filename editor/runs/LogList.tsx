import { ArrowDown } from 'lucide-react';
import { useLayoutEffect, useState } from 'react';
import { revealNodes } from '../commands/view.ts';
import { useSession } from '../session/session.tsx';
import type { LogLine } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { LogRow } from './LogRow.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import { lineKey, useLogScroll, useLogWalk } from './use-log-scroll.ts';
import { nodeIn } from '../model/document/flat.ts';

/** The lines; only the visible ones are rendered. */
export function LogList({ lines }: { lines: readonly LogLine[] }) {
  const session = useSession();
  const title = useNodeTitle();
  const scroll = useLogScroll(lines);
  const { tabStop, onKeyDown, setActive } = useLogWalk(lines, scroll);
  const [opened, setOpened] = useState<string>();
  const { box, virtual, atEnd, goToEnd, onScroll } = scroll;
  useLayoutEffect(() => virtual.measure(), [virtual, opened]);

  function choose(line: LogLine): void {
    const key = lineKey(line);
    setActive(key);
    setOpened(opened === key ? undefined : key);
    if (line.node === undefined || !nodeIn(session.editor.getState().doc.flow, line.node)) return;
    session.editor.getState().select([line.node]);
    revealNodes(session, [line.node]);
  }

  const rows = virtual.getVirtualItems().map(({ key, index, start }) => {
    const line = lines[index];
    if (!line) return null;
    return (
      <div
        key={key}
        // All others have their expected height.
        ref={opened === lineKey(line) ? virtual.measureElement : undefined}
        data-index={index}
        className="absolute inset-x-0 top-0"
        style={{ transform: `translateY(${start}px)` }}
      >
        <LogRow
          line={line}
          id={lineKey(line)}
          name={line.node === undefined ? undefined : title(line.node)}
          open={opened === lineKey(line)}
          tabbable={tabStop === index}
          onChoose={choose}
        />
      </div>
    );
  });

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label="Log lines"
        className="h-full overflow-y-auto"
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
          {rows}
        </div>
      </div>
      {!atEnd && <Paused onResume={goToEnd} />}
    </div>
  );
}

function Paused({ onResume }: { onResume(): void }) {
  return (
    <div className="absolute inset-x-0 bottom-2 flex justify-center">
      <Button size="sm" icon={ArrowDown} onClick={onResume} className="shadow-(--shadow)">
        Paused here; go to the newest
      </Button>
    </div>
  );
}
