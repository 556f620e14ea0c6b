import { useLocation } from '@tanstack/react-router';
import { CircleHelp } from 'lucide-react';
import { helpAddress, screenHelp } from '../model/help-pages.ts';
import { Tooltip } from '../ui/Tooltip.tsx';

/** To the help on the screen where one is; beside it, because what is open here may have edits. */
export function HelpLink({ side }: { side?: 'right' }) {
  const { pathname } = useLocation();
  return (
    <Tooltip text="Help" keys="F1" side={side}>
      <a
        href={helpAddress(screenHelp(pathname))}
        target="_blank"
        rel="noopener"
        aria-label="Help"
        aria-keyshortcuts="F1"
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-text-2 hover:bg-surface-3 hover:text-text"
      >
        <CircleHelp aria-hidden className="size-4.5 shrink-0" />
      </a>
    </Tooltip>
  );
}
