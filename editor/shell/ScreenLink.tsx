import { Link, useLocation } from '@tanstack/react-router';
import { cx } from '../ui/cx.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import { FAILED, isAt, RUNS, type Screen } from './screens.ts';
import { countLabel, type Counts } from './use-counts.ts';

interface ScreenLinkProps {
  screen: Screen;
  counts: Counts;
  /** With its name beside the icon; otherwise the name shows on hover. */
  named: boolean;
}

const look =
  'group relative flex h-8 shrink-0 items-center gap-2.5 rounded-md text-text-2 hover:bg-surface-3 hover:text-text ' +
  'data-[here=true]:bg-accent-soft data-[here=true]:font-medium data-[here=true]:text-text';

/** The rail may be longer than the window. */
const showLink = (label: HTMLElement | null): void =>
  label?.closest('a')?.scrollIntoView({ block: 'nearest' });

/** One line of the rail. */
export function ScreenLink({ screen, counts, named }: ScreenLinkProps) {
  const { to, label, icon: Icon, search, isPage, letter } = screen;
  const { pathname, search: now } = useLocation();
  const isHere = isAt(screen, pathname, now);
  const count = screen.count && countLabel(counts[screen.count]);
  const className = cx(look, named ? 'px-2.5' : 'w-10 justify-center');
  const content = (
    <>
      <Icon
        aria-hidden
        className={cx('size-4.5 shrink-0', isHere && 'text-accent', count && tone(screen, named))}
      />
      <span ref={isHere ? showLink : undefined} className={named ? 'min-w-0 flex-1 truncate' : 'sr-only'}>
        {label}
      </span>
      {count && <Count text={count} screen={screen} named={named} />}
    </>
  );
  const link = isPage ? (
    <a href={to} className={className}>
      {content}
    </a>
  ) : (
    <Link
      to={to}
      search={search ?? {}}
      className={className}
      data-here={isHere}
      // A view of the runs is not the list of all of them.
      activeOptions={{ exact: screen === RUNS && isAt(FAILED, pathname, now), includeSearch: true }}
    >
      {content}
    </Link>
  );
  if (named) return link;
  return (
    <Tooltip text={label} keys={`G ${letter.toUpperCase()}`} side="right">
      {link}
    </Tooltip>
  );
}

const tone = (screen: Screen, named: boolean): string | false =>
  !named && (screen === FAILED ? 'text-bad' : 'text-text');

function Count({ text, screen, named }: { text: string; screen: Screen; named: boolean }) {
  return (
    <span
      className={cx(
        'rounded-full px-1.5 text-[11px] leading-4 font-semibold tabular-nums',
        screen === FAILED ? 'bg-bad-soft text-bad' : 'bg-busy-soft text-busy',
        !named && 'absolute top-0 right-0 px-1',
      )}
    >
      {text}
    </span>
  );
}

/** One place of the bar of a phone. */
export function BarLink({ screen, counts }: Omit<ScreenLinkProps, 'named'>) {
  const { to, label, icon: Icon } = screen;
  const { pathname, search } = useLocation();
  const count = screen.count && countLabel(counts[screen.count]);
  return (
    <Link
      to={to}
      data-here={isAt(screen, pathname, search)}
      className="relative flex h-14 min-w-0 flex-col items-center justify-center gap-0.5 text-[11px] text-text-2 max-[359px]:text-[10px] data-[here=true]:font-semibold data-[here=true]:text-accent"
    >
      <Icon aria-hidden className="size-5" />
      <span className="max-w-full truncate" title={label}>
        {label}
      </span>
      {count && (
        <span className="absolute top-1 left-1/2 ml-1.5">
          <Count text={count} screen={screen} named />
        </span>
      )}
    </Link>
  );
}
