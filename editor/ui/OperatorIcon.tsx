import { CircleHelp } from 'lucide-react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { purposeOf } from '#shared/purpose.ts';
import { cx } from './cx.ts';
import { operatorIcon } from './operator-icon.ts';

/** The icon of an operator in the colour of its service, or else of its purpose. */
export function OperatorIcon({ info, className }: { info: OperatorInfo | undefined; className?: string }) {
  const Icon = info ? operatorIcon(info) : CircleHelp;
  return (
    <span
      data-purpose={purposeOf(info)}
      style={info?.service && styleOf(info.service.color)}
      className={cx(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-md bg-[color-mix(in_srgb,var(--purpose)_10%,transparent)]',
        info ? 'text-(--purpose)' : 'text-bad',
        className,
      )}
    >
      <Icon aria-hidden className="size-4" />
    </span>
  );
}

/** Dark enough on a light surface, and light enough on a dark one. */
function styleOf(color: string) {
  const own = `light-dark(color-mix(in oklab, ${color} 85%, black), color-mix(in oklab, ${color} 45%, white))`;
  return { color: own, backgroundColor: `color-mix(in srgb, ${own} 10%, transparent)` };
}
